import HLSPlaylist
import Locking

/// Watches the download of one segment, and ends it where ``QualityController/judge(_:buffer:now:)`` says so.
final class DownloadWatch: Sendable {
    /// What was decided, and what the decision rests on.
    struct Abandonment: Sendable {
        let decision: QualityDecision
        /// The controller after its decision.
        let controller: QualityController
        /// The bytes that had come, and the time that they took.
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
    ///   - controller: As it is now; it gets its decision back in ``abandonment``.
    ///   - buffer: As it is now, without the segment; it is played on while the segment is loaded.
    ///   - segmentDuration: EXTINF, in seconds.
    init(_ controller: QualityController, buffer: BufferModel, segmentDuration: Double) {
        self.segmentDuration = segmentDuration
        state = Lock(State(controller: controller, buffer: buffer))
    }

    /// What was decided; nil where the download was let go on.
    var abandonment: Abandonment? { state.withLock { $0.abandonment } }

    /// Whether a download goes on that is so far after some time.
    func goesOn(_ progress: MediaProgress, elapsed: Duration, now: Duration) -> Bool {
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
