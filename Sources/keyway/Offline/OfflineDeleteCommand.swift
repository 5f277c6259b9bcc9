import ArgumentParser
import Foundation
import OfflineAssets

/// `keyway offline delete`.
struct OfflineDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Give the keys of a download back to the server, and remove its files.",
        discussion: """
            The server gives a challenge, the device makes the keys unusable for ever and proves it with that, and the \
            server ends its records. Then the files go. --without-server removes files and keys, and the server does \
            not learn of it.
            """
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions

    @Flag(name: .customLong("without-server"), help: "Give nothing back.")
    var withoutServer = false

    @OptionGroup var output: JSONOption

    func run() async throws {
        do {
            let place = try title.place()
            let bundle = try place.open()
            let home = try OfflineHome(library: place.library, keys.home)
            let name = bundle.description.title
            guard try !home.store.isInUse(name) else {
                throw CommandFailure.input("\(name) is being played or downloaded", next: "end that first")
            }
            var answers: [SyncAnswer] = []
            if !withoutServer, try home.store.title(name)?.keys.isEmpty == false {
                answers = try await keys.keys(home, requiresServer: true).invalidate(title: name)
            }
            try Self.remove(bundle, home)
            var report = Report(kind: "deletion", headline: "\(escaped(name)) is gone")
            report.tables = [
                FieldTable(
                    title: "Given back",
                    fields: [Field("proofs", .number(answers.count))],
                    blocks: answers.enumerated().map { OfflineReportCommand.table("\($0.offset + 1)", $0.element) }
                )
            ]
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    /// The files go first: keys without a film are forgotten at the next try, a film without keys is a riddle.
    static func remove(_ bundle: AssetBundle, _ home: OfflineHome) throws {
        do {
            try FileManager.default.removeItem(atPath: bundle.folder)
        } catch {
            throw CommandFailure.file("\(bundle.folder) cannot be removed: \(lastSystemError())")
        }
        try home.store.remove(bundle.description.title)
    }
}
