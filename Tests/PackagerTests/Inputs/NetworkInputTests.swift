import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

@Suite("Inputs from the network")
struct NetworkInputTests {
    @Test("addresses have a transport, a numeric host, a port and options")
    func addresses() throws {
        let group = try NetworkAddress(parsing: "udp://@239.1.1.1:5000?interface=eth0&buffer=8388608")
        #expect(group.transport == .udp && group.host == "239.1.1.1" && group.port == 5000)
        #expect(group.interface == "eth0" && group.bufferSize == 8 << 20 && group.name == "udp://239.1.1.1:5000")
        let any = try NetworkAddress(parsing: "rtp://:5004")
        #expect(any.transport == .rtp && any.host.isEmpty && any.interface == nil && any.bufferSize == 4 << 20)
        #expect(try NetworkAddress(parsing: "udp://[ff02::1]:5000").name == "udp://[ff02::1]:5000")
        for text in [
            "udp://", "udp://239.1.1.1", "udp://:0", "udp://:65536", "udp://host:1", "udp://:1?x=1",
            "udp://:1?buffer=1",
            "srt://:1", "film.ts",
        ] {
            #expect(throws: JobFailure.self, "\(text)") { try NetworkAddress(parsing: text) }
        }
    }

    @Test("are for live presentations only")
    func liveOnly() throws {
        var job = PackagingJob(inputs: [try .init(parsing: "udp://:5000")], output: "out")
        #expect(throws: JobFailure.self) { try job.validate() }
        job.live = .event
        #expect(throws: JobFailure.self) { try job.validate() }
        job.live = .live
        try job.validate()
    }

    private static func packet(_ number: Int, type: UInt8 = 33, source: UInt8 = 1, _ payload: [UInt8]) -> [UInt8] {
        [0x80, type, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] + [0, 0, 0, 0]
            + [0, 0, 0, source] + payload
    }

    @Test("RTP packets are put in order, also where numbers wrap around, and duplicates are dropped")
    func order() {
        var reordering = RTPReordering()
        var payloads: [[UInt8]] = []
        for number in [65_534, 65_535, 1, 0, 0, 3, 2, 2, 4] {
            payloads += reordering.add(Self.packet(number, [UInt8(truncatingIfNeeded: number)]))
        }
        #expect(payloads == [[254], [255], [0], [1], [2], [3], [4]])
        #expect(reordering.lostCount == 0 && reordering.invalidCount == 0)
    }

    @Test("a missing packet is waited for within the window, then counted as lost")
    func loss() {
        var reordering = RTPReordering()
        var payloads = reordering.add(Self.packet(10, [10]))
        for number in 13..<13 + RTPReordering.window {
            #expect(payloads.count == 1)
            payloads += reordering.add(Self.packet(number, [UInt8(number)]))
        }
        #expect(payloads.count == 1 + RTPReordering.window && reordering.lostCount == 2)
        // Too late.
        #expect(reordering.add(Self.packet(11, [11])) == [])
        // Another sender.
        #expect(reordering.add(Self.packet(900, source: 2, [1])) == [[1]])
        #expect(reordering.add(Self.packet(902, source: 2, [3])) == [])
        #expect(reordering.flush() == [[3]] && reordering.lostCount == 3)
    }

    @Test("extensions and padding are removed, and other datagrams are counted")
    func headers() {
        var reordering = RTPReordering()
        var extended = Self.packet(1, [0, 0, 0, 9] + [0, 0, 0, 1] + [5, 5, 5, 5] + [7, 8, 0, 0, 3])
        // One contributing source, an extension of four bytes, three bytes of padding.
        extended[0] = 0x80 | 0x20 | 0x10 | 1
        #expect(reordering.add(extended) == [[7, 8]])
        for count in extended.indices.prefix(23) { #expect(reordering.add(Array(extended[..<count])) == []) }
        #expect(reordering.add(Self.packet(2, type: 96, [1])) == [])
        #expect(reordering.invalidCount > 0)
    }

    /// Sends datagrams to a port of this host.
    private final class Sender {
        private let descriptor: Int32
        private var address = sockaddr_in()

        init(port: UInt16) {
            #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_DGRAM, 0)
            #else
            descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            #endif
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        }

        deinit { close(descriptor) }

        func send(_ bytes: [UInt8]) {
            _ = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                    bytes.withUnsafeBytes {
                        sendto(
                            descriptor,
                            $0.baseAddress,
                            $0.count,
                            0,
                            target,
                            socklen_t(MemoryLayout<sockaddr_in>.size)
                        )
                    }
                }
            }
        }
    }

    /// Opens a receiver at a port of this host that is free.
    private static func open(
        _ transport: String,
        _ stop: StopSignal,
        limit: Int = DatagramReceiver.defaultLimit
    ) throws -> DatagramReceiver {
        for _ in 0..<100 {
            let address = try NetworkAddress(parsing: "\(transport)://127.0.0.1:\(UInt16.random(in: 20_000...30_000))")
            if let receiver = try? DatagramReceiver(address, stop: stop, limit: limit) { return receiver }
        }
        throw InputFailure("test", "no port is free")
    }

    @Test("bytes that do not fit in the queue are dropped and counted")
    func overflow() throws {
        let stop = try StopSignal()
        let receiver = try Self.open("udp", stop, limit: 300)
        let sender = Sender(port: receiver.address.port)
        // The third datagram does not fit before the first two are read; the receiver is stopped after it has counted it.
        while receiver.losses.overflowing == 0 { sender.send([UInt8](repeating: 0x47, count: 188)) }
        stop.stop()
        guard case .bytes(let bytes) = receiver.read(timeout: nil) else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes.count == 188)
    }
}
