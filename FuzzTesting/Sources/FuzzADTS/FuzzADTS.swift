import ByteCoding
import MediaFormats

// ADTS, AudioSpecificConfig and ID3: chunks of any size give the same frames; what was parsed is written bit by bit.

/// The result of parsing a stream.
struct Result: Equatable {
    var frames: [ADTSSplitter.Frame] = []
    var bytes: [[UInt8]] = []
    var damage = 0
    var skipped = 0
    var isRefused = false

    init(_ input: [UInt8], pieces size: Int, preamble: Int = 1 << 20) {
        var splitter = ADTSSplitter(preamble: preamble)
        do {
            func take(_ frame: ADTSSplitter.Frame, _ span: RawSpan) {
                frames.append(frame)
                bytes.append(span.withUnsafeBytes { [UInt8]($0) })
            }
            for start in stride(from: 0, to: input.count, by: size) {
                let piece = Array(input[start..<min(input.count, start + size)])
                try splitter.feed(piece.span.bytes, take)
            }
            try splitter.finish(take)
        } catch {
            isRefused = true
        }
        damage = splitter.damage
        skipped = splitter.skippedByteCount
    }
}

func check(_ frame: ADTSSplitter.Frame, _ bytes: [UInt8]) {
    var header: [UInt8] = []
    frame.header.write(to: &header)
    let same = try? ADTSHeader(bytes.span.bytes)
    precondition(same == frame.header && frame.header.payload.upperBound == bytes.count)
    precondition(same?.checksum == frame.header.checksum && frame.header.sampleCount == 1024 * frame.header.blockCount)
    let short = Array(header.dropLast())
    let none = try? ADTSHeader(short.span.bytes)
    precondition(none == nil)
    precondition(bytes.starts(with: header) && bytes.count == frame.header.frameLength)
    do throws(ParseError) {
        let blocks = try frame.header.rawDataBlocks()
        precondition(blocks.count == frame.header.blockCount)
        var end = frame.header.size
        for block in blocks {
            precondition(block.lowerBound >= end && block.upperBound <= bytes.count)
            end = block.upperBound
        }
    } catch {
        precondition((0...bytes.count).contains(error.offset))
    }
    guard let config = try? frame.header.audioSpecificConfig(bytes.span.bytes) else { return }
    let written = config.bytes
    do throws(ParseError) {
        let again = try AudioSpecificConfig(written.span.bytes)
        precondition(again.bytes == written && again.outputChannelCount == config.outputChannelCount)
    } catch {
        preconditionFailure("the written data cannot be parsed: \(error)")
    }
    guard let framing = try? ADTSFraming(config, isMPEG2: frame.header.isMPEG2) else {
        preconditionFailure("the configuration of an ADTS header cannot be written as ADTS")
    }
    precondition((7...8191).contains(framing.overhead) && frame.header.bufferFullness < 2048)
    var framed: [UInt8] = []
    let payload = Array(bytes[frame.header.size...])
    try? framing.append(payload.span.bytes, to: &framed)
    precondition(framed.isEmpty || framed.suffix(payload.count) == payload[...])
}

func checkConfig(_ input: [UInt8]) {
    do throws(ParseError) {
        let config = try AudioSpecificConfig(input.span.bytes)
        precondition(config.bytes == input)
        precondition(config.codecs.hasPrefix("mp4a.40.") && config.outputSampleRate > 0)
        precondition((config.outputFrameLength ?? 1) >= 0 && (config.outputChannelCount ?? 0) >= 0)
        let entry = SampleEntry.mp4a(config)
        let same = try? entry.audioSpecificConfig()
        precondition(same == config)
        let description = (try? entry.audioDescription()) ?? nil
        precondition(description?.sampleRate == config.outputSampleRate && description?.codecs == config.codecs)
        _ = try? ADTSFraming(config)
        let setup = AudioSetupInformation(config)
        if let descriptor = try? TransportDescriptor(setup) {
            let same = try? descriptor.audioSetup()
            precondition(same == setup)
        } else {
            precondition(setup.setupData.count > 243)
        }
        checkPackedAudio(setup)
    } catch {
        precondition((0...input.count).contains(error.offset))
    }
}

/// A segment of packed audio starts with an ID3 tag that contains its start time, and its audio format.
func checkPackedAudio(_ setup: AudioSetupInformation) {
    guard setup.setupData.count < 256 else { return }
    let time = UInt64(setup.setupData.count) << 32 | 0x8000_0001
    let tag = ID3Tag(timestamp: time, audioSetup: setup)
    let bytes = tag.bytes
    var reader = ByteReader(bytes.span.bytes)
    let again = try? ID3Tag(reading: &reader)
    precondition(again == tag)
    let sameTime = try? tag.timestamp()
    let sameSetup = try? tag.audioSetup()
    precondition(sameTime == time & (1 << 33 - 1) && sameSetup == setup)
}

/// Other descriptions of audio: a separate AudioSpecificConfig, an MP4 descriptor.
func checkDescriptions(_ input: [UInt8]) {
    var reader = ByteReader(input.span.bytes)
    if let setup = try? AudioSetupInformation(reading: &reader) {
        let bytes = setup.bytes
        var again = ByteReader(bytes.span.bytes)
        let same = try? AudioSetupInformation(reading: &again)
        precondition(same == setup && again.remaining == 0)
    }
    reader = ByteReader(input.span.bytes)
    guard let descriptor = try? ElementaryStreamDescriptorBox(reading: &reader) else { return }
    let fields = AudioSampleFields(channelCount: UInt32(input.count % 3), sampleRate: Double(input.count) * 1000)
    let entry = SampleEntry(format: "mp4a", fields: .audio(fields), boxes: [RawBox(descriptor)])
    if let description = try? entry.audioDescription() { precondition(description.codecs.hasPrefix("mp4a.")) }
    let bare = SampleEntry(format: "mp4a", fields: .audio(fields), boxes: [])
    precondition((try? bare.audioDescription()) == nil)
}

func checkTag(_ input: [UInt8]) {
    do throws(ParseError) {
        var reader = ByteReader(input.span.bytes)
        let tag = try ID3Tag(reading: &reader)
        _ = try? tag.timestamp()
        _ = try? tag.audioSetup()
        let written = tag.bytes
        var rest = ByteReader(written.span.bytes)
        let same = try? ID3Tag(reading: &rest)
        precondition(same == tag && rest.remaining == 0)
    } catch {
        precondition((0...input.count).contains(error.offset))
    }
}

/// Tests one stream; its first byte selects the size of the chunks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let stream = Array(input.dropFirst())
    let whole = Result(stream, pieces: max(1, stream.count))
    precondition(whole == Result(stream, pieces: Int(first) + 1))
    let limited = Result(stream, pieces: Int(first) + 1, preamble: 64)
    precondition(limited == whole || limited.isRefused && limited.bytes.isEmpty)
    for (frame, bytes) in zip(whole.frames, whole.bytes) { check(frame, bytes) }
    let total = whole.bytes.reduce(0) { $0 + $1.count } + whole.skipped
    precondition(total <= stream.count)
    checkConfig(stream)
    checkTag(stream)
    checkDescriptions(stream)
    for index in stream.prefix(16) {
        precondition(SamplingFrequency(index: index).map { $0.hertz > 0 } ?? (index > 12))
    }
    return 0
}
