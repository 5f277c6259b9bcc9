import ArgumentParser
import OfflineAssets

/// `keyway offline report`.
struct OfflineReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Tell the key server how long the kept keys may still be used (Sync).",
        discussion: """
            The device makes a Sync SPC of each key with two expiry periods, and the server answers with what it has \
            read. Of other keys a device cannot report.
            """
    )

    @OptionGroup var options: OfflineServerOptions

    func run() async throws {
        try await options.printReport { keys, title in
            let answers = try await keys.report(title)
            var report = Report(kind: "sync", headline: "The server has read of \(escaped(title)):")
            let blocks = answers.sorted { $0.key < $1.key }.map { Self.table($0.key, $0.value) }
            report.tables = [FieldTable(title: "Keys", fields: [], blocks: blocks)]
            return report
        }
    }

    /// What the server has read of one Sync SPC.
    static func table(_ name: String, _ answer: SyncAnswer) -> FieldTable {
        var fields = [Field("key", .text(name)), Field("version", .number(answer.version))]
        fields.append(Field("flags", .list(answer.flags)))
        fields.append(
            answer.remaining.map { Field("seconds left", .number($0)) } ?? Field("seconds left", .text("no end"))
        )
        if !answer.invalidatedStreamIDs.isEmpty {
            fields.append(Field("streams invalidated", .list(answer.invalidatedStreamIDs)))
        }
        return FieldTable(title: escaped(name), fields: fields)
    }
}
