import ByteCoding
import MediaFormats
import TextCoding

/// Reads the splice_info_sections and the ID3 tags of a transport stream, and determines their times on the timelines of
/// its parts.
struct SpliceReader {
    /// A section and its time on the clock of a part.
    private struct Resolved {
        var part: Int
        var time: Int64
        var section: Section
    }

    private struct Section {
        var bytes: [UInt8]
        /// The section; nil for an ID3 tag.
        var info: SpliceInfoSection?
        /// The time of 33 bits, in units of 1/90,000 second; nil for that of the arrival.
        var time: UInt64?
    }

    /// The maximum number of sections that wait for a part.
    private static let maximumCount = 256
    private var waiting: [Section] = []
    private var resolved: [Resolved] = []
    private var invalidCount = 0
    private var invalidTags = 0
    /// The maximum size of a PES packet with ID3 tags in bytes.
    private static let maximumTag = 1 << 20

    /// Adds a section.
    mutating func add(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes.span.bytes)
        do throws(ParseError) {
            let info = try SpliceInfoSection(reading: &reader)
            wait(Section(bytes: bytes, info: info, time: info.time))
        } catch {
            invalidCount += 1
        }
    }

    /// Adds a PES packet with ID3 tags.
    mutating func addMetadata(_ packet: TransportDemuxer.Packet) {
        guard let time = packet.presentationTime, packet.payload.starts(with: Array("ID3".utf8)),
            packet.payload.count <= Self.maximumTag, !packet.isDamaged
        else { return invalidTags += 1 }
        wait(Section(bytes: packet.payload, time: UInt64(truncatingIfNeeded: time) & 0x1_FFFF_FFFF))
    }

    private mutating func wait(_ section: Section) {
        if waiting.count == Self.maximumCount { waiting.removeFirst() }
        waiting.append(section)
    }

    /// Determines the times of the waiting sections. At a jump of the timestamps, a section belongs to the part whose
    /// timestamps are nearer to its time.
    mutating func resolve(_ splitter: TransportSplitter) {
        guard !waiting.isEmpty, !splitter.isUndecided else { return }
        let parts = splitter.parts.suffix(2).filter { $0.clock.latest != nil }
        guard let last = parts.last else { return }
        for section in waiting {
            var chosen = (part: last.number, time: last.clock.latest ?? 0)
            if let time = section.time {
                var distance = Int64.max
                for part in parts.reversed() {
                    guard let mapped = part.clock.nearest(Int64(time)), let latest = part.clock.latest,
                        abs(mapped - latest) < distance
                    else { continue }
                    (chosen, distance) = ((part.number, mapped), abs(mapped - latest))
                }
            }
            if resolved.count == Self.maximumCount { resolved.removeFirst() }
            resolved.append(Resolved(part: chosen.part, time: chosen.time, section: section))
        }
        waiting = []
    }

    /// Returns the next command or tag for a part, whose tracks must be known.
    mutating func next(in part: TransportPart) -> InputEvent? {
        guard !resolved.isEmpty else { return nil }
        resolved.removeAll { $0.part < part.number }
        guard let index = resolved.firstIndex(where: { $0.part == part.number }) else { return nil }
        let found = resolved.remove(at: index)
        let time = RationalTime(found.time - part.origin, timescale: UInt32(ProgramClock.rate))
        guard let info = found.section.info else {
            return .metadata(TimedMetadata(time: time, bytes: found.section.bytes))
        }
        return .splice(
            SpliceMarker(section: found.section.bytes, info: info, time: time, isImmediate: info.time == nil)
        )
    }

    /// The warnings about sections that cannot be read.
    var warnings: [String] {
        (invalidCount == 0
            ? [] : ["\(counted(invalidCount, "SCTE-35 section")) damaged or invalid, and left out"])
            + (invalidTags == 0
                ? []
                : ["\(counted(invalidTags, "packet")) of timed metadata without a time or an ID3 tag, and left out"])
    }
}
