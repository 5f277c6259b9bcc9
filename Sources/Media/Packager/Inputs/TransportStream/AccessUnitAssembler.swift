import ByteCoding
import MediaFormats

/// A picture of a byte stream on its way to a sample.
struct AccessUnit {
    /// A parameter set in the access unit.
    struct Set {
        /// Which one; nil: it is broken.
        var id: VideoUnit.SetID?
        /// Where it lies in the bytes, its length included.
        var range: Range<Int>
    }

    /// How many parameter sets and how many messages are taken note of: more than there are IDs.
    private static let mostUnits = 1024

    /// NAL units behind lengths of 4 bytes; delimiters and filler left out, parameter sets among them.
    var bytes: [UInt8] = []
    /// The parameter sets.
    var sets: [Set] = []
    /// SEI NAL units, without their lengths.
    var messages: [Range<Int>] = []
    /// What its PES packet says; nil when it has none of its own.
    var times: PacketTimes.Entry?
    /// Whether there is a slice.
    var hasSlice = false
    /// Whether a slice cannot be read.
    var isBroken = false
    var randomAccess = RandomAccess.none
    var isSkippedLeading = false
    /// Which field it is; nil for a frame.
    var field: VideoUnit.Field?

    /// Appends a NAL unit.
    mutating func append(_ unit: RawSpan, _ description: VideoUnit) {
        let start = bytes.count
        if case .left = description.role { return }
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
            isBroken = isBroken || description.isBroken
        case .parameterSet(let id) where sets.count < Self.mostUnits:
            sets.append(Set(id: id, range: start..<bytes.count))
        case .message where messages.count < Self.mostUnits: messages.append(start + 4..<bytes.count)
        case .parameterSet, .message, .left, .other: break
        }
    }

    /// Whether it is the other field of the same frame (ITU-T H.264, 3.30). Both make one sample.
    func isSecondField(of first: AccessUnit) -> Bool {
        guard let field, let other = first.field else { return false }
        return field.isBottom != other.isBottom && field.frameNumber == other.frameNumber
            && field.isReference == other.isReference
            && (randomAccess == .none || first.randomAccess != .none)
    }

    /// Joins the second field to the first.
    mutating func join(_ second: AccessUnit) {
        let start = bytes.count
        bytes += second.bytes
        sets += second.sets.map { Set(id: $0.id, range: $0.range.lowerBound + start..<$0.range.upperBound + start) }
        isBroken = isBroken || second.isBroken
        field = nil
    }
}

/// Puts a byte stream together to access units, however PES packets cut it.
struct AccessUnitAssembler<Syntax: VideoSyntax> {
    private(set) var syntax = Syntax()
    private var scanner = NALUnitScanner()
    private var times = PacketTimes()
    private var open: AccessUnit?
    /// A first field, which waits for the second.
    private var firstField: AccessUnit?
    private var lastSize = 0

    /// Takes a PES packet, and gives the access units that it completes to `body`.
    mutating func take(
        _ packet: TransportDemuxer.Packet,
        _ body: (AccessUnit, Syntax) throws -> Void
    ) throws {
        times.append(packet, at: scanner.end)
        scanner.append(packet.payload)
        while let range = scanner.next() { try takeUnit(range, body) }
        guard !scanner.isOverfull else { throw TransportFailure.endlessUnit }
    }

    /// Takes the end of the stream.
    mutating func finish(_ body: (AccessUnit, Syntax) throws -> Void) throws {
        while let range = scanner.next(isEnd: true) { try takeUnit(range, body) }
        if let last = open { try complete(last, body) }
        open = nil
        if let firstField { try body(firstField, syntax) }
        firstField = nil
    }

    private mutating func takeUnit(_ range: Range<Int>, _ body: (AccessUnit, Syntax) throws -> Void) throws {
        let bytes = scanner.bytes
        let unit = bytes.span.bytes.extracting(range)
        let description = syntax.take(unit, isBehindSlice: open?.hasSlice == true)
        if description.isStart || open == nil {
            if let last = open {
                lastSize = last.bytes.count
                open = nil
                try complete(last, body)
            }
            var new = AccessUnit()
            new.times = times.take(at: scanner.startCode(of: range))
            // What there is of this packet; another one makes the array grow.
            new.bytes.reserveCapacity(max(bytes.count - range.lowerBound + 64, min(lastSize, 1 << 16)))
            open = new
        }
        open?.append(unit, description)
        guard open?.bytes.count ?? 0 <= NALUnitScanner.greatestUnit else { throw TransportFailure.endlessUnit }
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

/// What makes a stream unusable.
enum TransportFailure: Error {
    /// An access unit does not end.
    case endlessUnit
    /// A stream is asked for its track before it has shown what it is.
    case notReady
}
