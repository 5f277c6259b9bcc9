import Locking

/// How much of a body has come, read by the task that asks whether it goes on.
final class DownloadMeter: Sendable {
    private let state = Lock(BoundedHTTP.Progress())

    var progress: BoundedHTTP.Progress { state.withLock { $0 } }

    /// The head has come.
    func begin(expecting bytes: UInt64?) { state.withLock { $0.expected = bytes } }

    /// This many bytes have come.
    func note(received count: Int) { state.withLock { $0.received = UInt64(clamping: count) } }
}
