import TextCoding

extension LoadReport {
    /// The number of different refusals that the problem lists.
    private static let listedRefusals = 4

    /// Returns the problem of a run in which the server refused most requests, with the reasons and their counts; nil if
    /// it answered at least half of them with a license, or did not respond.
    static func refusal(of tally: LoadTally) -> Report.Problem? {
        let refusals = tally.outcomes.filter { $0.key.status != 0 && $0.key.status != 200 }
        let count = refusals.values.reduce(0, +)
        guard count * 2 > tally.total else { return nil }
        // The most frequent refusals first.
        let sorted = refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let listed = sorted.prefix(listedRefusals).map { "\($0.value) x \($0.key.description)" }
        let rest = sorted.count > listedRefusals ? ", and others" : ""
        return .init(
            stage: "server",
            code: "mostly-refused",
            reason: "the server refused \(count) of \(counted(tally.total, "request")): "
                + listed.joined(separator: ", ") + rest,
            next: sorted.first.map { $0.key.remedy } ?? ""
        )
    }
}

extension LoadOutcome {
    /// The status, the problem and the reason, if it is another word.
    var description: String {
        (["\(status)"] + [problem, reason == problem ? nil : reason].compactMap { $0 }).joined(separator: " ")
    }

    /// The advice on how to avoid the refusal.
    fileprivate var remedy: String {
        switch (problem, reason) {
        case ("rate-limited", _): "give more --accounts, or raise limits.rates of the server's configuration"
        case ("streams-exceeded", _), ("devices-exceeded", _):
            "give more --accounts or fewer --devices-per-account, or change streams and devices of the policy"
        case ("unknown-asset", _): "give --assets that the server has keys for (keyway-server keys add)"
        case ("overloaded", _): "give a lower --rate; the server has reached its capacity"
        case (let problem?, _) where problem.hasPrefix("token-"):
            "give the tokens that the server requires: --token-algorithm, --token-issuer, --token-audience"
        case ("unknown-certificate", _): "give the --credentials of the server's bundle"
        default: "see the audit log of the server for details (keyway-server audit list)"
        }
    }
}
