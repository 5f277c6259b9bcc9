/// The response to a request.
struct LoadResponse: Sendable {
    /// The HTTP status.
    var status = 0
    /// The request ID of the server, which also appears in its audit log.
    var requestID: String?
    /// The body, truncated to ``maximumBody``.
    var body: [UInt8] = []

    /// The maximum size of the body that is kept, in bytes; no CKC or problem document is larger.
    static let maximumBody = 65_536

    /// The outcome of the request, for counting.
    var outcome: LoadOutcome {
        guard status != 200 else { return .granted }
        return LoadOutcome(status: status, problem: problem, reason: Self.word(after: "\"reason\":\"", in: body))
    }

    /// The last component of the problem type.
    var problem: String? { Self.word(after: "urn:keyway:problem:", in: body) }

    /// Returns the kebab-case word after a marker. Parsing the whole JSON document would take too much processor time
    /// under overload.
    static func word(after marker: String, in body: [UInt8]) -> String? {
        let marker = Array(marker.utf8)
        guard let start = body.firstRange(of: marker)?.upperBound else { return nil }
        let word = body[start...].prefix(60).prefix {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
        }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
}

/// The outcome of a request, for counting.
struct LoadOutcome: Hashable, Sendable, Comparable {
    /// The HTTP status; 0 if there was no response.
    var status: Int
    /// The problem type, or the reason why there was no response.
    var problem: String?
    /// The reason of a refusal.
    var reason: String?

    /// A license was issued.
    static let granted = LoadOutcome(status: 200)
    /// The connection was lost before the response.
    static let lost = LoadOutcome(status: 0, problem: "connection lost")
    /// The response timed out.
    static let timedOut = LoadOutcome(status: 0, problem: "response timeout")
    /// The request was due, but no connection was free before the end.
    static let notSent = LoadOutcome(status: 0, problem: "not sent")
    /// The device rejected the CKC.
    static let unusable = LoadOutcome(status: 200, problem: "the device rejected the CKC")

    static func < (left: Self, right: Self) -> Bool {
        (left.status, left.problem ?? "", left.reason ?? "") < (right.status, right.problem ?? "", right.reason ?? "")
    }
}

/// The reason why there was no response.
enum LoadFailure: Error {
    case lost
    case timedOut

    var outcome: LoadOutcome { self == .lost ? .lost : .timedOut }
}
