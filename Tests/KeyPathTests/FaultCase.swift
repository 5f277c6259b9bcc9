import ContentKeySession
import Testing

/// An injected fault, and the result that docs/key-loader.md lists for it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    /// The name of the fault, as in the documentation.
    let name: String
    /// The kind of the failure that ends the request; nil if the key is loaded.
    var end: KeyFailure.Kind?
    /// The number of attempts to load the license.
    let attempts: Int
    /// The kinds of the entries in the error log.
    let log: [KeyFailure.Kind]
    var reason: String?
    var skew: Int64 = 0
    var tokens: [String] = []
    var asset = "film/hd"
    /// The minimum duration, by the client's clock.
    var lasts = Duration.zero
    let script: @Sendable (ReceivedRequest) -> Fault

    var testDescription: String { name }

    /// Creates a case that injects a fault into the first responses to license requests.
    static func licenses(
        _ name: String,
        _ fault: Fault,
        times: Int = .max,
        _ end: KeyFailure.Kind? = nil,
        attempts: Int,
        _ log: [KeyFailure.Kind],
        reason: String? = nil,
        lasts: Duration = .zero
    ) -> FaultCase {
        FaultCase(name: name, end: end, attempts: attempts, log: log, reason: reason, lasts: lasts) {
            !$0.isCertificate && $0.number <= times ? fault : .none
        }
    }

    /// Creates a case that injects a fault into the first responses to requests for the certificate.
    static func certificates(
        _ name: String,
        _ fault: Fault,
        times: Int = .max,
        _ end: KeyFailure.Kind? = nil,
        attempts: Int,
        _ log: [KeyFailure.Kind]
    ) -> FaultCase {
        FaultCase(name: name, end: end, attempts: attempts, log: log) {
            $0.isCertificate && $0.number <= times ? fault : .none
        }
    }

    /// The row of the table in the documentation.
    var row: String {
        var counts: [(kind: KeyFailure.Kind, count: Int)] = []
        for kind in log {
            if counts.last?.kind == kind { counts[counts.count - 1].count += 1 } else { counts.append((kind, 1)) }
        }
        let words = counts.map { "`\($0.kind.rawValue)`" + ($0.count > 1 ? " × \($0.count)" : "") }
        let end = end.map { "`\($0.rawValue)`" } ?? "loaded"
        return "| \(name) | \(end) | \(attempts) | \(words.isEmpty ? "-" : words.joined(separator: ", ")) |"
    }
}
