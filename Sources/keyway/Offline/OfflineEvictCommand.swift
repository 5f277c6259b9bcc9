import ArgumentParser
import Foundation
import OfflineAssets
import VirtualDevice

/// `keyway offline evict`.
struct OfflineEvictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Make room: remove downloads until so many bytes are freed.",
        discussion: """
            What goes first: what is past its date, what can be watched no more, what needs a renewal, what is not \
            finished, what was played before, the rest, and at last what is important (keyway offline keep). What is \
            being played or downloaded never goes. Keys that may still be used are given back where --server is given.
            """
    )

    @Argument(help: .init("The folder of downloads.", valueName: "dir"))
    var library = "."

    @Option(help: .init("How many bytes to free.", valueName: "bytes"))
    var free: UInt64

    @Flag(name: .customLong("dry-run"), help: "Only say what would go.")
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
        let root = URL(fileURLWithPath: library).standardizedFileURL.path
        let home = try OfflineHome(library: root, keys.home)
        let now = SystemDeviceClock().now
        let (listings, damaged) = try OfflineListing.all(home, at: now)
        let plan = EvictionPlan(toFree: free, of: listings.map { $0.candidate(at: now) }, at: now)
        var notes = damaged
        if !dryRun {
            for eviction in plan.evictions {
                guard let listing = listings.first(where: { $0.summary.title == eviction.title }) else { continue }
                notes += try await remove(listing, home, at: now)
            }
        }
        var report = Report(
            kind: "eviction",
            headline: "\(plan.evictions.count) downloads \(dryRun ? "would go" : "are gone"), \(plan.freed) bytes"
        )
        report.tables = [
            FieldTable(
                title: "Evicted",
                fields: [Field("bytes", .number(plan.freed)), Field("enough", .flag(plan.isEnough))],
                blocks: plan.evictions.map { eviction in
                    FieldTable(
                        title: escaped(eviction.title),
                        remark: "\(eviction.size) bytes: \(eviction.reason.words)",
                        heading: [
                            Field("title", .text(eviction.title)), Field("size", .number(eviction.size)),
                            Field("reason", .text(eviction.reason.rawValue)),
                        ]
                    )
                }
            )
        ]
        report.notes = notes
        if !plan.isEnough {
            report.problem = .init(
                stage: "eviction",
                code: "not-enough",
                reason: "\(plan.freed) bytes can be freed, \(plan.needed) are needed",
                next: "what is in use stays; end it, or make room elsewhere"
            )
        }
        try ReportOptions.print(report, json: output.json)
    }

    /// Keys that the server cannot be told of do not keep a download from going.
    private func remove(_ listing: OfflineListing, _ home: OfflineHome, at now: Int64) async throws -> [String] {
        var notes: [String] = []
        if keys.server != nil, listing.entry?.state(at: now).isWatchable == true {
            do {
                try await keys.keys(home).invalidate(title: listing.summary.title)
            } catch let error as OfflineKeyError {
                notes.append("\(error)")
            }
        }
        try OfflineDeleteCommand.remove(try AssetBundle.open(listing.folder), home)
        return notes
    }
}
