import FileWriting
import Foundation
import MediaFormats

/// Receives datagrams of a transport stream on a separate thread, so that no datagram is lost while the packager writes
/// files. The bytes wait in a queue of limited size.
final class DatagramReceiver: Sendable {
    /// The result of waiting for bytes.
    enum Result {
        /// The next bytes, at least one.
        case bytes([UInt8])
        /// Nothing has arrived for the time limit.
        case idle
        /// Only datagrams that are not of the RTP stream have arrived.
        case invalid
        /// A stop was requested.
        case stopped
    }

    /// The default maximum size of the queue in bytes: 16 MiB.
    static let defaultLimit = 16 << 20
    /// The number of invalid datagrams in a row that are reported as ``Result/invalid``.
    static let maximumInvalid = 64

    /// The type is `@unchecked Sendable`, because its properties are only accessed while the condition's lock is held.
    fileprivate final class State: @unchecked Sendable {
        let condition = NSCondition()
        var bytes: [UInt8] = []
        var losses = NetworkLosses()
        /// The time since the last valid datagram.
        var silence = Duration.zero
        /// The number of invalid datagrams since the last valid one.
        var invalidCount = 0
        var isStopped = false
        var isClosed = false
    }

    /// The address.
    let address: NetworkAddress
    private let state = State()

    /// Opens a socket, and starts to receive.
    ///
    /// - Parameter limit: The maximum size of the queue in bytes.
    /// - Throws: ``FileError``.
    init(_ address: NetworkAddress, stop: StopSignal, limit: Int = defaultLimit) throws(FileError) {
        self.address = address
        let (socket, state) = (try DatagramSocket(address), state)
        let thread = Thread {
            var loop = ReceivingLoop(
                socket: socket,
                stop: stop,
                state: state,
                isRTP: address.transport == .rtp,
                limit: limit
            )
            while loop.receive() {}
        }
        thread.name = "receiving \(address.name)"
        thread.start()
    }

    deinit {
        state.condition.withLock { state.isClosed = true }
    }

    /// The losses so far.
    var losses: NetworkLosses { state.condition.withLock { state.losses } }

    /// Waits for bytes.
    ///
    /// - Parameter idleTime: The time since the last datagram after which waiting ends; nil to wait until data arrives, or
    ///   many invalid datagrams.
    func read(idleTime: Duration?) -> Result {
        state.condition.withLock {
            while state.bytes.isEmpty {
                if state.isStopped { return .stopped }
                if let idleTime, state.silence >= idleTime { return .idle }
                if idleTime == nil, state.invalidCount >= Self.maximumInvalid {
                    state.invalidCount = 0
                    return .invalid
                }
                // The thread signals at least every 100 ms.
                state.condition.wait()
            }
            var bytes: [UInt8] = []
            swap(&bytes, &state.bytes)
            return .bytes(bytes)
        }
    }
}

/// The work of the thread that receives datagrams.
private struct ReceivingLoop {
    /// The maximum size of a datagram in bytes.
    private static let maximumDatagram = 1 << 16
    /// The maximum number of datagrams that are read before their bytes are passed on.
    private static let maximumBatch = 256
    /// The interval at which the thread checks whether the receiver is closed, in milliseconds.
    private static let interval: Int32 = 100

    let socket: DatagramSocket
    let stop: StopSignal
    let state: DatagramReceiver.State
    let isRTP: Bool
    let limit: Int
    private var buffer = [UInt8](repeating: 0, count: maximumDatagram)
    private var reordering = RTPReordering()
    private var irregularCount = 0
    private var lastArrival = ContinuousClock.now

    init(socket: DatagramSocket, stop: StopSignal, state: DatagramReceiver.State, isRTP: Bool, limit: Int) {
        (self.socket, self.stop, self.state, self.isRTP, self.limit) = (socket, stop, state, isRTP, limit)
    }

    /// Waits for datagrams, and passes on their bytes. Returns false at the end.
    mutating func receive() -> Bool {
        var timeout = Self.interval
        if let deadline = reordering.deadline {
            let left = ContinuousClock.now.duration(to: deadline) / Duration.milliseconds(1)
            timeout = Int32(min(Double(timeout), max(0, left.rounded(.up))))
        }
        var entries = [socket.descriptor, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&entries, nfds_t(entries.count), timeout)
        var payloads: [[UInt8]] = []
        var (count, isDrained) = (0, false)
        let invalidBefore = reordering.invalidCount
        for _ in 0..<Self.maximumBatch {
            guard let size = socket.receive(&buffer) else {
                isDrained = true
                // An error of the network stays for some time.
                if errno != EAGAIN, errno != EINTR { _ = poll(&entries[1], 1, Self.interval) }
                break
            }
            guard size > 0 else { continue }
            count += 1
            let datagram = Array(buffer[..<size])
            payloads += isRTP ? reordering.add(datagram, at: .now) : [datagram]
        }
        let now = ContinuousClock.now
        let newInvalid = reordering.invalidCount - invalidBefore
        if count > newInvalid { lastArrival = now }
        // While datagrams wait in the system, the missing one may be among them.
        if isDrained { payloads += reordering.expire(at: now) }
        irregularCount += payloads.count { !$0.isEmpty && !Self.isRegular($0) }
        return state.condition.withLock {
            for payload in payloads {
                if state.bytes.count + payload.count > limit {
                    state.losses.overflowing += 1
                } else {
                    state.bytes += payload
                }
            }
            (state.losses.missing, state.losses.invalid) = (reordering.lostCount, reordering.invalidCount)
            state.losses.irregular = irregularCount
            state.silence = lastArrival.duration(to: now)
            state.invalidCount = count > newInvalid ? 0 : state.invalidCount + newInvalid
            if entries[1].revents != 0 { state.isStopped = true }
            state.condition.signal()
            return !state.isStopped && !state.isClosed
        }
    }

    /// Returns whether a payload consists of whole packets.
    private static func isRegular(_ payload: [UInt8]) -> Bool {
        payload.first == TransportPacketHeader.syncByte
            && payload.count.isMultiple(of: TransportPacketHeader.packetSize)
    }
}
