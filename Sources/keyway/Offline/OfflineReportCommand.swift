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

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    func run() async throws {
        do {
            let place = try title.place()
            let bundle = try place.open()
            let home = try OfflineHome(library: place.library, keys.home)
            let answers = try await keys.keys(home, requiresServer: true).report(bundle.description.title)
            var report = Report(kind: "sync", headline: "The server has read of \(escaped(bundle.description.title)):")
            report.tables = [
                FieldTable(
                    title: "Keys",
                    fields: [],
                    blocks: answers.sorted { $0.key < $1.key }.map { Self.table($0.key, $0.value) }
                )
            ]
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
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
