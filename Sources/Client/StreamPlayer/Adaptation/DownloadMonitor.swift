import HLSPlaylist
import Locking

/// Monitors the download of one segment, and ends it if ``QualityController/judge(_:buffer:now:)`` decides to abandon
/// it.
final class DownloadMonitor: Sendable {
    /// The decision to abandon a download, and the state on which it is based.
    struct Abandonment: Sendable {
        let decision: QualityDecision
        /// The controller after the decision.
        let controller: QualityController
        /// The number of bytes received, and the time that they took.
        let received: Int
        let elapsed: Duration
    }

    private struct State {
        var controller: QualityController
        var buffer: BufferModel
        var abandonment: Abandonment?
    }

    private let segmentDuration: Double
    private let state: Lock<State>

    /// - Parameters:
    ///   - controller: The current controller; ``abandonment`` contains its state after the decision.
    ///   - buffer: The current buffer, without the segment; its playback continues while the segment is loaded.
    ///   - segmentDuration: The segment's EXTINF duration, in seconds.
    init(_ controller: QualityController, buffer: BufferModel, segmentDuration: Double) {
        self.segmentDuration = segmentDuration
        state = Lock(State(controller: controller, buffer: buffer))
    }

    /// The decision to abandon the download; nil if it was not abandoned.
    var abandonment: Abandonment? { state.withLock { $0.abandonment } }

    /// Returns whether a download continues, given its progress after some time.
    func shouldContinue(_ progress: MediaProgress, elapsed: Duration, now: Duration) -> Bool {
        state.withLock { state in
            guard state.abandonment == nil else { return false }
            _ = state.buffer.timePassed(now: now)
            let download = DownloadProgress(
                received: progress.received,
                expected: progress.expected,
                elapsed: elapsed,
                segmentDuration: segmentDuration
            )
            guard case .abandon(let decision) = state.controller.judge(download, buffer: state.buffer.total, now: now)
            else { return true }
            state.abandonment = Abandonment(
                decision: decision,
                controller: state.controller,
                received: Int(clamping: progress.received),
                elapsed: elapsed
            )
            return false
        }
    }
}
