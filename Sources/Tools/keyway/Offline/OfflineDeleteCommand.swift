import ArgumentParser
import ContentKeySession
import OfflineAssets
import TextCoding
import ToolSupport

/// `keyway offline delete`.
struct OfflineDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Return the keys of a download to the server, and delete its files.",
        discussion: """
            The server issues a challenge, the device permanently invalidates the keys and proves it with a response \
            to the challenge, and the server closes its records. Then the files are deleted. With --identifier, only \
            that key is returned, and the files are kept, but media under that key can no longer be played. With \
            --without-server, files and keys are deleted, and the server is not notified.

            If FairPlay keys are stored for the download, --server or --without-server is required; otherwise the \
            command fails with exit code 2 and deletes nothing. Keys without dual expiry cannot be returned; they are \
            only deleted.
            """
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions

    @Option(
        name: .customLong("identifier"),
        help: .init(
            "The identifier of a key with dual expiry, usually its skd:// URI; keyway offline report prints all of "
                + "them. Repeatable.",
            valueName: "identifier"
        )
    )
    var identifiers: [String] = []

    @Flag(name: .customLong("without-server"), help: "Delete the download without returning its keys to the server.")
    var withoutServer = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        if withoutServer, !identifiers.isEmpty {
            throw ValidationError(
                "--identifier returns a key to the server: it cannot be combined with --without-server."
            )
        }
    }

    func run() async throws {
        do {
            let location = try title.location()
            let name = try location.open().description.title
            let storage = try OfflineStorage(library: location.library, keys.storage)
            guard let claim = try storage.store.claim(name, folder: location.bundle) else {
                throw CommandFailure.input("\(name) is being played or downloaded", next: "stop that first")
            }
            let answers = try await returnKeys(name, storage)
            if identifiers.isEmpty { try claim.remove() }
            let count = identifiers.count
            var report = Report(
                kind: "deletion",
                headline: count == 0
                    ? "\(escaped(name)) was deleted"
                    : "\(counted(count, "key")) of \(escaped(name)) returned; the files are kept"
            )
            report.tables = [
                FieldTable(
                    title: "Returned",
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

    private func returnKeys(_ name: String, _ storage: OfflineStorage) async throws -> [SyncResponse] {
        var answers: [SyncResponse] = []
        if !identifiers.isEmpty {
            let keys = try keys.keys(storage, requiresServer: true)
            for identifier in identifiers { answers.append(try await keys.invalidate(identifier, title: name)) }
            return answers
        }
        // Only FairPlay keys can be returned; clear keys cannot.
        let storedKeys = try storage.store.title(name).map { Array($0.keys.values) } ?? []
        if !withoutServer, storedKeys.contains(where: { $0.kind == .fairPlay && $0.bytes != nil }) {
            answers = try await keys.keys(storage, requiresServer: true).invalidate(title: name)
        }
        return answers
    }
}
