import ArgumentParser
import ContentKeySession
import HLSPlaylist
import StreamValidation
import ToolSupport

/// The end of a watch on the command line: a number of reloads, or a duration.
enum WatchLimit: ExpressibleByArgument, Hashable, Sendable {
    /// The number of reloads of each playlist.
    case reloads(Int)
    case duration(DurationArgument)

    init?(argument: String) {
        switch LengthArgument(argument: argument) {
        case .segments(let count)?: self = .reloads(count)
        case .duration(let duration)?: self = .duration(duration)
        case nil: return nil
        }
    }

    /// True if something is watched at all.
    var isPositive: Bool {
        switch self {
        case .reloads(let count): count > 0
        case .duration(let duration): duration.value > .zero
        }
    }
}

/// Watches Media Playlists concurrently, each by its own schedule.
struct WatchRun: Sendable {
    /// A watched playlist, and how it is loaded.
    struct Item: Sendable {
        var watch: PlaylistWatch
        /// Loads a snapshot. It throws the reason of a failure, without a URL.
        let load: @Sendable (PlaylistLoad) async throws(PlaylistLocation.Refusal) -> LintFile
    }

    let time: ElapsedTime
    let limit: WatchLimit

    /// Watches until each playlist has ended or has reached the limit, or the task is cancelled.
    ///
    /// - Returns: The watches, in the same order.
    func run(_ items: [Item]) async -> [PlaylistWatch] {
        await withTaskGroup(of: Outcome.self) { group in
            for (index, item) in items.enumerated() {
                group.addTask { Outcome(index: index, watch: await self.run(item)) }
            }
            var watches = items.map(\.watch)
            for await outcome in group { watches[outcome.index] = outcome.watch }
            return watches
        }
    }

    /// The result of one task: Swift 6.3.1's optimizer swaps the elements of tuples returned by a task group.
    private struct Outcome: Sendable {
        let index: Int
        let watch: PlaylistWatch
    }

    private func run(_ item: Item) async -> PlaylistWatch {
        var watch = item.watch
        let last: Duration? = if case .duration(let duration) = limit { time.now + duration.value } else { nil }
        while let load = watch.next {
            if case .reloads(let count) = limit, watch.reloads >= count { break }
            let start = max(watch.nextStart, time.now)
            if let last, start > last {
                try? await time.sleep(until: last)
                break
            }
            guard (try? await time.sleep(until: start)) != nil else { break }
            let began = time.now
            do throws(PlaylistLocation.Refusal) {
                watch.loaded(try await item.load(load), load, began: began, now: time.now)
            } catch {
                // A load that the user interrupted has not failed.
                guard !Task.isCancelled else { break }
                watch.failed(error.reason, load, began: began, now: time.now)
            }
        }
        watch.end(Task.isCancelled ? .interrupted : .limit, now: time.now)
        return watch
    }
}
