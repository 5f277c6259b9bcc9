import Locking

/// How far a download is, for who looks at it from beside.
final class DownloadMeter: Sendable {
    private let state = Lock(MediaProgress(received: 0, expected: nil))

    var progress: MediaProgress { state.withLock { $0 } }

    /// The head has come.
    func begin(expecting bytes: UInt64?) { state.withLock { $0.expected = bytes } }

    /// So many bytes have come.
    func note(received count: Int) { state.withLock { $0.received = UInt64(clamping: count) } }
}
