import HLSPlaylist
import TextCoding

/// A collector of the information about the segments of a Media Playlist.
struct SegmentList {
    /// The segments with the attributes that apply to them; empty if segments are not listed.
    private(set) var segments = Grid(title: "Segments", columns: Self.columns)
    /// The ranges of segments in which a set of keys applies.
    private(set) var periods = Grid(
        title: "Key periods",
        columns: ["from", "to", "key format", "method", "versions", "IV", "URI"],
        isDerived: true
    )
    /// The ranges of segments in which an initialization section applies.
    private(set) var sections = Grid(
        title: "Initialization sections",
        columns: ["from", "to", "byte range", "encrypted by", "URI"],
        isDerived: true
    )
    /// The media sequence number of the first segment.
    let firstNumber: UInt64
    /// The media sequence number of the last segment.
    private(set) var lastNumber: UInt64?
    private(set) var discontinuities = 0
    private(set) var gaps = 0
    private(set) var parts: Int
    private(set) var encrypted = 0
    private(set) var firstDate: PlaylistDate?

    private let listsSegments: Bool
    private var keys: (first: UInt64, value: KeyContext)?
    private var section: (first: UInt64, value: ResolvedInitialization?)?

    /// The title of the date column.
    static let dateColumn = "date"
    /// The title of the partial segments column.
    static let partsColumn = "parts"
    /// The column titles.
    static let columns = [
        "segment", "duration", "discontinuity", dateColumn, "gap", "bit rate", partsColumn, "byte range", "URI", "keys",
        "initialization section", "title",
    ]

    init(_ playlist: MediaPlaylist, listsSegments: Bool) {
        self.listsSegments = listsSegments
        firstNumber = (playlist.mediaSequence ?? 0) &+ (playlist.skip?.skippedSegments ?? 0)
        parts = playlist.upcoming.parts.count
    }

    /// Returns the segments with all attributes that apply to them. Byte ranges without an offset are omitted, and the
    /// note explains that.
    static func resolve(_ playlist: MediaPlaylist) -> (segments: [ResolvedSegment], note: String?) {
        do {
            return (Array(try playlist.resolvedSegments()), nil)
        } catch {
            var copy = playlist
            for index in copy.segments.indices where copy.segments[index].byteRange != nil {
                copy.segments[index].byteRange = nil
            }
            let segments = (try? copy.resolvedSegments()).map(Array.init) ?? []
            return (segments, "byte ranges are not shown: \(error.diagnostic.message)")
        }
    }

    /// Adds the next segment.
    mutating func append(_ resolved: ResolvedSegment) {
        let number = resolved.mediaSequenceNumber
        let segment = resolved.segment
        if segment.isDiscontinuity { discontinuities += 1 }
        if segment.isGap { gaps += 1 }
        if !segment.tags.isEmpty { parts += segment.parts.count }
        if resolved.keys.isEncrypted { encrypted += 1 }
        if lastNumber == nil { firstDate = resolved.programDateTime }
        if keys?.value != resolved.keys {
            endPeriod()
            keys = (number, resolved.keys)
        }
        if section == nil || section?.value != resolved.initialization {
            endSection()
            section = (number, resolved.initialization)
        }
        if listsSegments { segments.rows.append(Self.row(resolved)) }
        lastNumber = number
    }

    /// Ends the last key period and the last initialization section.
    mutating func finish() {
        endPeriod()
        endSection()
        // If all segments are clear, there are no key periods.
        if encrypted == 0 { periods.rows = [] }
    }

    private mutating func endPeriod() {
        guard let keys, let lastNumber else { return }
        let range: [FieldValue?] = [.number(keys.first), .number(lastNumber)]
        if keys.value.keys.isEmpty {
            periods.rows.append(Grid.Row(identity: [], cells: range + [nil, .text("NONE"), nil, nil, nil]))
        }
        periods.rows += keys.value.keys.map { key in
            let cells: [FieldValue?] = [
                .text(key.keyFormat.rawValue), .text(key.method.rawValue), .optional(key.keyFormatVersions),
                .text(key.rule), .optional(uri: key.uri),
            ]
            return Grid.Row(identity: [], cells: range + cells)
        }
    }

    private mutating func endSection() {
        guard let section, let value = section.value, let lastNumber else { return }
        let cells: [FieldValue?] = [
            .number(section.first), .number(lastNumber), .optional(value.byteRange.map(Self.bytes)),
            .nonEmpty(value.keys.keys.map(\.keyFormat.rawValue)), .uri(value.map.uri),
        ]
        sections.rows.append(Grid.Row(identity: [], cells: cells))
    }

    /// Returns one number, or the range from the first to the last.
    static func numbers(_ first: UInt64, _ last: UInt64) -> String { first == last ? "\(first)" : "\(first)-\(last)" }

    private static func bytes(_ range: Range<UInt64>) -> String {
        "\(range.upperBound - range.lowerBound)@\(range.lowerBound)"
    }

    /// Returns the attributes that apply to a segment.
    ///
    /// - Parameter isCompared: Whether the row is for a comparison: initialization vectors are then those in the
    ///   playlist only, and partial segments are listed instead of counted.
    static func row(_ resolved: ResolvedSegment, isCompared: Bool = false) -> Grid.Row {
        let segment = resolved.segment
        let number = resolved.mediaSequenceNumber
        let parts = segment.tags.isEmpty ? [] : segment.parts
        let discontinuity = resolved.discontinuitySequenceNumber
        return Grid.Row(
            identity: [.number(number)],
            cells: [
                .number(number),
                .decimal(segment.duration, unit: "s"),
                discontinuity > 0 || segment.isDiscontinuity ? .number(discontinuity) : nil,
                .optional(resolved.programDateTime?.description),
                .yes(segment.isGap),
                .optional(resolved.bitrate, unit: "kbit/s"),
                parts.isEmpty ? nil : isCompared ? .items(parts.map(fields)) : .number(parts.count),
                .optional(resolved.byteRange.map(bytes)),
                .uri(segment.uri),
                items(resolved.keys.keys, resolved, resolvesIV: !isCompared),
                section(resolved.initialization),
                segment.title.isEmpty ? nil : .text(segment.title),
            ]
        )
    }

    private static func fields(_ part: PartTag) -> [Field] {
        var fields = [Field("URI", .uri(part.uri)), Field("duration", .decimal(part.duration, unit: "s"))]
        if let range = part.byteRange {
            fields.append(Field("bytes", .number(range.length)))
            if let offset = range.offset { fields.append(Field("first byte", .number(offset))) }
        }
        if part.isIndependent { fields.append(Field("independent", .text("independent"))) }
        if part.isGap { fields.append(Field("gap", .text("gap"))) }
        return fields
    }

    private static func items(_ keys: [KeyTag], _ segment: ResolvedSegment, resolvesIV: Bool) -> FieldValue? {
        guard !keys.isEmpty else { return nil }
        return .items(
            keys.map { key in
                var fields = [
                    Field("key format", .text(key.keyFormat.rawValue)), Field("method", .text(key.method.rawValue)),
                ]
                if let versions = key.keyFormatVersions { fields.append(Field("versions", .text(versions))) }
                let vector = resolvesIV ? segment.initializationVector(for: key) : nil
                let rule = vector.map { "0x" + Hexadecimal.encode($0.bytes) } ?? key.rule
                fields.append(Field("IV", .text(rule)))
                if let uri = key.uri { fields.append(Field("URI", .uri(uri))) }
                return fields
            }
        )
    }

    private static func section(_ section: ResolvedInitialization?) -> FieldValue? {
        guard let section else { return nil }
        var fields = [Field("URI", .uri(section.map.uri))]
        if let range = section.byteRange { fields.append(Field("byte range", .text(bytes(range)))) }
        let keys = section.keys.keys.map(\.keyFormat.rawValue)
        if !keys.isEmpty { fields.append(Field("encrypted by", .list(keys))) }
        return .items([fields])
    }
}
