import ByteCoding

/// A splitter that divides an AC-3 or E-AC-3 stream from PES packets or packed audio into access units. It does no I/O:
/// feed it bytes in parts of any size.
///
/// An access unit of AC-3 is one syncframe. An access unit of E-AC-3 is a sample of an MP4 file (ETSI TS 102 366,
/// F.2.2): the syncframes of independent substream 0 with 6 blocks in total, each with the syncframes of other
/// substreams that follow it. So its end is known only when the next syncframe begins.
///
/// ID3 tags before access units are skipped. At the start of the stream and after bytes that do not belong to a
/// syncframe, an access unit is accepted only if another one or the end of the stream follows it.
public struct AC3Splitter: Sendable {
    /// An access unit of the stream.
    public struct AccessUnit: Hashable, Sendable {
        /// The header of its first syncframe.
        public var header: AC3Syncframe
        /// The offset in bytes of its first byte in the stream.
        public var offset: Int
        /// True if bytes were skipped before it.
        public var isAfterDamage: Bool
        /// The number of samples per channel.
        public var sampleCount: Int { 1536 }
    }

    private var splitter: FrameSplitter<AC3Syntax>

    /// Creates a splitter for a stream from its start.
    ///
    /// - Parameter preamble: the maximum number of bytes before the first syncframe, without tags; 1 MiB by default.
    public init(preamble: Int = 1 << 20) { splitter = FrameSplitter(AC3Syntax(), preamble: preamble) }

    /// The number of times that bytes were found that do not belong to an access unit.
    public var damage: Int { splitter.damage }
    /// The number of bytes that do not belong to an access unit.
    public var skippedByteCount: Int { splitter.skippedByteCount }

    /// Reads the next bytes of the stream and calls `body` with the bytes of each access unit that they complete. Use
    /// ``AC3Syncframes`` to find its syncframes. The bytes are valid only until `body` returns.
    ///
    /// - Throws: `ParseError` if there is no syncframe at the start, or the bytes of each 16-bit word are swapped; and
    ///   the errors of `body`.
    public mutating func feed(_ bytes: RawSpan, _ body: (AccessUnit, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { syntax, unit, offset, isAfterDamage in
            try body(AccessUnit(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), unit)
        }
    }

    /// Finishes the stream and calls `body` with the last access unit. A truncated access unit counts as damage.
    ///
    /// - Throws: `ParseError` if the stream contained no access unit; and the errors of `body`.
    public mutating func finish(_ body: (AccessUnit, RawSpan) throws -> Void) throws {
        try splitter.finish { syntax, unit, offset, isAfterDamage in
            try body(AccessUnit(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), unit)
        }
    }
}

/// The syntax that detects the start and end of AC-3 and E-AC-3 access units.
struct AC3Syntax: FrameSyntax {
    static let name = "AC-3 syncframe"

    /// The header of the last access unit's first syncframe.
    private(set) var header = AC3Syncframe.placeholder
    private var isAtStart = true
    /// The total size in bytes of the current access unit's syncframes found so far, so that each syncframe is parsed
    /// once.
    private var size = 0
    /// The number of audio blocks of independent substream 0 in the current access unit.
    private var blocks = 0
    /// The IDs of the last substreams. Substreams are in ascending order of their IDs.
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
                    // Do not wait for more bytes if these cannot become a syncframe.
                    if size > 0 || Self.isSyncword(bytes) { return .needs(size + AC3Syncframe.headerSize) }
                    return skipGarbage(bytes)
                }
                let isNext = left == 0 || Self.isSyncword(bytes.extracting(size..<count))
                return end(bytes, isConfirmed: isSynced || isNext)
            }
            let tail = bytes.extracting(size..<count)
            guard let next = AC3Syncframe(fields: tail) else {
                return end(bytes, isConfirmed: isSynced || Self.isTag(tail))
            }
            if size == 0 {
                guard next.beginsAccessUnit else { return skipGarbage(bytes) }
            } else if next.beginsAccessUnit {
                guard blocks < 6 else { return end(bytes, isConfirmed: true) }
                guard next.isEnhanced, blocks + next.blockCount <= 6, next.sampleRate == header.sampleRate else {
                    // Blocks are missing, usually at the start: a later syncframe can be the first of an access unit.
                    return skipGarbage(bytes)
                }
            } else if next.streamType == .dependent {
                guard Int(next.substreamID) > dependent else { return end(bytes, isConfirmed: isSynced) }
            } else {
                guard next.substreamID > independent else { return end(bytes, isConfirmed: isSynced) }
            }
            guard next.size <= left else { return isFinal ? skipGarbage(bytes) : .needs(size + next.size) }
            add(next)
            size += next.size
        }
    }

    /// Adds a syncframe to the access unit.
    @inline(__always)
    private mutating func add(_ next: AC3Syncframe) {
        if size == 0 { header = next }
        if next.streamType == .dependent {
            dependent = Int(next.substreamID)
        } else {
            if next.substreamID == 0 { blocks += next.blockCount }
            independent = next.substreamID
            dependent = -1
        }
    }

    /// Ends the access unit after the known syncframes, if it is complete.
    private mutating func end(_ bytes: RawSpan, isConfirmed: Bool) -> FrameDecision {
        guard size > 0, blocks == 6, isConfirmed else { return skipGarbage(bytes) }
        let whole = size
        reset()
        return .frame(whole)
    }

    /// Skips to the next position where a syncframe can begin.
    private mutating func skipGarbage(_ bytes: RawSpan) -> FrameDecision {
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

    /// Returns whether the bytes begin with the syncword, or with its first byte if there is only one byte.
    private static func isSyncword(_ bytes: RawSpan) -> Bool {
        bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0x0B
            && (bytes.byteCount < 2 || bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self) == 0x77)
    }

    /// Returns whether the bytes begin with an ID3 tag. There must be at least 3 bytes.
    private static func isTag(_ bytes: RawSpan) -> Bool {
        [0x49_4433, 0x54_4147].contains(bytes.load(0, as: UInt32.self) >> 8)
    }
}

extension AC3Syncframe {
    /// A placeholder before the first syncframe has been read: the shortest syncframe.
    fileprivate static let placeholder: AC3Syncframe = {
        let bytes: [UInt8] = [0x0B, 0x77, 0, 0, 0, 0x40, 0x40]
        return AC3Syncframe(fields: bytes.span.bytes)!
    }()
}
