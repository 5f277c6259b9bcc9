import Locking

/// The progress of a download, updated concurrently by several transfers.
final class DownloadProgressTracker: Sendable {
    private struct State {
        var timeline: BundleTimeline
        /// The number of bytes on the disk, by file.
        var there: [Int: UInt64] = [:]
        var bytes: UInt64 = 0
        var received: UInt64 = 0
        var complete = 0
        var lastShown: Duration?
        /// The loaded time ranges, computed only after a file was added, because there may be many spans.
        var loaded: LoadedTimeRanges?
    }

    private let state: Lock<State>
    private let files: Int
    private let now: @Sendable () -> Duration
    private let show: @Sendable (AssetDownloadProgress) -> Void
    /// The minimum time between two progress reports.
    private static let interval = Duration.milliseconds(100)

    init(
        _ timeline: BundleTimeline,
        files: Int,
        now: @escaping @Sendable () -> Duration,
        show: @escaping @Sendable (AssetDownloadProgress) -> Void
    ) {
        state = Lock(State(timeline: timeline))
        (self.files, self.now, self.show) = (files, now, show)
    }

    /// Adds bytes received from the network, and sets the number of bytes of a file on the disk.
    func received(_ count: Int, of file: Int, there: UInt64) {
        let moment = now()
        let progress = state.withLock { state -> AssetDownloadProgress? in
            state.received += UInt64(count)
            Self.set(there, of: file, &state)
            guard state.lastShown.map({ moment - $0 >= Self.interval }) ?? true else { return nil }
            return Self.progress(&state, files, moment)
        }
        if let progress { show(progress) }
    }

    /// Marks a file as complete.
    func completed(_ file: Int, length: UInt64, isShown: Bool = true) {
        let moment = now()
        let progress = state.withLock { state -> AssetDownloadProgress? in
            Self.set(length, of: file, &state)
            state.complete += 1
            state.timeline.add(file)
            state.loaded = nil
            let isDue = state.lastShown.map { moment - $0 >= Self.interval } ?? true
            // The last file is always reported.
            guard isShown, isDue || state.complete == files else { return nil }
            return Self.progress(&state, files, moment)
        }
        if let progress { show(progress) }
    }

    private static func set(_ there: UInt64, of file: Int, _ state: inout State) {
        let before = state.there.updateValue(there, forKey: file) ?? 0
        state.bytes = state.bytes - min(before, state.bytes) + there
    }

    private static func progress(_ state: inout State, _ files: Int, _ moment: Duration) -> AssetDownloadProgress {
        state.lastShown = moment
        let loaded = state.loaded ?? state.timeline.loaded
        state.loaded = loaded
        return AssetDownloadProgress(
            loaded: loaded,
            expected: state.timeline.duration,
            bytes: state.bytes,
            received: state.received,
            files: state.complete,
            allFiles: files
        )
    }
}
