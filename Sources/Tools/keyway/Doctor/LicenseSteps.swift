import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport
import VirtualDevice

/// The steps of `keyway doctor` between the playlist and the media: token, SPC, license, CKC, and what the licenses
/// require. All are judged by the requests of the virtual devices.
struct LicenseSteps: Sendable {
    let content: ContentSteps
    let target: DoctorTarget?
    /// The outcomes of the requests for keys that are not persistent. A rule of the step `terms` is about the others.
    private let outcomes: [KeyRequestOutcome]
    /// The number of requests that got the same responses, in a sentence; nil if all responses differ.
    private let repetition: String?
    /// Why no key was requested; nil if keys were requested.
    private let blocked: String?

    init(content: ContentSteps, target: DoctorTarget?, outcomes: [KeyRequestOutcome], blocked: String?) {
        (self.content, self.target, self.blocked) = (content, target, blocked)
        self.outcomes = outcomes.filter { !$0.isPersistent }
        repetition = Self.repetition(outcomes.filter { $0.stage >= .ckc })
    }

    /// Returns how many requests got how many different responses; nil if each response is another one.
    private static func repetition(_ answered: [KeyRequestOutcome]) -> String? {
        let different = answered.count { !$0.isRepeated }
        guard different < answered.count else { return nil }
        let keys = counted(Set(answered.map(\.uri)).count, "key")
        let responses = different == 1 ? "the same response" : "only \(different) different responses"
        return "\(counted(answered.count, "key request")) for \(keys) got \(responses); devices report -42668."
    }

    /// A problem with the stage that it belongs to, and the device class.
    private struct Failure {
        let step: String
        let problem: LicenseProblem
        let deviceClass: String
    }

    /// Returns the steps.
    ///
    /// - Parameter now: The server's time in seconds since 1970.
    func run(now: Double) -> [Diagnosis.Step] {
        var failures: [Failure] = []
        for outcome in outcomes {
            guard let problem = LicenseProblem(outcome) else { continue }
            failures.append(Failure(step: problem.step, problem: problem, deviceClass: outcome.deviceClass))
        }
        var steps = [token(failures, now: now)]
        guard !outcomes.isEmpty else {
            let unused = content.keyURIs.isEmpty ? "the playlists have no FairPlay key" : "no key was requested"
            let reason = blocked ?? unused
            return steps + ["spc", "license", "ckc", "terms"].map { .skipped($0, reason) }
        }
        // A cache also explains CKCs that are for requests of others, so it is one problem.
        if failures.contains(where: { $0.problem.code == Self.repeated }) {
            failures.removeAll { $0.problem.code == FPSError.invalidCKC.name }
        }
        let stages: [(id: String, stage: KeyRequestOutcome.Stage)] = [
            ("spc", .spc), ("license", .license), ("ckc", .ckc),
        ]
        for (id, stage) in stages {
            let reached = outcomes.filter { $0.stage >= stage }
            // The license of an earlier request is not a license for this one.
            let passed = outcomes.filter { $0.stage > stage && !(id == "license" && $0.isRepeated) }
            let problems = problems(failures.filter { $0.step == id }, isAnyGranted: !passed.isEmpty)
            guard !reached.isEmpty, !passed.isEmpty || !problems.isEmpty else {
                steps.append(.skipped(id, "the step before it failed"))
                continue
            }
            let classes = Self.names(passed.map(\.deviceClass))
            let keys = Set(passed.map(\.uri)).count
            let summary =
                passed.isEmpty
                ? ""
                : "\(Self.title(id)) for \(counted(keys, "key")): "
                    + "\(classes.joined(separator: ", "))"
            steps.append(Diagnosis.Step(id, summary, problems: problems))
        }
        return steps + [terms]
    }

    /// The code of a response that an earlier request got.
    private static let repeated = "license-repeated"

    private static func title(_ step: String) -> String {
        switch step {
        case "spc": "key requests created"
        case "license": "licenses received"
        default: "licenses opened"
        }
    }

    // MARK: Problems

    /// Returns the problems of a step, each once, with the device classes. A license that only some classes are refused is
    /// a warning, unless the classes were given.
    private func problems(_ failures: [Failure], isAnyGranted: Bool) -> [Diagnosis.Problem] {
        var classes: [String: [String]] = [:]
        var order: [LicenseProblem] = []
        for failure in failures {
            let key = failure.problem.identity
            if classes[key] == nil { order.append(failure.problem) }
            classes[key, default: []].append(failure.deviceClass)
        }
        let repeated = order.first { $0.code == Self.repeated }.map { problem in
            Diagnosis.Problem.failure(problem.code, repetition ?? problem.text(for: ""), remedy: problem.remedy)
        }
        return [repeated].compactMap(\.self)
            + order.filter { $0.code != Self.repeated }.map { problem in
                let names = Self.names(classes[problem.identity] ?? [])
                let isForAll = names.count == target?.profiles.count
                let subject = isForAll ? "" : " (\(names.joined(separator: ", ")))"
                let text = problem.text(for: subject)
                guard problem.step == "license", isAnyGranted, !isForAll, target?.areClassesGiven != true else {
                    return .failure(problem.code, text, remedy: problem.remedy, isUnreachable: problem.isUnreachable)
                }
                return .warning(problem.code, text, remedy: problem.remedy)
            }
    }

    /// Returns names, each once, in order.
    private static func names(_ names: [String]) -> [String] {
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    // MARK: Token

    /// Checks the token: what its claims say, and what the server said about it.
    private func token(_ failures: [Failure], now: Double) -> Diagnosis.Step {
        guard let target else { return .skipped("token", "no key server is given") }
        let refusals = problems(failures.filter { $0.step == "token" }, isAnyGranted: false)
        guard let token = target.token else {
            guard refusals.isEmpty else { return Diagnosis.Step("token", "no token is given", problems: refusals) }
            let isAccepted = outcomes.contains { $0.stage > .license }
            return isAccepted
                ? Diagnosis.Step("token", "none, and the server requires none") : .skipped("token", "no token is given")
        }
        guard let claims = PlaybackTokenClaims(token) else {
            var step = Diagnosis.Step(
                "token",
                "given; it is not a JWT, so only the server can read it",
                problems: refusals
            )
            if token.split(separator: ".").count == 3, refusals.isEmpty {
                step.problems.append(
                    .failure(
                        "token-malformed",
                        "The token has the form of a JWT, but its parts are not base64url of JSON.",
                        remedy: "Check that it was not cut off or quoted: docs/authorization.md."
                    )
                )
            }
            return step
        }
        var facts = [claims.algorithm.map { "\($0)" } ?? "no algorithm"]
        if let issuer = claims.issuer { facts.append("issuer \(issuer)") }
        if !claims.audiences.isEmpty { facts.append("audience \(claims.audiences.joined(separator: ", "))") }
        if let expiry = claims.expiry { facts.append("valid to \(Timestamp.text(seconds: Self.bounded(expiry)))") }
        let summary = PlaylistText.printable(facts.joined(separator: ", "), limit: 200)
        // The server's answer takes precedence, because it allows a difference of the clocks.
        let problems =
            refusals.isEmpty && outcomes.allSatisfy { $0.stage <= .license } ? timeProblems(claims, now) : refusals
        return Diagnosis.Step("token", summary, problems: problems)
    }

    private func timeProblems(_ claims: PlaybackTokenClaims, _ now: Double) -> [Diagnosis.Problem] {
        if let expiry = claims.expiry, Double(expiry) < now {
            return [
                .failure(
                    "token-expired",
                    "The token expired at \(Timestamp.text(seconds: Self.bounded(expiry))).",
                    remedy: "Get a new one from the service that issues tokens."
                )
            ]
        }
        if let start = claims.start, Double(start) > now {
            return [
                .failure(
                    "token-not-yet-valid",
                    "The token is valid only from \(Timestamp.text(seconds: Self.bounded(start))) on.",
                    remedy: "Compare the clocks of the issuer and of the server."
                )
            ]
        }
        return []
    }

    /// Returns a time that can be printed: at most that of the year 9999.
    private static func bounded(_ seconds: Int64) -> Int64 { min(max(seconds, 0), 253_402_300_799) }

    // MARK: Terms

    /// The requirements of the licenses, and whether they agree with the playlists.
    private var terms: Diagnosis.Step {
        let grants = content.report.presentation.keys.flatMap(\.grants)
        guard let facts = grants.lazy.compactMap(\.license.facts).first else {
            return .skipped("terms", "there is no license")
        }
        var parts = [
            "HDCP \(facts.hdcp?.rawValue ?? "TYPE-0 (default)")", "security level \(facts.securityLevel ?? "any")",
        ]
        let renewal = facts.isRenewable == false ? ", not renewed" : ""
        parts.append(facts.lease > 0 ? "lease \(facts.lease) s\(renewal)" : "no lease")
        if facts.rental > 0 { parts.append("rental \(facts.rental) s") }
        parts.append(facts.isPersistable ? "can be stored" : "streaming only")
        return Diagnosis.Step("terms", parts.joined(separator: ", "), problems: content.problems(of: "terms"))
    }
}
