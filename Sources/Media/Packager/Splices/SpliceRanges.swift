import ByteCoding
import HLSPlaylist
import MediaFormats
import TextCoding

/// Describes commands of SCTE 35 as Date Ranges (RFC 8216bis, 4.4.5.1.1). A value type without I/O.
///
///     start of a break   ID, START-DATE, PLANNED-DURATION, SCTE35-OUT
///     its end            the same ID and START-DATE, DURATION, SCTE35-IN
///     end by duration    the same ID and START-DATE, DURATION
///     other commands     ID, START-DATE, PLANNED-DURATION, SCTE35-CMD
///
/// An ID contains the number of the event and the start date: encoders use the number of an event again.
struct SpliceRanges: Sendable {
    /// The maximum number of breaks that have started but not ended.
    private static let maximumOpen = 64
    /// The number of points whose tags are kept for the other renditions.
    private static let maximumKnown = 256

    private struct Open {
        var event: SplicePoint.Event
        var id: String
        var start: PlaylistDate
        var section: [UInt8]
    }

    private var open: [Open] = []
    /// The tags of the last points: all renditions list the same ones.
    private var known: [(number: Int, tag: DateRangeTag?)] = []

    /// Starts without open breaks.
    init() {}

    /// Continues with the breaks that a playlist lists as started but not ended.
    init(resuming playlist: RenditionPlaylist) {
        let segments = playlist.segments + (playlist.lowLatency?.open.map { [$0] } ?? [])
        let tags = segments.flatMap(\.dateRanges)
        let ended = Set(tags.filter { $0.duration != nil }.map(\.id))
        for tag in tags where !ended.contains(tag.id) && !open.contains(where: { $0.id == tag.id }) {
            guard let section = tag.scte35Out, let start = tag.startDate else { continue }
            var reader = ByteReader(section.span.bytes)
            guard let info = try? SpliceInfoSection(reading: &reader) else { continue }
            let marker = SpliceMarker(section: section, info: info, time: .zero, isImmediate: false)
            for point in SplicePoint.points(of: marker) where point.role == .out && Self.id(point, start) == tag.id {
                add(Open(event: point.event, id: tag.id, start: start, section: section))
            }
        }
    }

    /// Returns the tag of a point; nil if there is nothing to tell.
    ///
    /// - Parameter date: The date of the point, in milliseconds. Only that of the first call for a point counts.
    mutating func tag(for point: SplicePoint, date: PlaylistDate) -> DateRangeTag? {
        if let entry = known.first(where: { $0.number == point.number }) { return entry.tag }
        let tag = makeTag(point, date)
        known.append((point.number, tag))
        if known.count > Self.maximumKnown { known.removeFirst() }
        return tag
    }

    /// The warning that DASH manifests do not contain the commands.
    static func warnings(_ manifests: Set<PackagingJob.Manifest>) -> [String] {
        manifests.contains(.dash)
            ? ["the inputs have SCTE-35 commands; they are in the playlists, but not in the DASH manifest"] : []
    }

    /// The warning that commands were dropped.
    static func warnings(dropped count: Int) -> [String] {
        count == 0 ? [] : ["\(counted(count, "SCTE-35 command")) left out, because too many are announced at once"]
    }

    private mutating func makeTag(_ point: SplicePoint, _ date: PlaylistDate) -> DateRangeTag? {
        let id = Self.id(point, date)
        switch point.role {
        case .command:
            return DateRangeTag(
                id: id,
                startDate: date,
                plannedDuration: point.duration,
                scte35Command: point.section
            )
        case .out:
            // A command may be repeated after its time, and after this run has continued an earlier one.
            guard !open.contains(where: { $0.event == point.event && $0.section == point.section }) else { return nil }
            open.removeAll { $0.event == point.event }
            add(Open(event: point.event, id: id, start: date, section: point.section))
            return DateRangeTag(id: id, startDate: date, plannedDuration: point.duration, scte35Out: point.section)
        case .in, .automaticReturn:
            let section = point.role == .in ? point.section : nil
            guard let index = open.firstIndex(where: { $0.event == point.event }) else {
                return section.map { DateRangeTag(id: id, startDate: date, scte35In: $0) }
            }
            let start = open.remove(at: index)
            return DateRangeTag(
                id: start.id,
                startDate: start.start,
                duration: max(0, (date.timeInterval(since: start.start) * 1000).rounded() / 1000),
                scte35In: section
            )
        }
    }

    private mutating func add(_ range: Open) {
        if open.count == Self.maximumOpen { open.removeFirst() }
        open.append(range)
    }

    private static func id(_ point: SplicePoint, _ date: PlaylistDate) -> String {
        let milliseconds = date.seconds * 1000 + Int64(date.nanoseconds / 1_000_000)
        return switch point.event {
        case .insert(let id): "splice-\(id)-\(milliseconds)"
        case .segmentation(let id, let type):
            "segmentation-0x\(Hexadecimal.encodeUppercase([type]))-\(id)-\(milliseconds)"
        case .other(let checksum): "command-0x\(Hexadecimal.encodeUppercase(checksum))-\(milliseconds)"
        }
    }
}

extension SplicePoint {
    /// The warning about a splice without a key frame; nil if a segment starts at the point.
    ///
    /// - Parameter date: The date of the point.
    func warning(_ date: PlaylistDate) -> String? {
        guard delay > 0 else { return nil }
        let seconds = (delay * 1000).rounded() / 1000
        return "there is no key frame at the splice of \(date): the segment starts \(seconds) s later; configure the "
            + "encoder to insert a key frame at each splice"
    }
}
