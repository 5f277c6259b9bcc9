import Locking

/// The progress of a response body, shared with the tasks that monitor the download.
final class DownloadMeter: Sendable {
    private struct State {
        var progress = BoundedHTTP.Progress()
        var lastActivity = ContinuousClock.now
    }

    private let state = Lock(State())

    var progress: BoundedHTTP.Progress { state.withLock { $0.progress } }

    /// The time of the request, of the head of the response, or of the last part of its body, whichever is the latest.
    var lastActivity: ContinuousClock.Instant { state.withLock { $0.lastActivity } }

    /// Sets the expected size, after the head of the response.
    func start(expecting bytes: UInt64?) {
        state.withLock { state in
            state.progress.expected = bytes
            state.lastActivity = .now
        }
    }

    /// Sets the number of bytes received.
    func update(received count: Int) {
        state.withLock { state in
            state.progress.received = UInt64(clamping: count)
            state.lastActivity = .now
        }
    }
}
