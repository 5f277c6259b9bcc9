import ByteCoding
import MediaFormats

/// An access unit of a byte stream, which becomes a sample.
struct AccessUnit {
    /// A parameter set in the access unit.
    struct Set {
        /// The type and ID; nil if the parameter set is invalid.
        var id: VideoUnit.SetID?
        /// The range in the access unit's bytes, including the length field.
        var range: Range<Int>
    }

    /// The maximum number of parameter sets, and of SEI NAL units, that are recorded: more than there are IDs.
    private static let maximumUnits = 1024

    /// The NAL units, each after a length of 4 bytes; delimiters and filler data are removed, parameter sets are kept.
    var bytes: [UInt8] = []
    /// The parameter sets.
    var sets: [Set] = []
    /// The ranges of the SEI NAL units, without their length fields.
    var messages: [Range<Int>] = []
    /// The timestamps of the PES packet; nil if the access unit has none.
    var times: PacketTimes.Entry?
    /// True if there is a slice.
    var hasSlice = false
    /// True if a slice cannot be parsed.
    var isInvalid = false
    var randomAccess = RandomAccess.none
    var isSkippedLeading = false
    /// The field that the picture contains; nil for a frame.
    var field: VideoUnit.Field?

    /// Appends a NAL unit.
    mutating func append(_ unit: RawSpan, _ description: VideoUnit) {
        let start = bytes.count
        if case .discarded = description.role { return }
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: unit.byteCount).bigEndian) { bytes.append(contentsOf: $0) }
        unit.withUnsafeBytes { bytes.append(contentsOf: $0) }
        switch description.role {
        case .slice:
            if !hasSlice {
                randomAccess = description.randomAccess
                field = description.field
                isSkippedLeading = description.isSkippedLeading
            }
            hasSlice = true
            isInvalid = isInvalid || description.isInvalid
        case .parameterSet(let id) where sets.count < Self.maximumUnits:
            sets.append(Set(id: id, range: start..<bytes.count))
        case .message where messages.count < Self.maximumUnits: messages.append(start + 4..<bytes.count)
        case .parameterSet, .message, .discarded, .other: break
        }
    }

    /// Returns whether this is the second field of the same frame (ITU-T H.264, 3.30). Both fields form one sample.
    func isSecondField(of first: AccessUnit) -> Bool {
        guard let field, let other = first.field else { return false }
        return field.isBottom != other.isBottom && field.frameNumber == other.frameNumber
            && field.isReference == other.isReference
            && (randomAccess == .none || first.randomAccess != .none)
    }

    /// Appends the second field to the first.
    mutating func join(_ second: AccessUnit) {
        let start = bytes.count
        bytes += second.bytes
        sets += second.sets.map { Set(id: $0.id, range: $0.range.lowerBound + start..<$0.range.upperBound + start) }
        isInvalid = isInvalid || second.isInvalid
        field = nil
    }
}

/// Assembles access units from a byte stream, independently of PES packet boundaries.
struct AccessUnitAssembler<Syntax: VideoSyntax> {
    private(set) var syntax = Syntax()
    private var scanner = NALUnitScanner()
    private var times = PacketTimes()
    private var open: AccessUnit?
    /// A first field, waiting for the second.
    private var firstField: AccessUnit?
    private var lastSize = 0

    /// Consumes a PES packet, and calls `body` with each access unit that it completes.
    mutating func consume(
        _ packet: TransportDemuxer.Packet,
        _ body: (AccessUnit, Syntax) throws -> Void
    ) throws {
        times.append(packet, at: scanner.end)
        scanner.append(packet.payload)
        while let range = scanner.next() { try addUnit(range, body) }
        guard !scanner.exceedsMaximumSize else { throw TransportFailure.unitTooLarge }
    }

    /// Consumes the end of the stream.
    mutating func finish(_ body: (AccessUnit, Syntax) throws -> Void) throws {
        while let range = scanner.next(isEnd: true) { try addUnit(range, body) }
        if let last = open { try complete(last, body) }
        open = nil
        if let firstField { try body(firstField, syntax) }
        firstField = nil
    }

    private mutating func addUnit(_ range: Range<Int>, _ body: (AccessUnit, Syntax) throws -> Void) throws {
        let bytes = scanner.bytes
        let unit = bytes.span.bytes.extracting(range)
        let description = syntax.parse(unit, isAfterSlice: open?.hasSlice == true)
        if description.isStart || open == nil {
            if let last = open {
                lastSize = last.bytes.count
                open = nil
                try complete(last, body)
            }
            var new = AccessUnit()
            new.times = times.removeEntry(at: scanner.startCode(of: range))
            // Reserve the rest of this packet; the array grows with further packets.
            new.bytes.reserveCapacity(max(bytes.count - range.lowerBound + 64, min(lastSize, 1 << 16)))
            open = new
        }
        open?.append(unit, description)
        guard open?.bytes.count ?? 0 <= NALUnitScanner.maximumUnitSize else { throw TransportFailure.unitTooLarge }
    }

    private mutating func complete(_ unit: AccessUnit, _ body: (AccessUnit, Syntax) throws -> Void) throws {
        if var first = firstField {
            firstField = nil
            if unit.isSecondField(of: first) {
                first.join(unit)
                return try body(first, syntax)
            }
            try body(first, syntax)
        }
        if unit.field != nil {
            firstField = unit
        } else {
            try body(unit, syntax)
        }
    }
}

/// An error that makes a stream unusable.
enum TransportFailure: Error {
    /// An access unit exceeds the size limit.
    case unitTooLarge
    /// The track was requested before the stream was identified.
    case notReady
}
