import ByteCoding

/// Cuts a stream of ADTS frames into them: from the PES packets of a transport stream, or from packed audio. A value
/// without I/O: bytes go in, in pieces of any size, and frames come out.
///
///     var splitter = ADTSSplitter()
///     try splitter.feed(piece) { frame, bytes in
///         for block in try frame.header.rawDataBlocks(base: frame.offset) { ... bytes.extracting(block) ... }
///     }
///     try splitter.finish { ... }
///
/// ID3 tags before frames are passed over. At the beginning and after bytes that belong to no frame, a frame counts
/// only when the same stream's next one follows it, or the end.
public struct ADTSSplitter: Sendable {
    /// A frame of the stream.
    public struct Frame: Hashable, Sendable {
        /// Its header.
        public var header: ADTSHeader
        /// The offset of its first byte in the stream.
        public var offset: Int
        /// Whether bytes were passed over before it.
        public var isAfterDamage: Bool
    }

    private var splitter: FrameSplitter<ADTSSyntax>

    /// Starts at the beginning of a stream.
    ///
    /// - Parameter preamble: How many bytes may precede the first frame, tags not counted: 1 MiB.
    public init(preamble: Int = 1 << 20) { splitter = FrameSplitter(ADTSSyntax(), preamble: preamble) }

    /// How many times bytes were found that belong to no frame.
    public var damage: Int { splitter.damage }
    /// How many such bytes there were.
    public var skippedByteCount: Int { splitter.skippedByteCount }

    /// Takes the next bytes of the stream, and gives each frame that they complete to `body`, with all of its bytes,
    /// the header included. The bytes are valid only as long as `body` runs.
    ///
    /// - Throws: `ParseError` when there is no frame at the beginning; and what `body` throws.
    public mutating func feed(_ bytes: RawSpan, _ body: (Frame, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { syntax, frame, offset, isAfterDamage in
            try body(Frame(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), frame)
        }
    }

    /// Takes the end of the stream, and gives the frame that waited for it to `body`. A frame that is cut short is
    /// damage.
    ///
    /// - Throws: `ParseError` when there was no frame in the whole stream; and what `body` throws.
    public mutating func finish(_ body: (Frame, RawSpan) throws -> Void) throws {
        try splitter.finish { syntax, frame, offset, isAfterDamage in
            try body(Frame(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), frame)
        }
    }
}

/// Where ADTS frames begin and end.
struct ADTSSyntax: FrameSyntax {
    static let name = "ADTS frame"

    /// The header of the last frame.
    private(set) var header = ADTSHeader.none

    @inline(__always)
    mutating func decide(_ bytes: RawSpan, isSynced: Bool, isFinal: Bool) throws(ParseError) -> FrameDecision {
        let count = bytes.byteCount
        guard count >= ADTSHeader.shortestSize else {
            return isFinal ? .garbage(count) : Self.isSyncword(bytes) ? .needs(ADTSHeader.shortestSize) : .garbage(1)
        }
        let bits = ADTSHeader.bits(bytes)
        guard let header = ADTSHeader(bits: bits) else { return .garbage(Self.nextSyncword(bytes)) }
        let size = header.frameLength
        // After garbage the next header has to follow, so that chance does not make a frame.
        let lookahead = isSynced ? 0 : ADTSHeader.shortestSize
        if count < size + lookahead, !isFinal { return .needs(size + lookahead) }
        guard count >= size else { return .garbage(Self.nextSyncword(bytes)) }
        if !isSynced, count > size, !Self.follows(bytes.extracting(size..<count), bits) {
            return .garbage(Self.nextSyncword(bytes))
        }
        self.header = header.reading(bytes)
        return .frame(size)
    }

    /// Whether the next frame of the same stream begins with these bytes, or a tag.
    private static func follows(_ bytes: RawSpan, _ bits: UInt64) -> Bool {
        guard bytes.byteCount >= ADTSHeader.shortestSize else { return isSyncword(bytes) }
        let next = ADTSHeader.bits(bytes)
        if ADTSHeader(bits: next) != nil { return (next ^ bits) & ADTSHeader.identity == 0 }
        return bytes.load(0, as: UInt32.self) >> 8 == 0x49_4433 || bytes.load(0, as: UInt32.self) >> 8 == 0x54_4147
    }

    /// Whether the first byte, and the second one where there is one, can be those of a header.
    private static func isSyncword(_ bytes: RawSpan) -> Bool {
        bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0xFF
            && (bytes.byteCount < 2 || bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self) & 0xF6 == 0xF0)
    }

    /// How far away the next place is where a header may begin; 1 at least.
    private static func nextSyncword(_ bytes: RawSpan) -> Int {
        var index = 1
        while index < bytes.byteCount {
            if isSyncword(bytes.extracting(index..<bytes.byteCount)) { return index }
            index += 1
        }
        return index
    }
}

extension ADTSHeader {
    /// Stands where no header has been read yet.
    fileprivate static let none = ADTSHeader(bits: 0xFFF1_0000_0000_00 | UInt64(shortestSize) << 13)!
}
