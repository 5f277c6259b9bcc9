import ByteCoding
import MediaFormats

// ADTS, AudioSpecificConfig and ID3: pieces of any size give the same frames; what is read is written again to the bit.

/// What came out of a stream.
struct Result: Equatable {
    var frames: [ADTSSplitter.Frame] = []
    var bytes: [[UInt8]] = []
    var damage = 0
    var skipped = 0
    var isRefused = false

    init(_ input: [UInt8], pieces size: Int) {
        var splitter = ADTSSplitter()
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
        preconditionFailure("not read again: \(error)")
    }
    guard let framing = try? ADTSFraming(config) else { preconditionFailure("ADTS cannot say what it said") }
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
        _ = try? ADTSFraming(config)
        let setup = AudioSetupInformation(config)
        if let descriptor = try? TransportDescriptor(setup) {
            let same = try? descriptor.audioSetup()
            precondition(same == setup)
        }
    } catch {
        precondition((0...input.count).contains(error.offset))
    }
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

/// One stream; its first byte says how large the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let stream = Array(input.dropFirst())
    let whole = Result(stream, pieces: max(1, stream.count))
    precondition(whole == Result(stream, pieces: Int(first) + 1))
    for (frame, bytes) in zip(whole.frames, whole.bytes) { check(frame, bytes) }
    let total = whole.bytes.reduce(0) { $0 + $1.count } + whole.skipped
    precondition(total <= stream.count)
    checkConfig(stream)
    checkTag(stream)
    return 0
}
