import FPSCrypto
import FPSMessages
import KeyServerModule
import Testing

@testable import KeyServer

@Suite("Frames between the server and a plug-in's process")
struct PluginFrameTests {
    private static func bytes(_ count: Int, from first: UInt8 = 1) -> [UInt8] {
        (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
    }

    private static let header = PluginFrameHeader(number: 0x0102_0304, flags: 1)
    private static let key = LicensedKey(key: SecretBytes(copying: bytes(16)), iv: bytes(16, from: 40))!

    private static var requests: [PluginRequest] {
        let payload = KeyPayload(
            sessionKeyAndR1: SessionKeyAndR1(iv: bytes(16), encryptedPayload: bytes(96)),
            integrity: SessionKeyAndR1Integrity(bytes(16, from: 9)),
            r2: R2(bytes(21)),
            certificateHash: bytes(20, from: 70)
        )
        var loading = PluginLoading(memory: 1 << 40, path: "/opt/plug-in.so", configuration: "ä")
        loading.ask = SecretBytes(copying: bytes(16))
        loading.provisioningData = SecretBytes(copying: bytes(65_536))
        return [
            .load(loading), .load(PluginLoading(memory: 1, path: "/p")), .deriveDASk(R2(bytes(21))),
            .keyPayload(payload, nil), .keyPayload(payload, key), .openSPC(bytes(5_000)),
            .createCKC(session: .max, key, terms: bytes(100)), .release(session: 3),
        ]
    }

    private static var replies: [PluginReply] {
        let summary = try? PluginSummary(
            functions: [.keyPayload, .wholeSPC],
            isSerial: true,
            capabilities: [.spcVersion3, .init(name: "x-unknown", version: .max)]
        )
        let r1 = SecretBytes(copying: bytes(44))
        let encrypted = EncryptedContentKey(iv: bytes(16), encryptedKey: bytes(16, from: 99))
        return (summary.map { [.loaded($0)] } ?? []) + [
            .dask(SecretBytes(copying: bytes(16))),
            .keyPayload(OpenedKeyPayload(hu: bytes(20), r1: r1, encryptedContentKey: nil)),
            .keyPayload(OpenedKeyPayload(hu: bytes(20), r1: r1, encryptedContentKey: encrypted)),
            .openedSPC(session: 7, PluginSPC(hu: bytes(20), certificateHash: bytes(32), request: bytes(300))),
            .ckc(bytes(400)), .released, .invalidMessage, .failed(reason: "a reason"),
        ]
    }

    /// The frames of all requests and replies, each with a function that reads it and writes it again.
    private static func frames() throws -> [(frame: [UInt8], again: ([UInt8]) throws -> [UInt8])] {
        let buffer = PluginFrameBuffer()
        var frames: [([UInt8], ([UInt8]) throws -> [UInt8])] = []
        for request in requests {
            try request.write(to: buffer, header)
            frames.append(
                (
                    Array(buffer.bytes),
                    { frame in
                        let buffer = PluginFrameBuffer(frame)
                        let header = try buffer.beginReading().header
                        try PluginRequest(reading: buffer).write(to: buffer, header)
                        return Array(buffer.bytes)
                    }
                )
            )
        }
        for reply in replies {
            try reply.write(to: buffer, header)
            frames.append(
                (
                    Array(buffer.bytes),
                    { frame in
                        let buffer = PluginFrameBuffer(frame)
                        let header = try buffer.beginReading().header
                        try PluginReply(reading: buffer).write(to: buffer, header)
                        return Array(buffer.bytes)
                    }
                )
            )
        }
        return frames
    }

    @Test("Every request and reply is the same after writing, reading and writing")
    func roundTrips() throws {
        let frames = try Self.frames()
        #expect(frames.count == 17)
        for (frame, again) in frames {
            let copy = try again(frame)
            #expect(copy == frame)
        }
    }

    @Test("Every truncation fails, with the old length and with a matching one")
    func truncations() throws {
        for (frame, again) in try Self.frames() {
            for count in 0..<min(frame.count, 600) {
                let cut = Array(frame.prefix(count))
                #expect(throws: PluginFrameError.self) { try again(cut) }
                guard count >= 6 else { continue }
                let shorter = withUnsafeBytes(of: UInt32(count - 4).bigEndian, Array.init) + cut.dropFirst(4)
                #expect(throws: PluginFrameError.self) { try again(shorter) }
            }
        }
    }

    @Test("Bytes after the last field fail")
    func trailingBytes() throws {
        for (frame, again) in try Self.frames() {
            let longer = withUnsafeBytes(of: UInt32(frame.count - 3).bigEndian, Array.init) + frame.dropFirst(4) + [0]
            #expect(throws: PluginFrameError.trailingBytes) { try again(longer) }
            #expect(throws: PluginFrameError.trailingBytes) { try again(frame + [0]) }
        }
    }

    @Test("Lengths are bounded before memory is allocated")
    func lengths() throws {
        #expect(throws: PluginFrameError.tooLong) { try PluginFrameBuffer([0, 4, 0, 1]).size() }
        #expect(throws: PluginFrameError.truncated) { try PluginFrameBuffer([0, 0, 0, 1]).size() }
        #expect(try PluginFrameBuffer([0, 4, 0, 0]).size() == PluginFrameBuffer.maximumCount + 4)
        #expect(throws: PluginFrameError.tooLong) {
            try PluginRequest.openSPC([UInt8](repeating: 0, count: 300_000)).write(to: PluginFrameBuffer(), Self.header)
        }
        // A field of 4 GiB, and a list of as many capabilities.
        let dask: [UInt8] = [0, 0, 0, 10, 2, 0, 0, 0, 0, 1, 255, 255, 255, 255]
        #expect(throws: PluginFrameError.tooLong) { try PluginReply(reading: PluginFrameBuffer(dask)) }
        let loaded: [UInt8] = [0, 0, 0, 18, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 255, 255, 255, 255]
        #expect(throws: PluginFrameError.tooLong) { try PluginReply(reading: PluginFrameBuffer(loaded)) }
    }

    @Test("Random bytes in every place never trap")
    func changedBytes() throws {
        var random = SeededRandom(seed: 34)
        for (frame, again) in try Self.frames() {
            for _ in 0..<300 {
                var changed = frame
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    changed[Int.random(in: 0..<min(changed.count, 200), using: &random)] = random.bytes(1)[0]
                }
                // Whatever is read must be written in the same way.
                if let copy = try? again(changed), changed[5] == copy[5] { #expect(copy == (try again(copy))) }
            }
        }
    }

    @Test("A reason from a process is printable ASCII")
    func reasons() throws {
        let buffer = PluginFrameBuffer()
        try PluginReply.failed(reason: "a\u{1b}[31m\nb").write(to: buffer, Self.header)
        guard case .failed(let reason) = try PluginReply(reading: buffer) else { throw Unexpected() }
        #expect(reason == "a?[31m?b")
        try PluginReply.failed(reason: String(repeating: "x", count: 5_000)).write(to: buffer, Self.header)
        guard case .failed(let long) = try PluginReply(reading: buffer) else { throw Unexpected() }
        #expect(long.count == 1_024)
    }
}

extension PluginFrameBuffer {
    /// Creates a buffer with received bytes.
    fileprivate convenience init(_ bytes: [UInt8]) {
        self.init()
        reserve(bytes.count)
        free.copyBytes(from: bytes)
        received(bytes.count)
    }
}
