import ByteCoding
import FPSCrypto
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Transport streams of another packager, decrypted and compared with its clear streams.
@Suite("Decrypting transport streams")
struct TransportStreamDecryptorTests {
    private static let iv = TestKeys.bytes("0f0e0d0c0b0a09080706050403020100")

    private func key(_ key: [UInt8]) throws -> DecryptionKey {
        DecryptionKey(key: SecretBytes(copying: key), iv: try CipherIV(Self.iv))
    }

    /// Decrypts segments in order with one decryptor.
    private func decrypted(
        _ segments: [[UInt8]],
        key: DecryptionKey
    ) throws -> (segments: [[UInt8]], tracks: [DecryptedTrack]) {
        var decryptor = TransportStreamDecryptor()
        let outputs = try segments.map { segment in
            var output = [UInt8](repeating: 0xAA, count: segment.count)
            var span = output.mutableSpan
            var bytes = span.mutableBytes
            try decryptor.decrypt(segment.span.bytes, key: key, into: &bytes)
            return output
        }
        return (outputs, decryptor.reports)
    }

    /// The PES packets of a stream, with timestamps and payloads, and its program map table.
    private func packets(_ file: [UInt8]) throws -> (list: [(time: Int64?, payload: [UInt8])], map: ProgramMapTable) {
        var demuxer = TransportDemuxer()
        var list: [(time: Int64?, payload: [UInt8])] = []
        try demuxer.feed(file.span.bytes) { list.append(($0.presentationTime, $0.payload)) }
        try demuxer.finish { list.append(($0.presentationTime, $0.payload)) }
        #expect(demuxer.damage == 0)
        return (list, try #require(demuxer.programMap))
    }

    @Test("Video: every access unit equals that of the clear stream")
    func video() throws {
        let segments = try ["1", "2"].map { try DecryptingFixture.bytes("sample-aes-video-\($0).ts") }
        let clear = try packets(DecryptingFixture.bytes("clear-video-1.ts"))
        let (outputs, tracks) = try decrypted(segments, key: key(TestKeys.video))
        let result = try packets(outputs[0] + outputs[1])
        let encrypted = try packets(segments[0] + segments[1])
        #expect(outputs.map(\.count) == segments.map(\.count))
        #expect(result.list.count == 20)
        #expect(encrypted.map.streams.map(\.type) == [.encryptedH264])
        #expect(result.map.streams.map(\.type) == [.h264])
        #expect(result.map.streams[0].descriptors.isEmpty)
        for (index, packet) in result.list.enumerated() {
            #expect(packet.payload == clear.list[index].payload, "access unit \(index)")
            #expect(packet.time == clear.list[index].time)
        }
        #expect(encrypted.list.map(\.payload) != result.list.map(\.payload))
        #expect(tracks.map(\.format) == ["H.264"])
        #expect(tracks.map(\.decrypted) == [20])
    }

    @Test("Audio: every frame equals that of the clear stream", arguments: ["aac", "ac3", "eac3"])
    func audio(codec: String) throws {
        let segment = try DecryptingFixture.bytes("sample-aes-\(codec)-1.ts")
        let clear = try packets(DecryptingFixture.bytes("clear-\(codec)-1.ts"))
        let (outputs, tracks) = try decrypted([segment], key: key(TestKeys.audio))
        let result = try packets(outputs[0])
        #expect(result.list.map(\.payload) == clear.list.map(\.payload))
        #expect(result.map.streams.map(\.type) == clear.map.streams.map(\.type))
        #expect(try packets(segment).list.map(\.payload) != result.list.map(\.payload))
        #expect(tracks.first?.decrypted ?? 0 >= result.list.count)
        #expect(!result.map.streams[0].descriptors.contains { $0.content.starts(with: Array("apad".utf8)) })
    }

    @Test("A clear stream does not change")
    func clear() throws {
        let file = try DecryptingFixture.bytes("clear-video-1.ts")
        let (outputs, tracks) = try decrypted([file], key: key(TestKeys.video))
        #expect(outputs[0] == file)
        #expect(tracks.isEmpty)
    }

    /// A stream whose NAL units have many emulation prevention bytes, so that whole packets become unused.
    @Test("A stream that shrinks keeps its size, its PCRs and its counters")
    func shrinking() throws {
        let cipher = try SampleCipher(
            .sampleAES(.h264),
            .encrypt,
            key: SecretBytes(copying: TestKeys.video),
            constantIV: try CipherIV(Self.iv)
        )
        var muxer = TransportMuxer()
        muxer.writeSection(ProgramAssociationTable(programs: [(1, 0x100)]).bytes, pid: 0)
        let stream = ProgramMapTable.Stream(type: .encryptedH264, pid: 0x101)
        muxer.writeSection(ProgramMapTable(pcrPID: 0x101, streams: [stream]).bytes, pid: 0x100)
        var units: [[UInt8]] = []
        for number in 0..<40 {
            // Every third byte is escaped again by the outer layer.
            var unit: [UInt8] = [0x65, UInt8(number + 1)]
            while unit.count < 200 + number * 37 { unit += [0, 0, 3, 1] }
            units.append(unit)
            var payload: [UInt8] = [0, 0, 0, 1]
            try cipher.appendNALUnit(unit.span.bytes, to: &payload)
            let header = PESHeader(
                streamID: 0xE0,
                payloadLength: number.isMultiple(of: 2) ? payload.count : nil,
                presentationTime: UInt64(90_000 + 3600 * number)
            )
            muxer.writePES(
                header,
                payload: payload.span.bytes,
                pid: 0x101,
                programClockReference: UInt64(number) * 1_080_000,
                isRandomAccess: true
            )
        }
        let file = muxer.bytes
        let output = try decrypted([file], key: key(TestKeys.video)).segments[0]
        #expect(output.count == file.count)
        let result = try packets(output)
        #expect(result.list.map(\.payload) == units.map { [0, 0, 0, 1] + $0 })
        // PCRs keep their positions, and continuity counters count payloads.
        var counter: UInt8?
        var withoutPayload = 0
        for offset in stride(from: 376, to: output.count, by: 188) {
            let before = try TransportPacketHeader(file.span.bytes, at: offset)
            let after = try TransportPacketHeader(output.span.bytes, at: offset)
            #expect(before.programClockReference == after.programClockReference)
            #expect(before.isRandomAccess == after.isRandomAccess)
            if after.payload == nil { withoutPayload += 1 }
            if let counter { #expect(after.continuityCounter == (after.payload == nil ? counter : (counter + 1) & 15)) }
            counter = after.continuityCounter
        }
        #expect(withoutPayload > 10)
    }

    @Test("Without an initialization vector, decryption is an error")
    func missingIV() throws {
        let segment = try DecryptingFixture.bytes("sample-aes-aac-1.ts")
        let key = DecryptionKey(key: SecretBytes(copying: TestKeys.audio))
        #expect {
            _ = try decrypted([segment], key: key)
        } throws: {
            ($0 as? DecryptionError)?.code == .missingIV
        }
    }

    @Test("A duplicate packet is not decrypted twice, and a missing packet is an error")
    func packetLoss() throws {
        let segment = try DecryptingFixture.bytes("sample-aes-video-1.ts")
        func continues(_ offset: Int) -> Bool {
            let header = try? TransportPacketHeader(segment.span.bytes, at: offset)
            return header?.payload != nil && header?.isUnitStart == false
        }
        // Within an access unit.
        let offsets = stride(from: 376, to: segment.count - 376, by: 188)
        let place = try #require(offsets.first { continues($0) && continues($0 + 188) })
        var twice = segment
        twice.insert(contentsOf: segment[place..<place + 188], at: place)
        let (outputs, _) = try decrypted([twice], key: key(TestKeys.video))
        let clear = try packets(DecryptingFixture.bytes("clear-video-1.ts")).list
        #expect(try packets(outputs[0]).list.map(\.payload) == clear.prefix(10).map(\.payload))
        var missing = segment
        missing.removeSubrange(place..<place + 188)
        #expect {
            _ = try decrypted([missing], key: key(TestKeys.video))
        } throws: {
            ($0 as? DecryptionError)?.code == .damaged
        }
    }

    @Test("Truncated and damaged streams are errors and do not crash", arguments: ["video", "aac", "ac3", "eac3"])
    func damage(kind: String) throws {
        let file = try DecryptingFixture.bytes("sample-aes-\(kind)-1.ts")
        let key = try key(TestKeys.video)
        func attempt(_ bytes: [UInt8]) {
            do {
                _ = try decrypted([bytes], key: key)
            } catch is DecryptionError {
            } catch is ParseError {
            } catch {
                Issue.record("\(error)")
            }
        }
        for end in stride(from: 0, to: file.count, by: 94) { attempt(Array(file[..<end])) }
        for (number, index) in file.indices.enumerated() where number % 188 < 32 && number % 3 == 0 {
            var damaged = file
            damaged[index] = [file[index] ^ 0x01, file[index] ^ 0x40, 0xFF, 0][number / 3 % 4]
            attempt(damaged)
        }
    }
}
