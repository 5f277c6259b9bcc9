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
        var eviction = Eviction(plan: EvictionPlan(toFree: free, of: listings.map { $0.candidate(at: now) }, at: now))
        eviction.notes = damaged
        if !dryRun { try await carryOut(&eviction, listings, home, at: now) }
        try ReportOptions.print(Self.report(eviction, dryRun: dryRun), json: output.json)
    }

    /// What goes, or is gone.
    private struct Eviction {
        var plan: EvictionPlan
        var notes: [String] = []
    }

    /// Takes one title after the other. One that somebody has begun to use since it was looked at stays, and another goes.
    private func carryOut(
        _ eviction: inout Eviction,
        _ listings: [OfflineListing],
        _ home: OfflineHome,
        at now: Int64
    ) async throws {
        var candidates = listings.map { $0.candidate(at: now) }
        var gone: [EvictionPlan.Eviction] = []
        while true {
            let freed = gone.reduce(UInt64(0)) { $0 &+ $1.size }
            let rest = EvictionPlan(toFree: free - min(free, freed), of: candidates, at: now)
            guard let next = rest.evictions.first,
                let index = candidates.firstIndex(where: { $0.title == next.title }),
                let listing = listings.first(where: { $0.summary.title == next.title })
            else { break }
            guard let claim = try home.store.claim(next.title, folder: listing.folder) else {
                candidates[index].isInUse = true
                continue
            }
            eviction.notes += try await remove(listing, claim, home, at: now)
            gone.append(next)
            candidates.remove(at: index)
        }
        eviction.plan = EvictionPlan(gone, of: free)
    }

    private static func report(_ eviction: Eviction, dryRun: Bool) -> Report {
        let plan = eviction.plan
        let count = plan.evictions.count
        let verb = dryRun ? "would go" : count == 1 ? "is gone" : "are gone"
        var report = Report(
            kind: "eviction",
            headline: "\(count) download\(count == 1 ? "" : "s") \(verb), \(plan.freed) bytes"
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
        report.notes = eviction.notes
        if !plan.isEnough {
            report.problem = .init(
                stage: "eviction",
                code: "not-enough",
                reason: "\(plan.freed) bytes can be freed, \(plan.needed) are needed",
                next: "what is in use stays; end it, or make room elsewhere"
            )
        }
        return report
    }

    /// Keys that the server cannot be told of do not keep a download from going.
    private func remove(
        _ listing: OfflineListing,
        _ claim: RemovalClaim,
        _ home: OfflineHome,
        at now: Int64
    ) async throws -> [String] {
        var notes: [String] = []
        if keys.server != nil, listing.entry?.state(at: now).isWatchable == true {
            do {
                try await keys.keys(home).invalidate(title: listing.summary.title)
            } catch let error as OfflineKeyError {
                notes.append("\(error)")
            }
        }
        try claim.remove()
        return notes
    }
}
