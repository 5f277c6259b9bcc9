import ArgumentParser
import Foundation
import OfflineAssets
import TextCoding
import ToolSupport

/// `keyway offline keep`.
struct OfflineKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Set how a download is treated when space runs short.",
        discussion: """
            Each run sets both values: an option that is not given is reset to its default. Without options, the \
            download has the default priority and no time.
            """
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var storage: OfflineStorageOptions

    @Option(
        help: .init(
            "The priority: default or important. keyway offline evict deletes important downloads "
                + "last; keyway download --make-room never deletes them.",
            valueName: "priority"
        )
    )
    var priority = StoragePolicy.Priority.default.rawValue

    @Option(
        help: .init(
            "After this time, the download is among the first to be deleted by keyway offline evict. "
                + "ISO 8601 with a time zone, such as 2026-12-31T20:00:00Z. (default: none)",
            valueName: "time"
        )
    )
    var until: String?

    func validate() throws {
        guard StoragePolicy.Priority(rawValue: priority) != nil else {
            throw ValidationError("--priority: expected default or important.")
        }
        guard until == nil || date != nil else {
            throw ValidationError("--until: expected an ISO 8601 time such as 2026-12-31T20:00:00Z.")
        }
    }

    private var date: Int64? {
        until.flatMap { Timestamp($0) }.flatMap { $0.utcOffset == nil ? nil : $0.seconds }
    }

    func run() throws {
        do {
            let location = try title.location()
            let bundle = try location.open()
            let storage = try OfflineStorage(library: location.library, storage)
            let policy = StoragePolicy(priority: .init(rawValue: priority) ?? .default, expirationDate: date)
            try storage.store.change(bundle.description.title) { $0.policy = policy }
        } catch {
            throw CommandFailure.offline(error)
        }
    }
}
