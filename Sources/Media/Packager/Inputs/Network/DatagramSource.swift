import ByteCoding

/// Reads the bytes that a receiver has collected, until nothing arrives for some time.
final class DatagramSource: ByteSource {
    /// The time without data after which the input ends, in seconds.
    static let defaultIdleTime = 3.0

    private let receiver: DatagramReceiver
    private let idleTime: Double
    private(set) var position = 0
    private var peeked: [UInt8] = []
    private var hasStarted = false
    private var hasEnded = false

    /// Creates a source that waits for the first data without a limit.
    ///
    /// - Parameter idleTime: The time without data after which the input ends, in seconds.
    init(_ receiver: DatagramReceiver, idleTime: Double = defaultIdleTime) {
        self.receiver = receiver
        self.idleTime = idleTime
    }

    var name: String { receiver.address.name }
    var byteCount: Int? { nil }

    func peek(_ count: Int) -> [UInt8] {
        while peeked.count < count, let bytes = read() { peeked += bytes }
        return Array(peeked.prefix(count))
    }

    func next(_ body: (RawSpan) throws -> Void) throws -> Bool {
        var bytes = peeked
        peeked = []
        if bytes.isEmpty {
            guard let new = read() else { return false }
            bytes = new
        }
        position += bytes.count
        try body(bytes.span.bytes)
        return true
    }

    private func read() -> [UInt8]? {
        guard !hasEnded else { return nil }
        switch receiver.read(timeout: hasStarted ? idleTime : nil) {
        case .bytes(let bytes):
            hasStarted = true
            return bytes
        case .idle, .stopped:
            hasEnded = true
            return nil
        }
    }
}
