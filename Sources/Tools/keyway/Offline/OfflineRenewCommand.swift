import ArgumentParser
import OfflineAssets

/// `keyway offline renew`.
struct OfflineRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Ask the key server for new keys in the place of those that are kept.",
        discussion: """
            The server decides. Under a policy with "renewAfterExpiry": false it gives none for a key that has run out, \
            and says renewal-after-expiry. What is kept stays where the server gives nothing.
            """
    )

    @OptionGroup var options: OfflineServerOptions

    func run() async throws {
        try await options.printReport { keys, title in Self.report(try await keys.renew(title), of: title) }
    }

    /// What became of each key; the first refusal decides how the command ends.
    static func report(_ renewals: [String: OfflineKeys.Renewal], of title: String) -> Report {
        var report = Report(kind: "renewal", headline: "Keys of \(escaped(title))")
        var blocks: [FieldTable] = []
        for (identifier, renewal) in renewals.sorted(by: { $0.key < $1.key }) {
            var fields = [Field("key", .text(identifier))]
            switch renewal {
            case .renewed: fields.append(Field("outcome", .text("renewed")))
            case .refused(let error):
                fields += [Field("outcome", .text("refused")), Field("reason", .text(error.code))]
                if report.problem == nil {
                    report.problem = .init(stage: "renewal", code: error.code, reason: "\(error)")
                }
            }
            blocks.append(FieldTable(title: escaped(identifier), fields: fields))
        }
        report.tables = [FieldTable(title: "Keys", fields: [], blocks: blocks)]
        return report
    }
}
