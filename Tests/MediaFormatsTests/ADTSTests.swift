import ByteCoding
import MediaFormats
import Testing

@Suite("ADTS")
struct ADTSTests {
    /// A frame that a splitter returned.
    struct Piece: Equatable {
        var header: ADTSHeader
        var offset: Int
        var isAfterDamage: Bool
        var bytes: [UInt8]
    }

    static func split(_ bytes: [UInt8], pieces size: Int) throws -> (frames: [Piece], damage: Int, skipped: Int) {
        var splitter = ADTSSplitter()
        var frames: [Piece] = []
        func take(_ frame: ADTSSplitter.Frame, _ bytes: RawSpan) {
            frames.append(
                Piece(
                    header: frame.header,
                    offset: frame.offset,
                    isAfterDamage: frame.isAfterDamage,
                    bytes: bytes.withUnsafeBytes { [UInt8]($0) }
                )
            )
        }
        for piece in pieces(bytes, of: size) { try splitter.feed(piece.span.bytes, take) }
        try splitter.finish(take)
        return (frames, splitter.damage, splitter.skippedByteCount)
    }

    @Test("streams are split into the same frames as by ffprobe, for all sizes of parts", arguments: AudioFixture.adts)
    func fixtures(fixture: AudioFixture) throws {
        let bytes = try fixture.bytes()
        let stream = try fixture.stream()
        for size in [bytes.count, 1, 7, 188, 500] {
            let (frames, damage, skipped) = try Self.split(bytes, pieces: size)
            #expect(frames.map(\.bytes.count) == (try fixture.sizes()))
            #expect(frames.flatMap(\.bytes) == bytes)
            #expect(damage == 0 && skipped == 0)
            #expect(frames.reduce(0) { $0 + $1.bytes.count } == bytes.count)
            for frame in frames {
                #expect(Array(bytes[frame.offset..<frame.offset + frame.bytes.count]) == frame.bytes)
                #expect(frame.header.sampleCount == 1024)
                #expect(try frame.header.rawDataBlocks().map { $0 } == [7..<frame.bytes.count])
            }
            let first = try #require(frames.first).bytes
            let config = try frames[0].header.audioSpecificConfig(first.span.bytes)
            #expect(config.outputSampleRate == UInt32(stream.rate))
            #expect(config.outputChannelCount == stream.channels)
            #expect(config.codecs == "mp4a.40.2")
        }
    }

    @Test("access units are written to frames and read again", arguments: AudioFixture.adts)
    func framing(fixture: AudioFixture) throws {
        let bytes = try fixture.bytes()
        let frames = try Self.split(bytes, pieces: bytes.count).frames
        let first = frames[0].bytes
        let config = try frames[0].header.audioSpecificConfig(first.span.bytes)
        let framing = try ADTSFraming(config)
        var result: [UInt8] = []
        for frame in frames {
            let unit = Array(frame.bytes.dropFirst(7))
            try framing.append(unit.span.bytes, to: &result)
        }
        // ffmpeg has the same headers. A program_config_element it writes only once; here each frame has it, so that
        // decoding can start with each.
        let prefix = config.generalAudio?.programConfig?.rawDataBlockPrefix ?? []
        let again = try Self.split(result, pieces: result.count).frames
        #expect(again.map(\.bytes.count) == frames.enumerated().map { $1.bytes.count + ($0 > 0 ? prefix.count : 0) })
        for (frame, original) in zip(again, frames) {
            let isSame =
                frame.bytes.dropFirst(7 + prefix.count)
                == original.bytes.dropFirst(
                    original.offset == 0 ? 7 + prefix.count : 7
                )
            #expect(isSame)
            #expect(frame.bytes[7...].starts(with: prefix))
        }
        if prefix.isEmpty { #expect(again == frames) }
    }

    @Test("a program_config_element is inserted before access units without one")
    func framingWithElement() throws {
        var general = GASpecificConfig()
        var element = ProgramConfigElement(frequencyIndex: 3)
        element.front = [.init(flag: false, tag: 0), .init(flag: true, tag: 0)]
        general.programConfig = element
        let config = AudioSpecificConfig(
            samplingFrequency: .init(hertz: 48000),
            channelConfiguration: 0,
            generalAudio: general
        )
        let framing = try ADTSFraming(config)
        let unit: [UInt8] = [0x21, 2, 3]
        var bytes: [UInt8] = []
        try framing.append(unit.span.bytes, to: &bytes)
        #expect(bytes.count == framing.overhead + 3)
        #expect(bytes.suffix(3) == unit[...])
        let header = try ADTSHeader(bytes.span.bytes)
        #expect(header.frameLength == bytes.count)
        #expect(try header.audioSpecificConfig(bytes.span.bytes) == config)
        let bare: [UInt8] = Array(bytes[..<7]) + unit
        #expect(throws: ParseError(.unsupportedCodecFeature, reading: "", offset: 0)) {
            try header.audioSpecificConfig(bare.span.bytes)
        }
    }

    @Test("configurations that ADTS cannot represent are rejected")
    func impossible() throws {
        var short = GASpecificConfig()
        short.hasShortFrames = true
        let rate = SamplingFrequency(hertz: 48000)
        let configs = [
            AudioSpecificConfig(objectType: .errorResilientAACLD, samplingFrequency: rate, channelConfiguration: 2),
            AudioSpecificConfig(samplingFrequency: .init(hertz: 37800), channelConfiguration: 2),
            AudioSpecificConfig(samplingFrequency: rate, channelConfiguration: 2, generalAudio: short),
            AudioSpecificConfig(samplingFrequency: rate, channelConfiguration: 11),
            AudioSpecificConfig(samplingFrequency: rate, channelConfiguration: 0),
        ]
        for config in configs {
            #expect(throws: ParseError(.notSupported, reading: "", offset: 0)) { try ADTSFraming(config) }
        }
        let framing = try ADTSFraming(AudioSpecificConfig(samplingFrequency: rate, channelConfiguration: 2))
        #expect(try framing.header(payloadSize: 8184).frameLength == 8191)
        #expect(throws: ParseError(.invalidLength, reading: "", offset: 0)) { try framing.header(payloadSize: 8185) }
        // HE-AAC has the header of its core.
        let he = AudioSpecificConfig(
            samplingFrequency: .init(hertz: 24000),
            channelConfiguration: 1,
            signaling: .hierarchical(.init(samplingFrequency: rate, hasParametricStereo: true))
        )
        let header = try ADTSFraming(he).header(payloadSize: 100)
        #expect(header.objectType == .aacLC && header.sampleRate == 24000 && header.channelConfiguration == 1)
    }

    /// A frame with raw data blocks of the given sizes, which contain their numbers.
    static func frame(_ blocks: [Int], isProtected: Bool, isMPEG2: Bool = false) -> [UInt8] {
        let size = 7 + (isProtected ? 2 * blocks.count : 0)
        let isMultiple = blocks.count > 1
        let total = size + blocks.reduce(0, +) + (isProtected && isMultiple ? 2 * blocks.count : 0)
        var bits = TestBits()
        for (value, width) in [
            (0xFFF, 12), (isMPEG2 ? 1 : 0, 1), (0, 2), (isProtected ? 0 : 1, 1), (1, 2), (4, 4), (1, 1), (2, 3), (3, 2),
            (1, 2), (total, 13), (0x123, 11), (blocks.count - 1, 2),
        ] { bits.put(value, width) }
        var bytes = bits.bytes()
        if isProtected {
            var position = 0
            for size in blocks.dropLast() {
                position += size + 2
                bytes += [UInt8(position >> 8), UInt8(position & 255)]
            }
            bytes += [0xCA, 0xFE]
        }
        for (index, size) in blocks.enumerated() {
            bytes += [UInt8](repeating: UInt8(index + 1), count: size)
            if isProtected, isMultiple { bytes += [0xEE, 0xEE] }
        }
        return bytes
    }

    @Test("checksums and several raw data blocks", arguments: [[10], [10, 20], [300, 1, 40], [5, 6, 7, 8]])
    func blocks(sizes: [Int]) throws {
        let frame = Self.frame(sizes, isProtected: true, isMPEG2: true)
        let header = try ADTSHeader(frame.span.bytes)
        #expect(header.isMPEG2 && header.hasChecksum)
        #expect(header.checksum == 0xCAFE)
        #expect(header.blockCount == sizes.count)
        #expect(header.sampleCount == 1024 * sizes.count)
        #expect(header.bufferFullness == 0x123)
        let blocks = try header.rawDataBlocks()
        #expect(blocks.map(\.count) == sizes)
        for (index, block) in blocks.enumerated() { #expect(frame[block].allSatisfy { $0 == UInt8(index + 1) }) }
        #expect(header.payload == header.size..<frame.count)
        var bytes: [UInt8] = []
        header.write(to: &bytes)
        #expect(bytes[...] == frame[..<header.size])
        let stream = (0..<5).flatMap { _ in frame }
        for size in [stream.count, 1, 11] {
            let (frames, damage, _) = try Self.split(stream, pieces: size)
            #expect(frames.map(\.bytes) == [[UInt8]](repeating: frame, count: 5))
            #expect(frames.map(\.header) == [ADTSHeader](repeating: header, count: 5))
            #expect(damage == 0)
        }
    }

    @Test("several raw data blocks without checksums are not separated")
    func unprotected() throws {
        let frame = Self.frame([10, 20, 30], isProtected: false)
        let header = try ADTSHeader(frame.span.bytes)
        #expect(header.sampleCount == 3072)
        #expect(header.payload == 7..<67)
        #expect(throws: ParseError(.unsupportedCodecFeature, reading: "", offset: 0)) { try header.rawDataBlocks() }
        do {
            _ = try header.rawDataBlocks(base: 4711)
        } catch {
            #expect(error.offset == 4711)
        }
    }

    @Test("inconsistent positions are rejected")
    func positions() throws {
        let good = Self.frame([10, 20], isProtected: true)
        for position: [UInt8] in [[0, 0], [0, 2], [0, 34], [1, 0], [255, 255]] {
            var frame = good
            frame.replaceSubrange(7..<9, with: position)
            let header = try ADTSHeader(frame.span.bytes)
            #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try header.rawDataBlocks() }
        }
    }

    @Test("invalid headers are rejected")
    func refused() throws {
        let good = Self.frame([10], isProtected: true)
        for count in 0..<9 {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try ADTSHeader(good.span.bytes.extracting(first: count))
            }
        }
        // The syncword, the layer, a reserved index, a frame shorter than its header.
        for (index, value): (Int, UInt8) in [(0, 0xFE), (1, 0xE0), (1, 0xF2), (2, 0x74), (2, 0x7C), (4, 0)] {
            var frame = good
            frame[index] = value
            if index == 4 { frame[3] &= 0xFC }
            #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try ADTSHeader(frame.span.bytes) }
        }
    }

    /// A stream of different frames whose payload contains no syncword.
    static func stream(_ count: Int) -> [[UInt8]] {
        (0..<count).map { frame([50 + $0 * 3], isProtected: false) }
    }

    @Test("garbage is skipped and counted, and the frames around it are found", arguments: [1, 64, 10_000])
    func garbage(pieceSize: Int) throws {
        let frames = Self.stream(8)
        var generator = SeededGenerator(state: 7)
        let noise = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // Noise at the start, between two frames, and headers without a frame.
        let false1 = Array(frames[0].prefix(20))
        let bytes =
            noise + frames[0] + frames[1] + frames[2] + false1 + noise + frames[3] + frames[4]
            + [0xFF, 0xFF, 0xF1] + frames[5...].joined()
        let result = try Self.split(bytes, pieces: pieceSize)
        // A false header in a synchronized stream is accepted, and the bytes that it covers are lost.
        let found = result.frames.map(\.bytes)
        for index in [0, 1, 2, 4, 6, 7] { #expect(found.contains(frames[index])) }
        #expect(result.damage == 3)
        #expect(result.frames.first?.isAfterDamage == true)
        #expect(result.frames.first?.offset == 300)
        for frame in result.frames {
            #expect(Array(bytes[frame.offset..<frame.offset + frame.bytes.count]) == frame.bytes)
        }
        #expect(result.frames.reduce(0) { $0 + $1.bytes.count } + result.skipped == bytes.count)
    }

    @Test("a header in garbage that is followed by a frame of another stream is not a frame")
    func chance() throws {
        let frames = Self.stream(4)
        let rate = SamplingFrequency(hertz: 32000)
        let framing = try ADTSFraming(AudioSpecificConfig(samplingFrequency: rate, channelConfiguration: 1))
        var other: [UInt8] = []
        let payload = [UInt8](repeating: 0, count: 90)
        try framing.append(payload.span.bytes, to: &other)
        let result = try Self.split(other + frames.joined(), pieces: 40)
        #expect(result.frames.map(\.bytes) == frames)
        #expect(result.skipped == other.count)
        // Two consecutive headers are a stream, and a synchronized stream can change.
        #expect(try Self.split(other + other + frames.joined(), pieces: 40).frames.count == 6)
    }

    @Test("ID3 tags before and between frames are skipped, for all sizes of parts", arguments: [1, 13, 4096])
    func tags(pieceSize: Int) throws {
        let frames = Self.stream(4)
        let tag: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 2, 0] + [UInt8](repeating: 0xFF, count: 256)
        let withFooter: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0x10, 0, 0, 0, 3] + [UInt8](repeating: 0xFF, count: 13)
        let old = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
        let bytes = tag + frames[0] + withFooter + tag + frames[1] + frames[2] + frames[3] + old
        let result = try Self.split(bytes, pieces: pieceSize)
        #expect(result.frames.map(\.bytes) == frames)
        #expect(result.damage == 0)
        // Bytes in garbage that are similar to a tag are garbage, for all sizes of parts.
        let noise: [UInt8] = [1, 2, 3] + withFooter.dropLast(13) + frames.joined()
        let afterNoise = try Self.split(noise, pieces: pieceSize)
        #expect(afterNoise.frames.map(\.bytes) == frames)
        #expect(afterNoise.skipped == 13)
        let many = tag + frames[0] + tag + old
        #expect(try Self.split(many, pieces: pieceSize).frames.map(\.bytes) == [frames[0]])
    }

    @Test("a truncated stream returns all complete frames, and the rest is damage")
    func truncation() throws {
        let frames = Self.stream(4)
        let bytes = Array(frames.joined())
        for count in 0...bytes.count {
            let part = Array(bytes[..<count])
            let whole = frames.indices.filter { frames[...$0].joined().count <= count }.count
            guard whole > 0 else {
                #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
                    try Self.split(part, pieces: 50)
                }
                continue
            }
            let result = try Self.split(part, pieces: 50)
            // A single frame is accepted only with the available bytes of its successor, or at the end of the stream.
            #expect(result.frames.map(\.bytes) == Array(frames[..<whole]))
            #expect(result.damage == (frames[..<whole].joined().count == count ? 0 : 1))
        }
    }

    @Test("flipped bits damage only frames near them")
    func flips() throws {
        let frames = Self.stream(12)
        let bytes = Array(frames.joined())
        var generator = SeededGenerator(state: 1)
        for _ in 0..<500 {
            var damaged = bytes
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            let whole = try Self.split(damaged, pieces: damaged.count)
            let single = try Self.split(damaged, pieces: Int.random(in: 1..<90, using: &generator))
            #expect(whole.frames == single.frames)
            #expect(whole.damage == single.damage && whole.skipped == single.skipped)
            // The first frame requires the header of the second one.
            let found = Set(whole.frames.map(\.bytes))
            var end = 0
            for frame in frames {
                end += frame.count
                if end + 7 <= place { #expect(found.contains(frame)) }
            }
            #expect(whole.frames.count >= 1)
        }
    }

    @Test("a stream that is not ADTS is an error, not an endless search")
    func noStream() {
        let zeros = [UInt8](repeating: 0, count: 5000)
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try Self.split(zeros, pieces: 100) }
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try Self.split([], pieces: 1) }
        var splitter = ADTSSplitter(preamble: 4000)
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
            try splitter.feed(zeros.span.bytes) { _, _ in }
        }
    }

    @Test("an error of the caller's closure is thrown, and the splitter can be used after it")
    func interrupted() throws {
        struct Stop: Error {}
        let bytes = Array(Self.stream(8).joined())
        var splitter = ADTSSplitter()
        for piece in pieces(bytes, of: 25) {
            do {
                try splitter.feed(piece.span.bytes) { _, _ in throw Stop() }
            } catch {
                #expect(error is Stop)
            }
        }
        var count = 0
        try? splitter.finish { _, _ in count += 1 }
        #expect(count <= 1)
    }
}
