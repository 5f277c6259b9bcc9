import ArgumentParser
import Foundation
import OfflineAssets
import TextCoding

/// `keyway offline keep`.
struct OfflineKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Set how a download is treated when space runs short."
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var storage: OfflineStorageOptions

    @Option(help: .init("The priority: default, or important, which is deleted last.", valueName: "priority"))
    var priority = StoragePolicy.Priority.default.rawValue

    @Option(
        help: .init("The time after which it may be deleted first, such as 2026-12-31T20:00:00Z.", valueName: "time")
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
