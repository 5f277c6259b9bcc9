import Locking

/// What has come so far, told by several transfers at once.
final class DownloadTally: Sendable {
    private struct State {
        var timeline: BundleTimeline
        /// Bytes on the disk, by file.
        var there: [Int: UInt64] = [:]
        var bytes: UInt64 = 0
        var received: UInt64 = 0
        var complete = 0
        var lastShown: Duration?
        /// Asked for only where a file was added since: many playlists are many spans.
        var loaded: LoadedTimeRanges?
    }

    private let state: Lock<State>
    private let files: Int
    private let now: @Sendable () -> Duration
    private let show: @Sendable (AssetDownloadProgress) -> Void
    /// How often progress is shown at most.
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

    /// So many bytes came from the network, and so many of a file are there.
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

    /// A file is complete.
    func completed(_ file: Int, length: UInt64, isShown: Bool = true) {
        let moment = now()
        let progress = state.withLock { state -> AssetDownloadProgress? in
            Self.set(length, of: file, &state)
            state.complete += 1
            state.timeline.add(file)
            state.loaded = nil
            let isDue = state.lastShown.map { moment - $0 >= Self.interval } ?? true
            // The last one is what people wait for.
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
