import FileWriting
import Foundation

/// Receives datagrams of a transport stream on a separate thread, so that no datagram is lost while the packager writes
/// files. The bytes wait in a queue of limited size.
///
/// The type is `@unchecked Sendable`, because its state is only accessed while the condition's lock is held.
final class DatagramReceiver: @unchecked Sendable {
    /// The result of waiting for bytes.
    enum Result {
        /// The next bytes, at least one.
        case bytes([UInt8])
        /// Nothing has arrived within the time limit.
        case idle
        /// A stop was requested.
        case stopped
    }

    /// The number of packets that were lost.
    struct Losses: Equatable {
        /// RTP packets that did not arrive.
        var missing = 0
        /// Datagrams that did not fit in the queue.
        var overflowing = 0
        /// Datagrams that are not RTP packets with a transport stream.
        var invalid = 0
    }

    /// The default maximum size of the queue in bytes: 16 MiB.
    static let defaultLimit = 16 << 20
    /// The maximum size of a datagram in bytes.
    private static let maximumDatagram = 1 << 16
    /// The interval at which the thread looks whether the receiver is closed, in milliseconds. A missing RTP packet is no
    /// longer waited for after this time without a datagram.
    private static let interval: Int32 = 100

    private final class State: @unchecked Sendable {
        let condition = NSCondition()
        var chunks: [[UInt8]] = []
        var size = 0
        var losses = Losses()
        var isStopped = false
        var isClosed = false
    }

    /// The address.
    let address: NetworkAddress
    private let state = State()

    /// Opens a socket, and starts to receive.
    ///
    /// - Throws: ``FileError``, ``InputFailure``.
    init(_ address: NetworkAddress, stop: StopSignal, limit: Int = defaultLimit) throws {
        self.address = address
        let socket = try DatagramSocket(address)
        let (state, isRTP) = (state, address.transport == .rtp)
        let thread = Thread {
            Self.receive(socket, state, isRTP: isRTP, stop, limit)
        }
        thread.name = "receiving \(address.name)"
        thread.start()
    }

    deinit {
        state.condition.withLock { state.isClosed = true }
    }

    /// The number of packets that were lost so far.
    var losses: Losses { state.condition.withLock { state.losses } }

    /// Waits for bytes.
    ///
    /// - Parameter timeout: The time limit in seconds; nil for none.
    func read(timeout: Double?) -> Result {
        let deadline = timeout.map { Date(timeIntervalSinceNow: $0) }
        return state.condition.withLock {
            while state.chunks.isEmpty, !state.isStopped {
                if let deadline {
                    guard state.condition.wait(until: deadline) else { break }
                } else {
                    state.condition.wait()
                }
            }
            guard !state.chunks.isEmpty else { return state.isStopped ? .stopped : .idle }
            let bytes = Array(state.chunks.joined())
            (state.chunks, state.size) = ([], 0)
            return .bytes(bytes)
        }
    }

    private static func receive(_ socket: DatagramSocket, _ state: State, isRTP: Bool, _ stop: StopSignal, _ limit: Int)
    {
        var buffer = [UInt8](repeating: 0, count: maximumDatagram)
        var reordering = RTPReordering()
        while true {
            var entries = [socket.descriptor, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&entries, nfds_t(entries.count), interval)
            var payloads: [[UInt8]] = []
            if count == 0 {
                payloads = reordering.flush()
            } else if count > 0, entries[0].revents != 0 {
                let size = buffer.withUnsafeMutableBytes { recv(socket.descriptor, $0.baseAddress, $0.count, 0) }
                if size > 0 {
                    let datagram = Array(buffer[..<size])
                    payloads = isRTP ? reordering.add(datagram) : [datagram]
                }
            }
            let isEnd = state.condition.withLock {
                for payload in payloads where !payload.isEmpty {
                    if state.size + payload.count > limit {
                        state.losses.overflowing += 1
                    } else {
                        state.size += payload.count
                        state.chunks.append(payload)
                    }
                }
                (state.losses.missing, state.losses.invalid) = (reordering.lostCount, reordering.invalidCount)
                if entries[1].revents != 0 { state.isStopped = true }
                if !payloads.isEmpty || state.isStopped { state.condition.signal() }
                return state.isStopped || state.isClosed
            }
            if isEnd { return }
        }
    }
}

/// A socket that receives datagrams, and is closed with the last reference.
private final class DatagramSocket: Sendable {
    let descriptor: Int32

    init(_ address: NetworkAddress) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_family = address.host.isEmpty ? AF_INET : AF_UNSPEC
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_DGRAM
        #else
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host.isEmpty ? nil : address.host, String(address.port), &hints, &list)
        guard code == 0, let info = list?.pointee else {
            throw InputFailure(address.name, "the address cannot be used (\(String(cString: gai_strerror(code))))")
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
        guard descriptor >= 0 else { throw FileError(.open, path: address.name, code: errno) }
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // The system may grant less.
        Self.set(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: address.bufferSize))
        let isMulticast = Self.isMulticast(info)
        // Several receivers of a group can be on one host.
        if isMulticast { Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) }
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
            throw FileError(.open, path: address.name, code: errno)
        }
        if isMulticast { try Self.join(descriptor, info, address) }
    }

    deinit { close(descriptor) }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func isMulticast(_ info: addrinfo) -> Bool {
        if info.ai_family == AF_INET {
            return info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 28 == 14
            }
        }
        return info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
            withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] == 0xFF }
        }
    }

    private static func join(_ descriptor: Int32, _ info: addrinfo, _ address: NetworkAddress) throws {
        var index: UInt32 = 0
        var local = in_addr()
        if let interface = address.interface, info.ai_family != AF_INET || inet_pton(AF_INET, interface, &local) != 1 {
            index = if_nametoindex(interface)
            guard index > 0 else {
                throw InputFailure(address.name, "there is no network interface “\(interface)”")
            }
        }
        let code: Int32
        if info.ai_family == AF_INET {
            var request = ip_mreqn()
            request.imr_multiaddr = info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                $0.pointee.sin_addr
            }
            request.imr_address = local
            request.imr_ifindex = Int32(index)
            let size = socklen_t(MemoryLayout<ip_mreqn>.size)
            code = setsockopt(descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, size)
        } else {
            var request = ipv6_mreq()
            request.ipv6mr_multiaddr = info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                $0.pointee.sin6_addr
            }
            request.ipv6mr_interface = index
            let size = socklen_t(MemoryLayout<ipv6_mreq>.size)
            code = setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, &request, size)
        }
        guard code == 0 else {
            throw InputFailure(
                address.name,
                "the multicast group cannot be joined (\(String(cString: strerror(errno)))): give the interface with "
                    + "?interface=NAME"
            )
        }
    }
}
