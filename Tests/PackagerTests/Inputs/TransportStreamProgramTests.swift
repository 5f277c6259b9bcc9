import ByteCoding
import MediaFormats
import Testing

@testable import Packager

@Suite("Programs of transport streams")
struct TransportStreamProgramTests {
    @Test("omit video, audio and subtitles that cannot be packaged, and skip data with a warning")
    func omissions() throws {
        var remux = try Remux("h264-aac.ts")
        func descriptor(_ tag: UInt8, _ content: [UInt8] = []) -> [TransportDescriptor] {
            [TransportDescriptor(tag: tag, content: content)]
        }
        remux.streams += [
            .init(type: TransportStreamType(rawValue: 0x02), pid: 0x110),
            .init(type: .privatePES, pid: 0x111, descriptors: descriptor(0x56)),
            .init(type: .privatePES, pid: 0x112, descriptors: descriptor(0x59)),
            .init(type: .metadata, pid: 0x113),
            .init(type: TransportStreamType(rawValue: 0x86), pid: 0x114),
            .init(type: TransportStreamType(rawValue: 0x11), pid: 0x115),
            .init(type: TransportStreamType(rawValue: 0xFA), pid: 0x116),
        ]
        let input = try remux.open()
        #expect(input.tracks.map(\.kind) == [.video, .audio])
        func named(_ streams: [String], _ end: String) -> [String] {
            streams.map { "\($0), cannot be packaged\(end)" }
        }
        #expect(
            input.omissions.map(\.description)
                == named(["PID 272 (MPEG-2 video), stream type 0x2", "PID 277 (AAC in LATM), stream type 0x11"], "")
        )
        #expect(input.omissions.map(\.kind) == [.video, .audio])
        let data = [
            "test input: PID 278 (unknown), stream type 0xfa"
        ]
        #expect(input.warnings == named(data, "; the stream is skipped"))
        #expect(try input.samples().count > 60)
    }

    @Test("skip a stream that is not identified within the limit")
    func silence() throws {
        var remux = try Remux("h264-aac.ts")
        remux.streams.append(.init(type: .hevc, pid: 0x120))
        remux.streams.append(.init(type: .aac, pid: 0x121))
        let input = try remux.open()
        #expect(input.tracks.count == 2)
        #expect(
            input.warnings == [
                "test input: PID 288 (HEVC): it has no packets up to the end; the stream is skipped",
                "test input: PID 289 (AAC): it has no packets up to the end; the stream is skipped",
            ]
        )
        var limits = TransportStreamInput.Limits()
        limits.readAhead = 8000
        let bounded = try TransportStreamInput(Pieces(remux.bytes(), of: [1000]), limits: limits)
        #expect(bounded.position == 8000)
        #expect(bounded.warnings.first?.contains("it has no packets in the first 8000 bytes") == true)
        let samples = try bounded.samples()
        #expect(try input.samples() == samples)
        #expect(input.omissions == [] && bounded.omissions == [])
    }

    @Test("omit a stream that has data, but cannot be identified")
    func late() throws {
        var remux = try Remux("h264-aac.ts")
        remux.streams.append(.init(type: .hevc, pid: 0x120))
        let packet = Remux.Packet(pid: 0x120, presentation: 0, decode: nil, payload: [0, 0, 1, 0x46, 1, 0x50])
        var early = remux
        early.packets.insert(packet, at: 0)
        let unreadable = try early.open()
        #expect(unreadable.tracks.count == 2)
        let reason = unreadable.omissions.first?.description ?? ""
        #expect(reason.hasPrefix("PID 288 (HEVC) cannot be packaged: it contains no"))

        remux.packets.append(packet)
        var limits = TransportStreamInput.Limits()
        limits.readAhead = 8000
        let input = try TransportStreamInput(Pieces(remux.bytes(), of: [1000]), limits: limits)
        #expect(input.omissions == [])
        _ = try input.samples()
        #expect(input.omissions.map(\.track) == ["PID 288 (HEVC)"] && input.warnings == [])
        #expect(input.omissions.first?.reason.hasPrefix("cannot be packaged: it contains no") == true)
    }

    @Test("that are encrypted are rejected")
    func encrypted() throws {
        var remux = try Remux("h264-aac.ts")
        remux.streams[0].type = .encryptedH264
        let message = failure { _ = try remux.open() }
        #expect(message.contains("PID 256 (H.264) has encrypted samples: decrypt the file first"))
        var bytes = try Clip.bytes("h264-aac.ts")
        for place in stride(from: 0, to: bytes.count, by: 188) where bytes[place + 1] & 0x1F == 1 {
            bytes[place + 3] |= 0x80
        }
        #expect(
            failure { _ = try TransportStreamInput(Pieces(bytes)) }.contains(
                "its packets are scrambled: decrypt the file"
            )
        )
    }

    @Test("without any supported stream are rejected with a list of streams")
    func nothing() throws {
        var remux = try Remux("h264-aac.ts")
        remux.streams = [.init(type: TransportStreamType(rawValue: 0x02), pid: 0x100)]
        let message = failure { _ = try remux.open() }
        #expect(message.contains("no stream can be packaged; PID 256 (MPEG-2 video), stream type 0x2"))
        #expect(
            failure { _ = try TransportStreamInput(Pieces([UInt8](repeating: 7, count: 2 << 20))) }.contains(
                "no packets"
            )
        )
        let null = [UInt8](repeating: 0xFF, count: 188 * 100).enumerated().map { index, byte in
            [0: 0x47, 1: 0x1F, 3: 0x10][index % 188] ?? byte
        }
        #expect(
            failure { _ = try TransportStreamInput(Pieces(null)) }.contains("the stream has no program map table")
        )
    }

    @Test("keep languages")
    func language() throws {
        var remux = try Remux("h264-aac.ts")
        remux.streams[1].descriptors = [.init(tag: TransportDescriptor.language, content: Array("DEU".utf8) + [0])]
        #expect(try remux.open().tracks.map(\.language) == ["und", "deu"])
    }

    @Test("whose parameter sets change have a part with each of them")
    func parameterSetChange() throws {
        var remux = try Remux("plain.ts")
        let key = 10
        let payload = remux.packets[key].payload
        let start = try #require(payload.indices.dropLast(4).first { payload[$0...].starts(with: [0, 0, 1, 0x67]) })
        // Another level.
        remux.packets[key].payload[start + 6] += 1
        for sizes in [[1 << 20], [4000]] {
            let input = try TransportStreamInput(Pieces(remux.bytes(), of: sizes))
            let parts = try input.parts()
            // A change and a change back.
            #expect(parts.map(\.samples.count) == [10, 5, 5])
            let codecs = parts.map { $0.tracks[0].codecs }
            #expect(codecs[0] == codecs[2] && codecs[0] != codecs[1])
            for part in parts {
                #expect(part.tracks[0].sampleEntry?.format == "avc1")
                for sample in part.samples {
                    let summary = try H264AccessUnit.summary(sample.bytes.span.bytes, lengthSize: 4)
                    #expect(!summary.hasParameterSets && !summary.startsWithDelimiter)
                }
            }
            #expect(input.warnings == [])
        }
    }

    @Test("with two fields per picture combine them in one sample")
    func fields() throws {
        // No encoder at hand encodes fields, so parameter sets and slice headers are composed bit by bit.
        var sequence = Bits([0x67, 77, 0, 30])
        for number in [0, 0, 0, 0, 1] { sequence.ue(number) }
        sequence.u(0)
        sequence.ue(3)
        sequence.ue(1)
        // frame_mbs_only_flag 0, mb_adaptive_frame_field_flag 0, direct_8x8_inference_flag 1, no cropping, no VUI.
        for flag in [0, 0, 1, 0, 0, 1] { sequence.u(flag) }
        var picture = Bits([0x68])
        picture.ue(0)
        picture.ue(0)
        for flag in [0, 0] { picture.u(flag) }
        for number in [0, 0, 0] { picture.ue(number) }
        for flag in [0, 0, 0] { picture.u(flag) }
        for number in [0, 0, 0] { picture.ue(number) }
        for flag in [0, 0, 0, 1] { picture.u(flag) }
        let packets = (0..<8).map { index in
            let isIDR = index == 0
            var slice = Bits([isIDR ? 0x65 : 0x61])
            for number in [0, 7, 0] { slice.ue(number) }
            slice.u(index / 2, bits: 4)
            slice.u(1)
            slice.u(index & 1)
            if isIDR { slice.ue(0) }
            slice.u(index, bits: 4)
            for flag in isIDR ? [0, 0] : [0] { slice.u(flag) }
            slice.ue(0)
            slice.u(0b1011_0111, bits: 8)
            let units = (isIDR ? [sequence.bytes, picture.bytes] : []) + [slice.bytes]
            return Remux.Packet(
                pid: Remux.video,
                presentation: Int64(index) * 1800,
                decode: Int64(index) * 1800,
                payload: units.flatMap { [0, 0, 0, 1] + $0 }
            )
        }
        let input = try Remux(packets: packets, streams: [.init(type: .h264, pid: Remux.video)]).open()
        let samples = try input.samples()
        #expect(samples.count == 4)
        #expect(samples.map(\.decode) == [0, 3600, 7200, 10_800])
        for sample in samples {
            let summary = try H264AccessUnit.summary(sample.bytes.span.bytes, lengthSize: 4)
            #expect(summary.sliceCount == 2)
        }
        #expect(samples.map(\.isSync) == [true, false, false, false])
    }

    @Test("return samples in decoding order")
    func order() throws {
        let input = try TransportStreamInput(Pieces(Clip.bytes("h264-aac.ts")))
        let times = try input.samples().map { RationalTime($0.decode, timescale: input.tracks[$0.track].timescale) }
        // Audio times are rounded to samples.
        #expect(zip(times, times.dropFirst()).allSatisfy { $0.seconds <= $1.seconds + 0.0001 })
    }
}

/// A bit writer.
private struct Bits {
    private(set) var bytes: [UInt8]
    private var count = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func u(_ value: Int, bits: Int = 1) {
        for bit in (0..<bits).reversed() {
            if count.isMultiple(of: 8) { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(7 - count % 8)
            count += 1
        }
    }

    mutating func ue(_ value: Int) {
        let length = Int.bitWidth - (value + 1).leadingZeroBitCount
        u(0, bits: length - 1)
        u(value + 1, bits: length)
    }
}
