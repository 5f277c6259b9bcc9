import ByteCoding
import MediaFormats

// AC-3 and E-AC-3: chunks of any size give the same access units, and the access units consist of the syncframes;
// configuration boxes that are generated from access units or read can be written and read again.

/// The result of parsing a stream.
struct Result: Equatable {
    var units: [AC3Splitter.AccessUnit] = []
    var bytes: [[UInt8]] = []
    var damage = 0
    var skipped = 0
    var isRefused = false

    init(_ input: [UInt8], pieces size: Int, preamble: Int = 1 << 20) {
        var splitter = AC3Splitter(preamble: preamble)
        do {
            func take(_ unit: AC3Splitter.AccessUnit, _ span: RawSpan) {
                units.append(unit)
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

func check(_ unit: AC3Splitter.AccessUnit, _ bytes: [UInt8]) {
    do throws(ParseError) {
        var syncframes = AC3Syncframes()
        var end = 0
        var blocks = 0
        while let range = try syncframes.next(bytes.span.bytes) {
            precondition(range.lowerBound == end && !range.isEmpty)
            end = range.upperBound
            guard let header = syncframes.header else { preconditionFailure("a syncframe without a header") }
            if header.beginsAccessUnit { blocks += header.blockCount }
            precondition((1...6).contains(header.channelCount) && header.blockCount <= 6)
            let syncframe = Array(bytes[range])
            if header.isEnhanced { _ = try? EnhancedAC3Information(syncframe.span.bytes) }
        }
        precondition(end == bytes.count && blocks == 6)
    } catch {
        preconditionFailure("an access unit does not consist of syncframes: \(error)")
    }
    if let box = try? EnhancedAC3ConfigurationBox(accessUnit: bytes.span.bytes) {
        let entry = SampleEntry.ec3(box, sampleRate: unit.header.sampleRate)
        precondition((try? entry.enhancedAC3Configuration()) == box)
        precondition((try? entry.audioDescription())??.channels == box.channelsAttribute)
        let setup = AudioSetupInformation(box)
        precondition((try? TransportDescriptor(setup))?.content.count == 12 + setup.setupData.count)
    }
    if let box = try? AC3ConfigurationBox(unit.header) {
        let entry = SampleEntry.ac3(box)
        precondition((try? entry.ac3Configuration()) == box)
        precondition((try? entry.audioDescription())??.codecs == "ac-3" && box.bitRate <= 640_000)
        precondition((try? AudioSetupInformation(ac3: bytes.span.bytes)) != nil)
        // The sample entry of one codec must not contain the box of the other.
        let other = SampleEntry(format: "ec-3", fields: entry.fields, boxes: entry.boxes)
        precondition((try? other.enhancedAC3Configuration()) == nil)
    }
}

/// Calls the checks for syncframes and for the start of an access unit, whose results may be anything for this input.
func checkAnything(_ input: [UInt8]) {
    do throws(ParseError) {
        let header = try AC3Syncframe(input.span.bytes)
        precondition(header.size > 0)
        _ = try AudioSetupInformation(ac3: input.span.bytes)
    } catch {
        precondition((0...input.count).contains(error.offset))
    }
    _ = try? EnhancedAC3Information(input.span.bytes)
    _ = try? EnhancedAC3ConfigurationBox(accessUnit: input.span.bytes)
}

/// Parses a box's content, writes it, and parses the result.
func checkBox<Kind: Box & Equatable>(_: Kind.Type, _ input: [UInt8]) {
    do throws(ParseError) {
        var reader = ByteReader(input.span.bytes)
        let box = try Kind(reading: &reader)
        let same = try? RawBox(box).parse(as: Kind.self)
        precondition(same == box)
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
    for (unit, bytes) in zip(whole.units, whole.bytes) { check(unit, bytes) }
    checkAnything(stream)
    checkBox(AC3ConfigurationBox.self, stream)
    checkBox(EnhancedAC3ConfigurationBox.self, stream)
    checkBox(ElementaryStreamDescriptorBox.self, stream)
    return 0
}
