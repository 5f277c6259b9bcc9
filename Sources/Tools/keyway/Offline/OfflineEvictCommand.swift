import ArgumentParser
import Foundation
import OfflineAssets

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
        let eviction = LibraryEviction(home: try OfflineHome(library: root, keys.home), keys: keys)
        let result = dryRun ? try eviction.plan(toFree: free) : try await eviction.carryOut(toFree: free)
        try ReportOptions.print(Self.report(result, dryRun: dryRun), json: output.json)
    }

    private static func report(_ eviction: LibraryEviction.Result, dryRun: Bool) -> Report {
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
}
