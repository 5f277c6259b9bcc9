import Foundation
import HTTPRequests
import TextCoding
import ToolSupport

/// A response, and when it arrived.
struct TimedAnswer: Sendable {
    let answer: BoundedHTTP.Answer
    /// The time in the middle between the request and the response, in seconds since 1970.
    let time: Double
    /// The time between the request and the response, in seconds.
    let duration: Double

    /// Sends a GET request.
    init(_ path: String, of client: KeyServerClient, now: () -> Double) async throws(BoundedHTTP.Failure) {
        let sent = now()
        answer = try await client.respond(to: path)
        let received = now()
        (time, duration) = ((sent + received) / 2, received - sent)
    }
}

/// The responses of a key server to GET /healthz, which caches must not store.
struct HealthResponses: Sendable {
    /// The response to a request with a unique URL; nil if there was none.
    let unique: TimedAnswer?
    /// The response that two requests got; nil if each request got another one.
    let stored: BoundedHTTP.Answer?
    /// True if the response to the request with a unique URL is that to another request.
    let isUniqueStored: Bool

    /// Sends the requests. Other key servers than Keyway's may not have this route.
    init(of client: KeyServerClient, nonce: () -> String, now: () -> Double) async {
        unique = try? await TimedAnswer("/healthz?probe=\(nonce())", of: client, now: now)
        var known: [String] = []
        var last: BoundedHTTP.Answer?
        while unique != nil, known.count < 2, let answer = try? await client.respond(to: "/healthz"),
            let id = Self.id(answer)
        {
            known.append(id)
            last = answer
        }
        stored = known.count == 2 && known[0] == known[1] ? last : nil
        isUniqueStored = unique.flatMap { Self.id($0.answer) }.map(known.contains) ?? false
    }

    /// Returns the ID that the server gives each response; nil if it has none.
    private static func id(_ answer: BoundedHTTP.Answer) -> String? {
        answer.status == 200 ? answer.header("X-Request-Id") : nil
    }
}

extension ServerSteps {
    /// The clock difference in seconds that the server's default for tokens allows.
    private static let allowedDifference = 30.0
    /// The clock difference in seconds at which most tokens are refused.
    private static let failingDifference = 300.0

    /// The header fields that show that a response was stored, or by what.
    private static let evidenceFields = ["X-Request-Id", "Age", "Date", "Via", "X-Cache"]

    /// Returns the problem that a cache stores responses that it must not store.
    ///
    /// - Parameter answer: The response that two requests got; nil for the problem in general.
    static func storedResponses(_ answer: BoundedHTTP.Answer? = nil) -> Diagnosis.Problem {
        let evidence = answer.map { answer in
            let fields = evidenceFields.compactMap { name in
                answer.header(name).map { "\(name): \(PlaylistText.printable($0, limit: 80))" }
            }
            return " Two requests for /healthz got the same response: \(fields.joined(separator: ", "))."
        }
        return .failure(
            "response-cached",
            "A cache in front of the key server stores responses that have Cache-Control: no-store.\(evidence ?? "")",
            remedy: "Turn caching off for all routes of the key server except /fps/certificate, and purge the cache: a "
                + "stored license is valid for no other request."
        )
    }

    /// Compares the server's clock with this machine's.
    ///
    /// - Parameters:
    ///   - health: The responses that caches must not store.
    ///   - certificate: The response with the certificate, which caches may store.
    ///   - offset: Set to how far the server's clock is ahead, in seconds, if this is known.
    func clockStep(
        _ health: HealthResponses,
        certificate: TimedAnswer,
        _ offset: inout Double?
    ) -> Diagnosis.Step {
        let unique = health.unique.flatMap { $0.answer.status == 200 && $0.answer.header("Date") != nil ? $0 : nil }
        let timed = unique ?? certificate
        let answer = timed.answer
        // A cache adds the age; zero means that the response has just been made (RFC 9111, section 5.1).
        guard !(unique != nil && health.isUniqueStored), [nil, "0"].contains(answer.header("Age")) else {
            return .skipped("clock", "a cache in front of the server responds, so the server's time is not known")
        }
        guard let date = answer.header("Date").flatMap({ HTTPDate.parse($0) }) else {
            return .skipped("clock", "the server sends no Date")
        }
        // The date has whole seconds, and is of a time between the request and the response.
        let difference = date.timeIntervalSince1970 - timed.time
        let isExact = abs(difference) <= 1 + timed.duration / 2
        offset = isExact ? 0 : difference
        guard !isExact, abs(difference) > Self.allowedDifference else {
            return Diagnosis.Step("clock", "the server's clock agrees with this machine's")
        }
        let direction = difference > 0 ? "ahead of" : "behind"
        let text = "The server's clock is \(Self.text(abs(difference))) \(direction) this machine's."
        let remedy =
            "Compare both with the real time (`timedatectl`), and synchronize the wrong one: tokens and SPCs "
            + "contain times."
        let summary = "the server says \(Timestamp.text(seconds: Int64(date.timeIntervalSince1970)))"
        let problem: Diagnosis.Problem =
            abs(difference) > Self.failingDifference
            ? .failure("clock-wrong", text, remedy: remedy) : .warning("clock-differs", text, remedy: remedy)
        return Diagnosis.Step("clock", summary, problems: [problem])
    }

    private static func text(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 1e9).rounded())
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }
}
