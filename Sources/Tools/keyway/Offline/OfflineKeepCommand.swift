import ArgumentParser
import Foundation
import OfflineAssets
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
            "The priority. keyway offline evict deletes important downloads "
                + "last; keyway download --evict never deletes them.",
            valueName: "priority"
        )
    )
    var priority = PriorityArgument.default

    @Option(
        help: .init(
            "After this time, the download is among the first to be deleted by keyway offline evict. "
                + "(default: none)",
            valueName: "time"
        )
    )
    var until: TimeArgument?

    func run() throws {
        do {
            let location = try title.location()
            let bundle = try location.open()
            let storage = try OfflineStorage(library: location.library, storage)
            let policy = StoragePolicy(priority: priority.value, expirationDate: until?.seconds)
            try storage.store.change(bundle.description.title) { $0.policy = policy }
        } catch {
            throw CommandFailure.offline(error)
        }
    }
}

/// The priority of a download on the command line.
enum PriorityArgument: String, ExpressibleByArgument, CaseIterable {
    case `default`
    case important

    /// The corresponding priority of the storage policy.
    var value: StoragePolicy.Priority {
        switch self {
        case .default: .default
        case .important: .important
        }
    }
}
