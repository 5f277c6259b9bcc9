import FileWriting
import Foundation
import Testing

@testable import Packager

@Suite("Inputs from the network", .timeLimit(.minutes(10)))
struct NetworkInputTests {
    @Test("addresses have a transport, a numeric host, a port and options")
    func addresses() throws {
        let group = try NetworkAddress(parsing: "udp://@239.1.1.1:5000?interface=eth0&buffer=8388608")
        #expect(group.transport == .udp && group.host == "239.1.1.1" && group.port == 5000 && group.isMulticast)
        #expect(group.interface == "eth0" && group.bufferSize == 8 << 20 && group.name == "udp://239.1.1.1:5000")
        let any = try NetworkAddress(parsing: "rtp://:5004")
        #expect(any.transport == .rtp && any.host.isEmpty && any.interface == nil && any.bufferSize == 4 << 20)
        #expect(!any.isMulticast)
        let link = try NetworkAddress(parsing: "udp://[ff02::1]:5000?interface=eth0")
        #expect(link.name == "udp://[ff02::1]:5000" && link.isMulticast)
        #expect(try !NetworkAddress(parsing: "udp://[::1]:5000").isMulticast)
    }

    @Test(
        "other addresses are refused",
        arguments: [
            ("udp://", "port"), ("udp://239.1.1.1", "port"), ("udp://:0", "port"), ("udp://:65536", "port"),
            ("udp://host:1", "numeric"), ("udp://:1?x=1", "interface= and buffer="), ("udp://:1?buffer=1", "bytes"),
            ("udp://10.0.0.1:1?interface=eth0", "multicast"), ("udp://:1?interface=eth0", "multicast"),
            ("srt://:1", "UDP or RTP"), ("film.ts", "UDP or RTP"),
        ]
    )
    func refusals(text: String, reason: String) {
        let failure = #expect(throws: JobFailure.self) { try NetworkAddress(parsing: text) }
        #expect(failure?.reason.contains(reason) == true, "\(failure?.reason ?? "")")
    }

    @Test("are for live presentations only, and read once")
    func liveOnly() throws {
        var job = PackagingJob(inputs: [try .init(parsing: "udp://:5000")], output: "out")
        #expect(throws: JobFailure.self) { try job.validate() }
        job.live = .event
        #expect(throws: JobFailure.self) { try job.validate() }
        job.live = .live
        try job.validate()
        job.inputs = [try .init(parsing: "udp://:5000,tracks=video"), try .init(parsing: "udp://:5000,tracks=audio")]
        #expect(throws: JobFailure.self) { try job.validate() }
        #expect(throws: InputFailure.self) { try MediaInputs.open("udp://:5000") }
        job.inputs = [try .init(parsing: "udp://:5000")]
        job.output = "udp://:5000"
        #expect(throws: JobFailure.self) { try job.validate() }
    }

    @Test(
        "all bytes that arrive are returned in order, and the input ends when nothing arrives",
        arguments: ["udp", "rtp"]
    )
    func receive(transport: String) throws {
        let (stop, bytes) = (try StopSignal(), try Clip.bytes("h264-aac.ts"))
        defer { stop.stop() }
        let receiver = try NetworkFixture.open(transport, stop)
        let sender = NetworkSender(receiver.address)
        for round in 0..<2 {
            sender.send(bytes, round: round)
            let source = DatagramSource(receiver, idleTime: .milliseconds(300))
            #expect(try source.peek(10) == Array(bytes.prefix(10)))
            var read: [UInt8] = []
            while try source.next({ span in span.withUnsafeBytes { read += $0 } }) {}
            #expect(read == bytes && source.position == bytes.count)
        }
        #expect(receiver.losses == NetworkLosses())
        stop.stop()
        #expect(try DatagramSource(receiver).next { _ in } == false)
    }

    @Test("bytes that do not fit in the queue are dropped and counted")
    func overflow() throws {
        let stop = try StopSignal()
        let receiver = try NetworkFixture.open("udp", stop, limit: 300)
        let sender = NetworkSender(receiver.address)
        while receiver.losses.overflowing == 0 { sender.send(datagram: [UInt8](repeating: 0x47, count: 188)) }
        stop.stop()
        guard case .bytes(let bytes) = receiver.read(idleTime: nil) else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes.count == 188)
    }

    @Test("datagrams of parts of packets are read and counted")
    func irregular() throws {
        let (stop, bytes) = (try StopSignal(), try Clip.bytes("h264-aac.ts"))
        defer { stop.stop() }
        let receiver = try NetworkFixture.open("udp", stop)
        let sender = NetworkSender(receiver.address)
        for range in [0..<188, 188..<1000, 1000..<2000] { sender.send(datagram: Array(bytes[range])) }
        let source = DatagramSource(receiver, idleTime: .milliseconds(300))
        var read: [UInt8] = []
        while try source.next({ span in span.withUnsafeBytes { read += $0 } }) {}
        #expect(read == Array(bytes[..<2000]) && receiver.losses.irregular == 2 && receiver.losses.lost == 0)
    }

    @Test("datagrams without RTP are an error before the first one with it")
    func withoutRTP() throws {
        let (stop, bytes) = (try StopSignal(), try Clip.bytes("h264-aac.ts"))
        defer { stop.stop() }
        let receiver = try NetworkFixture.open("rtp", stop)
        let sender = NetworkSender(receiver.address)
        for _ in 0..<DatagramReceiver.maximumInvalid { sender.send(datagram: Array(bytes[..<1316])) }
        let failure = #expect(throws: InputFailure.self) { try NetworkInput(DatagramSource(receiver)) }
        #expect(failure?.reason.contains("use udp://") == true)
        #expect(receiver.losses.invalid == DatagramReceiver.maximumInvalid)
    }

    @Test("a port in use and an unknown interface are errors that say what to do")
    func errors() throws {
        let stop = try StopSignal()
        defer { stop.stop() }
        let receiver = try NetworkFixture.open("udp", stop)
        let inUse = #expect(throws: FileError.self) { try DatagramReceiver(receiver.address, stop: stop) }
        #expect(inUse?.description.contains("another program receives at this port") == true)
        let unknown = try NetworkAddress(parsing: "udp://239.1.1.1:5000?interface=no-such")
        let failure = #expect(throws: FileError.self) { try DatagramReceiver(unknown, stop: stop) }
        #expect(failure?.description.contains("no network interface “no-such”") == true)
        // TEST-NET-1: an address that no host has.
        let foreign = try NetworkAddress(parsing: "udp://192.0.2.1:5000")
        let other = #expect(throws: FileError.self) { try DatagramReceiver(foreign, stop: stop) }
        #expect(other?.description.contains("no network interface of this host has this address") == true)
    }

    @Test("a channel goes on when data arrives again, and after data that cannot be read")
    func reconnect() throws {
        let (stop, bytes) = (try StopSignal(), try Clip.bytes("h264-aac.ts"))
        defer { stop.stop() }
        let receiver = try NetworkFixture.open("udp", stop)
        let sender = NetworkSender(receiver.address)
        var channel = NetworkChannel(receiver)
        sender.send(bytes)
        let count = try NetworkFixture.samples(try channel.open(idleTime: .milliseconds(300)))
        #expect(count > 20 && channel.takeWarning() == nil && channel.failure == nil)
        for _ in 0..<3 { sender.send(datagram: [UInt8](repeating: 0, count: 1316)) }
        #expect(throws: InputFailure.self) { try channel.open(idleTime: .milliseconds(300)) }
        #expect(channel.isIncomplete && channel.failure == nil)
        #expect(channel.losses.irregular == 3 && channel.takeWarning()?.contains("3 datagrams") == true)
        #expect(channel.takeWarning() == nil)
        sender.send(bytes)
        let again = try NetworkFixture.samples(try channel.open(idleTime: .milliseconds(300)))
        #expect(again == count && channel.losses.damaged == 0 && !channel.isIncomplete)
    }

    @Test("damaged, scrambled and missing packets are counted, and the input goes on")
    func damage() throws {
        let (stop, bytes) = (try StopSignal(), try Clip.bytes("h264-aac.ts"))
        defer { stop.stop() }
        let receiver = try NetworkFixture.open("udp", stop)
        let sender = NetworkSender(receiver.address)
        var channel = NetworkChannel(receiver)
        sender.send(bytes)
        let count = try NetworkFixture.samples(try channel.open(idleTime: .milliseconds(300)))
        var damaged = bytes
        // A sync byte, and the scrambling control of another packet.
        damaged[80 * 188] = 0
        damaged[90 * 188 + 3] |= 0x80
        damaged.removeSubrange(100 * 188..<101 * 188)
        sender.send(damaged)
        let left = try NetworkFixture.samples(try channel.open(idleTime: .milliseconds(300)))
        #expect(left > count / 2 && left <= count)
        #expect(channel.losses.damaged >= 3 && channel.failure == nil)
        // The numbers of earlier inputs of the channel stay.
        let total = channel.losses.damaged
        sender.send(bytes)
        _ = try channel.open(idleTime: .milliseconds(300))
        #expect(channel.losses.damaged == total)
    }

    @Test("an input ends without an error where it is no longer a transport stream")
    func otherData() throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        let count = try NetworkFixture.samples(NetworkInput(Pieces(bytes, of: [1316])))
        let other = [UInt8](repeating: 0, count: 2 << 20)
        let input = try NetworkInput(Pieces(bytes + other, of: [1316]))
        let found = try NetworkFixture.samples(input)
        #expect(found > 0 && found <= count)
        #expect(input.failure?.reason.contains("not a transport stream from byte") == true)
        #expect(throws: InputFailure.self) { try NetworkInput(Pieces(other, of: [1316])) }
    }

    @Test("waiting for data ends when a stop is requested")
    func stopped() throws {
        let stop = try StopSignal()
        let inputs = LiveInputs(stop: stop, isEvent: false)
        let thread = Thread { stop.stop() }
        thread.start()
        let failure = try NetworkFixture.failure { try inputs.open("udp://127.0.0.1:\($0)") }
        #expect(failure?.reason == "no data has arrived" && !inputs.canReopen)
        var warnings: [String] = []
        #expect(try inputs.reopen { warnings.append($0) } == nil && warnings.isEmpty)
    }
}
