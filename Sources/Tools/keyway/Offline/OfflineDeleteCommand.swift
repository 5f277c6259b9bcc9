import ArgumentParser
import OfflineAssets

/// `keyway offline delete`.
struct OfflineDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Give the keys of a download back to the server, and remove its files.",
        discussion: """
            The server gives a challenge, the device makes the keys unusable for ever and proves it with that, and the \
            server ends its records. Then the files go. --key gives back nothing but that key, and the files stay: what \
            needs it is played no more. --without-server removes files and keys, and the server does not learn of it.
            """
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions

    @Option(name: .customLong("key"), help: "The identifier of a key, as \"report\" names it; repeatable.")
    var identifiers: [String] = []

    @Flag(name: .customLong("without-server"), help: "Give nothing back.")
    var withoutServer = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        if withoutServer, !identifiers.isEmpty {
            throw ValidationError("--key gives a key back to the server: leave out --without-server")
        }
    }

    func run() async throws {
        do {
            let place = try title.place()
            let name = try place.open().description.title
            let home = try OfflineHome(library: place.library, keys.home)
            guard let claim = try home.store.claim(name, folder: place.bundle) else {
                throw CommandFailure.input("\(name) is being played or downloaded", next: "end that first")
            }
            let answers = try await giveBack(name, home)
            if identifiers.isEmpty { try claim.remove() }
            let count = identifiers.count
            var report = Report(
                kind: "deletion",
                headline: count == 0
                    ? "\(escaped(name)) is gone"
                    : "\(count) \(count == 1 ? "key" : "keys") of \(escaped(name)) went back; the files are still here"
            )
            report.tables = [
                FieldTable(
                    title: "Given back",
                    fields: [Field("proofs", .number(answers.count))],
                    blocks: answers.enumerated().map { OfflineReportCommand.table("\($0.offset + 1)", $0.element) }
                )
            ]
            try ReportOptions.print(report, json: output.json)
            withExtendedLifetime(claim) {}
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    private func giveBack(_ name: String, _ home: OfflineHome) async throws -> [SyncAnswer] {
        var answers: [SyncAnswer] = []
        if !identifiers.isEmpty {
            let keys = try keys.keys(home, requiresServer: true)
            for identifier in identifiers { answers.append(try await keys.invalidate(identifier, title: name)) }
            return answers
        }
        // A clear key is nothing that could be given back.
        let keptKeys = try home.store.title(name).map { Array($0.keys.values) } ?? []
        if !withoutServer, keptKeys.contains(where: { $0.kind == .fairPlay && $0.bytes != nil }) {
            answers = try await keys.keys(home, requiresServer: true).invalidate(title: name)
        }
        return answers
    }
}
