import ArgumentParser
import ContentKeySession
import Foundation
import OfflineAssets
import TextCoding
import ToolSupport
import VirtualDevice

/// `keyway offline list`.
struct OfflineListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List downloads, how long each may be watched, and what to do next.",
        discussion: """
            The state of the keys is what the device decides now: its clock does not go back. Files that are missing, \
            that have another length, or that were changed after the download, are counted; keyway offline verify reads \
            all files completely.
            """
    )

    @Argument(help: .init("The folder of downloads.", valueName: "folder"))
    var library = FolderPath(argument: ".")

    @OptionGroup var storage: OfflineStorageOptions
    @OptionGroup var output: JSONOption

    func run() async throws {
        let root = URL(fileURLWithPath: library.path).standardizedFileURL.path
        let now = SystemDeviceClock().now
        do {
            let storage = try OfflineStorage(library: root, storage, mustBeWritable: false)
            let (listings, damaged) = try await OfflineListing.all(storage, at: now, comparesFiles: true)
            var report = Report(kind: "downloads", headline: Self.headline(listings, in: library.path))
            report.tables = [
                FieldTable(
                    title: "Downloads",
                    fields: [
                        Field("titles", .number(listings.count)),
                        Field("bytes", .number(listings.reduce(0) { $0 &+ $1.size })),
                    ],
                    blocks: listings.map { Self.table($0, at: now) }
                )
            ]
            report.notes = damaged
            let pending = storage.store.pendingReturnCount
            if pending > 0 {
                report.notes.append(
                    "the keys of \(counted(pending, "deleted download")) have not been returned to the server: "
                        + "keyway offline return"
                )
            }
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    private static func headline(_ listings: [OfflineListing], in library: String) -> String {
        let watchable = listings.count { $0.summary.keys.isEmpty || $0.entry != nil }
        return "\(counted(listings.count, "download")) in \(escaped(library)), \(watchable) with their keys"
    }

    private static func table(_ listing: OfflineListing, at now: Int64) -> FieldTable {
        let summary = listing.summary
        let state = listing.keyState(at: now)
        var fields: [Field] = [
            Field("title", .text(summary.title)),
            Field("folder", .text(listing.folder)),
            Field("download", .text(summary.state.rawValue)),
            Field("size", .number(listing.size, unit: "bytes")),
            Field("duration", .decimal(summary.duration, unit: "s")),
            Field("keys", .text(state?.rawValue ?? "none needed")),
            Field("files", .text(files(listing))),
            Field("playable", .text(remainingTimeText(listing, at: now))),
            Field("next step", .text(nextStep(listing, at: now))),
        ]
        if let entry = listing.entry {
            if let remaining = entry.remaining(at: now) { fields.append(Field("seconds left", .number(remaining))) }
            if let behind = entry.clockIsBehind(at: now) {
                fields.append(Field("clock set back", .number(behind, unit: "s")))
            }
            fields.append(Field("renewals", .number(entry.renewals)))
        }
        if let policy = listing.kept?.policy {
            fields.append(Field("priority", .text(policy.priority.rawValue)))
            if let date = policy.expirationDate { fields.append(Field("keep until", .time(date))) }
        }
        if listing.isInUse { fields.append(Field("in use", .flag(true))) }
        return FieldTable(title: escaped(summary.title), fields: fields)
    }

    private static func files(_ listing: OfflineListing) -> String {
        guard listing.summary.state != .downloading else { return "not complete" }
        return listing.damagedFileCount == 0
            ? "as downloaded" : "\(listing.damagedFileCount) missing or changed"
    }

    private static func remainingTimeText(_ listing: OfflineListing, at now: Int64) -> String {
        guard !listing.summary.keys.isEmpty else { return "without limit" }
        return listing.entry?.remainingTimeText(at: now) ?? "not now: no key is stored"
    }

    private static func nextStep(_ listing: OfflineListing, at now: Int64) -> String {
        guard listing.summary.state == .complete else { return "finish the download: run keyway download again" }
        guard listing.damagedFileCount == 0 else { return "repair the files: run keyway download again" }
        guard !listing.summary.keys.isEmpty else { return "watch" }
        return listing.entry?.advice(at: now) ?? "request its keys: run keyway download again"
    }
}
