import ContentKeySession
import Testing

/// One fault, and the result that docs/key-loader.md documents for it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    /// The fault, in the documentation's words.
    let name: String
    /// The failure of the request; nil if the key is loaded.
    var end: KeyFailure.Kind?
    /// The number of license requests.
    let attempts: Int
    /// The kinds of the error log's entries, in order.
    let log: [KeyFailure.Kind]
    var reason: String?
    var skew: Int64 = 0
    var tokens: [String] = []
    var asset = "film/hd"
    /// The minimum duration, by the client's clock.
    var lasts = Duration.zero
    let script: @Sendable (Heard) -> Fault

    var testDescription: String { name }

    /// Breaks the first responses to license requests.
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

    /// Breaks the first responses to requests for the certificate.
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

    /// The row of the documentation's table.
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
