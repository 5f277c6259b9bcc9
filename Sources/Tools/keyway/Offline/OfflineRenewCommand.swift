import ArgumentParser
import ContentKeySession
import OfflineAssets
import ToolSupport

/// `keyway offline renew`.
struct OfflineRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Request new keys from the key server to replace the stored keys.",
        discussion: """
            --server and one of --credentials, --ask, and --dask are required.

            The server decides whether to issue new keys. Under a policy with "renewAfterExpiry": false, it refuses an \
            expired key with the reason renewal-after-expiry. If the server refuses, the stored keys are kept.
            """
    )

    @OptionGroup var options: OfflineServerOptions

    func run() async throws {
        try await options.printReport { keys, title in Self.report(try await keys.renew(title), of: title) }
    }

    /// Returns a report of the result for each key; the first refusal determines the exit code.
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
