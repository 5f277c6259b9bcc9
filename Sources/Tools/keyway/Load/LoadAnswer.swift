/// What came of one request.
struct LoadAnswer: Sendable {
    /// The HTTP status.
    var status = 0
    /// What the server calls the request, in its audit log too.
    var requestID: String?
    /// The body, as far as it fits.
    var body: [UInt8] = []

    /// More than any CKC or problem document.
    static let maximumBody = 65_536

    /// What it counts as.
    var outcome: LoadOutcome {
        guard status != 200 else { return .granted }
        return LoadOutcome(status: status, problem: problem, reason: Self.word(after: "\"reason\":\"", in: body))
    }

    /// The last part of the problem's type.
    var problem: String? { Self.word(after: "urn:keyway:problem:", in: body) }

    /// The kebab-case word behind a mark. A whole JSON parser would be most of the work under overload.
    static func word(after mark: String, in body: [UInt8]) -> String? {
        let mark = Array(mark.utf8)
        guard let start = body.firstRange(of: mark)?.upperBound else { return nil }
        let word = body[start...].prefix(60).prefix {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
        }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
}

/// A kind of outcome, for counting.
struct LoadOutcome: Hashable, Sendable, Comparable {
    /// The HTTP status; 0 where no answer came.
    var status: Int
    /// The problem's type, or what happened instead of an answer.
    var problem: String?
    /// The rule that refused.
    var reason: String?

    /// A license.
    static let granted = LoadOutcome(status: 200)
    /// The connection broke before the answer.
    static let lost = LoadOutcome(status: 0, problem: "connection lost")
    /// No answer in time.
    static let timedOut = LoadOutcome(status: 0, problem: "no answer in time")
    /// It was due, and no connection was free before the end.
    static let notSent = LoadOutcome(status: 0, problem: "not sent")
    /// The device refuses the CKC.
    static let unusable = LoadOutcome(status: 200, problem: "the device refuses the CKC")

    static func < (left: Self, right: Self) -> Bool {
        (left.status, left.problem ?? "", left.reason ?? "") < (right.status, right.problem ?? "", right.reason ?? "")
    }
}

/// Why there is no answer.
enum LoadFailure: Error {
    case lost
    case timedOut

    var outcome: LoadOutcome { self == .lost ? .lost : .timedOut }
}
