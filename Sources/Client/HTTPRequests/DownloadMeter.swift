import Locking

/// The progress of a response body, shared with the task that calls the progress callback.
final class DownloadMeter: Sendable {
    private let state = Lock(BoundedHTTP.Progress())

    var progress: BoundedHTTP.Progress { state.withLock { $0 } }

    /// Sets the expected size, after the head of the response.
    func start(expecting bytes: UInt64?) { state.withLock { $0.expected = bytes } }

    /// Sets the number of bytes received.
    func update(received count: Int) { state.withLock { $0.received = UInt64(clamping: count) } }
}
