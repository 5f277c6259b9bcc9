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
            that key is returned, and the files are kept, but media under that key can no longer be played.

            Without --server, or if the server cannot be reached, the files are deleted, and the keys are returned at the \
            next contact with their server: by keyway offline return, or by any other command that sends requests about \
            keys to it. With --without-server, the keys are deleted too, and the server is never notified. Keys without \
            dual expiry cannot be returned; they are only deleted.
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
            let (answers, deferred) = try await returnKeys(name, storage)
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
            if deferred > 0 {
                report.notes = [
                    "\(counted(deferred, "key")) will be returned at the next contact with the key server: "
                        + "keyway offline return"
                ]
            }
            try ReportOptions.print(report, json: output.json)
            withExtendedLifetime(claim) {}
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    /// Returns the keys to the server. Returns its responses, and the number of keys that are to be returned later.
    private func returnKeys(
        _ name: String,
        _ storage: OfflineStorage
    ) async throws -> (answers: [SyncResponse], deferred: Int) {
        var answers: [SyncResponse] = []
        if !identifiers.isEmpty {
            let keys = try keys.keys(storage, requiresServer: true)
            for identifier in identifiers { answers.append(try await keys.invalidate(identifier, title: name)) }
            return (answers, 0)
        }
        // Only FairPlay keys can be returned; clear keys cannot.
        let storedKeys = try storage.store.title(name).map { Array($0.keys.values) } ?? []
        guard !withoutServer, storedKeys.contains(where: { $0.kind == .fairPlay && $0.bytes != nil }) else {
            return ([], 0)
        }
        let offline = try keys.keys(storage)
        if keys.server != nil {
            do {
                answers = try await offline.invalidate(title: name)
            } catch let error as OfflineKeyError where error.code == "no-connection" {
                // The keys are returned later.
            }
        }
        return (answers, try await offline.deferReturn(of: name))
    }
}
