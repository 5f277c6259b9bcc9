import ByteCoding

/// Cuts a stream of AC-3 or E-AC-3 into access units: from the PES packets of a transport stream, or from packed audio.
/// A value without I/O: bytes go in, in pieces of any size, and access units come out.
///
/// An access unit of AC-3 is a syncframe. One of E-AC-3 is what an MP4 file has as a sample (ETSI TS 102 366, F.2.2):
/// as many syncframes of the independent substream 0 as make 6 blocks, each with the syncframes of other substreams
/// that follow it. So its end is known only when the next syncframe begins.
///
/// ID3 tags before access units are passed over. At the beginning and after bytes that belong to no syncframe, an
/// access unit counts only when another one follows it, or the end.
public struct AC3Splitter: Sendable {
    /// An access unit of the stream.
    public struct AccessUnit: Hashable, Sendable {
        /// The beginning of its first syncframe.
        public var header: AC3Syncframe
        /// The offset of its first byte in the stream.
        public var offset: Int
        /// Whether bytes were passed over before it.
        public var isAfterDamage: Bool
        /// Samples in it, for each channel.
        public var sampleCount: Int { 1536 }
    }

    private var splitter: FrameSplitter<AC3Syntax>

    /// Starts at the beginning of a stream.
    ///
    /// - Parameter preamble: How many bytes may precede the first syncframe, tags not counted: 1 MiB.
    public init(preamble: Int = 1 << 20) { splitter = FrameSplitter(AC3Syntax(), preamble: preamble) }

    /// How many times bytes were found that belong to no access unit.
    public var damage: Int { splitter.damage }
    /// How many such bytes there were.
    public var skippedByteCount: Int { splitter.skippedByteCount }

    /// Takes the next bytes of the stream, and gives each access unit that they complete to `body`, with all of its
    /// bytes; ``AC3Syncframes`` finds the syncframes in them. The bytes are valid only as long as `body` runs.
    ///
    /// - Throws: `ParseError` when there is no syncframe at the beginning, or the bytes of each word are the wrong way
    ///   round; and what `body` throws.
    public mutating func feed(_ bytes: RawSpan, _ body: (AccessUnit, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { syntax, unit, offset, isAfterDamage in
            try body(AccessUnit(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), unit)
        }
    }

    /// Takes the end of the stream, and gives the access unit that waited for it to `body`. One that is cut short is
    /// damage.
    ///
    /// - Throws: `ParseError` when there was no access unit in the whole stream; and what `body` throws.
    public mutating func finish(_ body: (AccessUnit, RawSpan) throws -> Void) throws {
        try splitter.finish { syntax, unit, offset, isAfterDamage in
            try body(AccessUnit(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), unit)
        }
    }
}

/// Where access units of AC-3 and E-AC-3 begin and end.
struct AC3Syntax: FrameSyntax {
    static let name = "AC-3 syncframe"

    /// The first syncframe of the last access unit.
    private(set) var header = AC3Syncframe.none
    private var isAtStart = true
    /// How far the syncframes of the access unit go that is being looked at, so that each is looked at once.
    private var size = 0
    /// How many blocks the independent substream 0 has in it.
    private var blocks = 0
    /// The substreams that came last; they come in the order of their numbers.
    private var independent: UInt8 = 0
    private var dependent = -1

    @inline(__always)
    mutating func decide(_ bytes: RawSpan, isSynced: Bool, isFinal: Bool) throws(ParseError) -> FrameDecision {
        let count = bytes.byteCount
        if isAtStart {
            guard count >= 2 || isFinal else { return .needs(2) }
            isAtStart = false
            if count >= 2, bytes.load(0, as: UInt16.self) == AC3Syncframe.syncword.byteSwapped {
                throw AC3Syncframe.byteSwapped(0)
            }
        }
        while true {
            let left = count - size
            guard left >= AC3Syncframe.headerSize else {
                if !isFinal {
                    // Do not wait for what cannot become a syncframe.
                    if size > 0 || Self.isSyncword(bytes) { return .needs(size + AC3Syncframe.headerSize) }
                    return pass(bytes)
                }
                let isNext = left == 0 || Self.isSyncword(bytes.extracting(size..<count))
                return end(bytes, isConfirmed: isSynced || isNext)
            }
            let tail = bytes.extracting(size..<count)
            guard let next = AC3Syncframe(fields: tail) else {
                return end(bytes, isConfirmed: isSynced || Self.isTag(tail))
            }
            if size == 0 {
                guard next.beginsAccessUnit else { return pass(bytes) }
            } else if next.beginsAccessUnit {
                guard blocks < 6 else { return end(bytes, isConfirmed: true) }
                guard next.isEnhanced, blocks + next.blockCount <= 6, next.sampleRate == header.sampleRate else {
                    // Blocks are missing, at its beginning as a rule: another syncframe in it may be the first.
                    return pass(bytes)
                }
            } else if next.streamType == .dependent {
                guard Int(next.substreamID) > dependent else { return end(bytes, isConfirmed: isSynced) }
            } else {
                guard next.substreamID > independent else { return end(bytes, isConfirmed: isSynced) }
            }
            guard next.size <= left else { return isFinal ? pass(bytes) : .needs(size + next.size) }
            take(next)
            size += next.size
        }
    }

    /// Takes note of a syncframe of the access unit.
    @inline(__always)
    private mutating func take(_ next: AC3Syncframe) {
        if size == 0 { header = next }
        if next.streamType == .dependent {
            dependent = Int(next.substreamID)
        } else {
            if next.substreamID == 0 { blocks += next.blockCount }
            independent = next.substreamID
            dependent = -1
        }
    }

    /// The access unit ends where the known syncframes end, if it is whole.
    private mutating func end(_ bytes: RawSpan, isConfirmed: Bool) -> FrameDecision {
        guard size > 0, blocks == 6, isConfirmed else { return pass(bytes) }
        let whole = size
        reset()
        return .frame(whole)
    }

    /// Goes on to the next place where a syncframe may begin.
    private mutating func pass(_ bytes: RawSpan) -> FrameDecision {
        reset()
        var index = 1
        while index < bytes.byteCount {
            if Self.isSyncword(bytes.extracting(index..<bytes.byteCount)) { break }
            index += 1
        }
        return .garbage(index)
    }

    private mutating func reset() {
        size = 0
        blocks = 0
        independent = 0
        dependent = -1
    }

    /// Whether the first byte, and the second one where there is one, are those of a syncframe.
    private static func isSyncword(_ bytes: RawSpan) -> Bool {
        bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0x0B
            && (bytes.byteCount < 2 || bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self) == 0x77)
    }

    /// Whether a tag begins with these bytes, 3 at least.
    private static func isTag(_ bytes: RawSpan) -> Bool {
        [0x49_4433, 0x54_4147].contains(bytes.load(0, as: UInt32.self) >> 8)
    }
}

extension AC3Syncframe {
    /// Stands where no syncframe has been read yet: the shortest one.
    fileprivate static let none: AC3Syncframe = {
        let bytes: [UInt8] = [0x0B, 0x77, 0, 0, 0, 0x40, 0x40]
        return AC3Syncframe(fields: bytes.span.bytes)!
    }()
}
