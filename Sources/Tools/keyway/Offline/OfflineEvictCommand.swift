import ArgumentParser
import ContentKeySession
import Foundation
import OfflineAssets
import TextCoding
import ToolSupport

/// `keyway offline evict`.
struct OfflineEvictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Delete downloads until a number of bytes is free.",
        discussion: """
            Downloads are deleted in this order: first those whose time set by keyway offline keep --until has passed; \
            then those whose keys have been revoked or whose playback period has ended; those that cannot be watched \
            until their keys are renewed; incomplete ones; ones already played; all others; and last those with the \
            priority important (keyway offline keep). Important downloads in one of the first three groups are deleted \
            with that group. Downloads that are being played or downloaded are never deleted.

            If --server is given, keys that may still be used are returned to it; otherwise they are returned at the \
            next contact with their server, such as keyway offline return.
            """
    )

    @Argument(help: .init("The folder of downloads.", valueName: "folder"))
    var library = FolderPath(argument: ".")

    @Option(
        help: .init(
            "The space to free, in addition to the space that is already free, such as 5000000000, 500MB, "
                + "or 2GiB.",
            valueName: "size"
        )
    )
    var free: SizeArgument

    @Flag(name: .customLong("dry-run"), help: "Only print what would be deleted.")
    var dryRun = false

    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    func run() async throws {
        do {
            try await evict()
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    private func evict() async throws {
        let root = URL(fileURLWithPath: library.path).standardizedFileURL.path
        let storage = try OfflineStorage(library: root, keys.storage, mustBeWritable: !dryRun)
        let eviction = LibraryEviction(storage: storage, keys: keys)
        let result =
            dryRun
            ? try await eviction.plan(toFree: free.bytes) : try await eviction.carryOut(toFree: free.bytes)
        try ReportOptions.print(Self.report(result, dryRun: dryRun), json: output.json)
    }

    private static func report(_ eviction: LibraryEviction.Result, dryRun: Bool) -> Report {
        let plan = eviction.plan
        let count = plan.evictions.count
        let verb = dryRun ? "would be deleted" : count == 1 ? "was deleted" : "were deleted"
        var report = Report(
            kind: "eviction",
            headline: "\(counted(count, "download")) \(verb), \(counted(plan.freed, "byte"))"
        )
        report.tables = [
            FieldTable(
                title: "Evicted",
                fields: [Field("bytes", .number(plan.freed)), Field("enough", .flag(plan.isEnough))],
                blocks: plan.evictions.map { eviction in
                    FieldTable(
                        title: escaped(eviction.title),
                        remark: "\(counted(eviction.size, "byte")): \(eviction.reason.explanation)",
                        heading: [
                            Field("title", .text(eviction.title)), Field("size", .number(eviction.size)),
                            Field("reason", .text(eviction.reason.rawValue)),
                        ]
                    )
                }
            )
        ]
        report.notes = eviction.notes
        if !plan.isEnough {
            report.problem = .init(
                stage: "eviction",
                code: "not-enough",
                reason: "only \(plan.freed) of \(counted(plan.needed, "byte")) can be freed",
                next: "downloads in use are kept; stop them, or free space elsewhere"
            )
        }
        return report
    }
}
