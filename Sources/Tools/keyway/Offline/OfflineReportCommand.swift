import ArgumentParser
import ContentKeySession
import OfflineAssets
import ToolSupport

/// `keyway offline report`.
struct OfflineReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report the remaining validity of the stored keys to the key server (Sync).",
        discussion: """
            --server and one of --credentials, --ask, and --dask are required.

            The device creates a Sync SPC for each key with dual expiry, and the server responds with the values that \
            it read. Keys without dual expiry cannot be reported.
            """
    )

    @OptionGroup var options: OfflineServerOptions

    func run() async throws {
        try await options.printReport { keys, title in
            let answers = try await keys.report(title)
            var report = Report(kind: "sync", headline: "The server received for \(escaped(title)):")
            let blocks = answers.sorted { $0.key < $1.key }.map { Self.table($0.key, $0.value) }
            report.tables = [FieldTable(title: "Keys", fields: [], blocks: blocks)]
            return report
        }
    }

    /// Returns a table of the values that the server read from one Sync SPC.
    static func table(_ name: String, _ answer: SyncResponse) -> FieldTable {
        var fields = [Field("key", .text(name)), Field("version", .number(answer.version))]
        fields.append(Field("flags", .list(answer.flags)))
        fields.append(
            answer.remaining.map { Field("seconds left", .number($0)) } ?? Field("seconds left", .text("unlimited"))
        )
        if !answer.invalidatedStreamIDs.isEmpty {
            fields.append(Field("streams invalidated", .list(answer.invalidatedStreamIDs)))
        }
        return FieldTable(title: escaped(name), fields: fields)
    }
}
