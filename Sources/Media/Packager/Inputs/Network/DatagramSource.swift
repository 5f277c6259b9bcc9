import ByteCoding

/// Reads the bytes that a receiver has collected, until nothing arrives for some time.
final class DatagramSource: ByteSource {
    /// The time without data after which the input ends.
    static let defaultIdleTime = Duration.seconds(3)

    private let receiver: DatagramReceiver
    private let idleTime: Duration
    private(set) var position = 0
    private var peeked: [UInt8] = []
    private var hasStarted = false
    /// True if nothing has arrived for some time, or a stop was requested.
    private(set) var hasEnded = false

    /// Creates a source that waits for the first data without a limit.
    ///
    /// - Parameter idleTime: The time without data after which the input ends.
    init(_ receiver: DatagramReceiver, idleTime: Duration = defaultIdleTime) {
        self.receiver = receiver
        self.idleTime = idleTime
    }

    var name: String { receiver.address.name }
    var byteCount: Int? { nil }

    func peek(_ count: Int) throws -> [UInt8] {
        while peeked.count < count, let bytes = try read() { peeked += bytes }
        return Array(peeked.prefix(count))
    }

    func next(_ body: (RawSpan) throws -> Void) throws -> Bool {
        var bytes = peeked
        peeked = []
        if bytes.isEmpty {
            guard let new = try read() else { return false }
            bytes = new
        }
        position += bytes.count
        try body(bytes.span.bytes)
        return true
    }

    /// - Throws: ``InputFailure`` if only invalid datagrams arrive.
    private func read() throws(InputFailure) -> [UInt8]? {
        guard !hasEnded else { return nil }
        switch receiver.read(idleTime: hasStarted ? idleTime : nil) {
        case .bytes(let bytes):
            hasStarted = true
            return bytes
        case .invalid:
            throw InputFailure(
                name,
                "the datagrams are not RTP with a transport stream (payload type 33): send them as RTP, or use udp:// for "
                    + "transport stream packets without RTP"
            )
        case .idle, .stopped:
            hasEnded = true
            return nil
        }
    }
}
