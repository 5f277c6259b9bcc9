import ByteCoding
import MediaFormats
import TextCoding

/// Reads the splice_info_sections of a transport stream, and determines their times on the timelines of its parts.
struct SpliceReader {
    /// A section and its time on the clock of a part.
    private struct Resolved {
        var part: Int
        var time: Int64
        var section: Section
    }

    private struct Section {
        var bytes: [UInt8]
        var info: SpliceInfoSection
    }

    /// The maximum number of sections that wait for a part.
    private static let maximumCount = 256
    private var waiting: [Section] = []
    private var resolved: [Resolved] = []
    private var invalidCount = 0

    /// Adds a section.
    mutating func add(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes.span.bytes)
        do throws(ParseError) {
            let section = Section(bytes: bytes, info: try SpliceInfoSection(reading: &reader))
            if waiting.count == Self.maximumCount { waiting.removeFirst() }
            waiting.append(section)
        } catch {
            invalidCount += 1
        }
    }

    /// Determines the times of the waiting sections. At a jump of the timestamps, a section belongs to the part whose
    /// timestamps are nearer to its time.
    mutating func resolve(_ splitter: TransportSplitter) {
        guard !waiting.isEmpty, !splitter.isUndecided else { return }
        let parts = splitter.parts.suffix(2).filter { $0.clock.latest != nil }
        guard let last = parts.last else { return }
        for section in waiting {
            var chosen = (part: last.number, time: last.clock.latest ?? 0)
            if let time = section.info.time {
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

    /// Returns the next command for a part, whose tracks must be known.
    mutating func next(in part: TransportPart) -> SpliceMarker? {
        guard !resolved.isEmpty else { return nil }
        resolved.removeAll { $0.part < part.number }
        guard let index = resolved.firstIndex(where: { $0.part == part.number }) else { return nil }
        let found = resolved.remove(at: index)
        return SpliceMarker(
            section: found.section.bytes,
            info: found.section.info,
            time: RationalTime(found.time - part.origin, timescale: UInt32(ProgramClock.rate)),
            isImmediate: found.section.info.time == nil
        )
    }

    /// The warnings about sections that cannot be read.
    var warnings: [String] {
        invalidCount == 0
            ? [] : ["\(counted(invalidCount, "SCTE-35 section")) damaged or invalid, and left out"]
    }
}
