import FileAccess
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The thread that reads the served folder into the channels.
///
/// A thread of its own, because reading files and waiting for inotify block, and a slow disk must not delay requests.
package final class FolderThread: Service {
    private struct State {
        var isFirstScanDone = false
        var isStopped = false
        var exists = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let access: FolderAccess
    private let channels: LiveChannels
    private let pollInterval: Duration
    private let clock: @Sendable () -> Duration
    private let logger: Logger
    private let state = Mutex(State())

    /// The interval at which the whole folder is read, in case a change was not reported.
    private static let scanInterval = Duration.seconds(10)
    /// The interval at which the thread checks whether it has to stop.
    private static let stopInterval = Duration.milliseconds(100)

    init(
        access: FolderAccess,
        channels: LiveChannels,
        pollInterval: Duration,
        clock: @escaping @Sendable () -> Duration,
        logger: Logger
    ) {
        self.access = access
        self.channels = channels
        self.pollInterval = pollInterval
        self.clock = clock
        self.logger = logger
    }

    /// Whether the folder existed when it was read last.
    var exists: Bool { state.withLock { $0.exists } }

    /// Starts the thread, and returns when the folder was read once.
    func start() async {
        Thread.detachNewThread { self.work() }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.isFirstScanDone { state.waiting.append(continuation) }
                return state.isFirstScanDone
            }
            if isDone { continuation.resume() }
        }
    }

    /// Stops the thread with the server.
    package func run() async throws {
        try? await gracefulShutdown()
        stop()
    }

    /// Stops the thread.
    func stop() { state.withLock { $0.isStopped = true } }

    private func work() {
        let watcher = makeWatcher()
        let folder = ChannelFolder(access: access, channels: channels, watcher: watcher, logger: logger)
        var nextScan = clock()
        while !state.withLock({ $0.isStopped }) {
            let now = clock()
            if now >= nextScan {
                folder.scan(now: now)
                nextScan = now + Self.scanInterval
                finishScan()
            }
            folder.apply(watcher.changes(limit: Self.stopInterval), now: clock())
        }
    }

    private func finishScan() {
        let exists = access.exists
        let waiting = state.withLock { state in
            state.exists = exists
            state.isFirstScanDone = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func makeWatcher() -> any FolderWatching {
        #if os(Linux)
        do {
            return try InotifyWatcher(root: access.root)
        } catch {
            logger.warning("changes are found by reading the folder regularly: \(error)")
        }
        #endif
        return PollingWatcher(interval: pollInterval)
    }
}
