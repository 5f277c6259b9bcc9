import ByteCoding

/// A splitter that divides a stream from PES packets or packed audio into ADTS frames. It does no I/O: feed it bytes in
/// parts of any size.
///
///     var splitter = ADTSSplitter()
///     try splitter.feed(piece) { frame, bytes in
///         for block in try frame.header.rawDataBlocks(base: frame.offset) { ... bytes.extracting(block) ... }
///     }
///     try splitter.finish { ... }
///
/// ID3 tags before frames are skipped. At the start of the stream and after bytes that do not belong to a frame, a
/// frame is accepted only if the next frame of the same stream or the end of the stream follows it.
public struct ADTSSplitter: Sendable {
    /// A frame of the stream.
    public struct Frame: Hashable, Sendable {
        /// The header of the frame.
        public var header: ADTSHeader
        /// The offset in bytes of its first byte in the stream.
        public var offset: Int
        /// True if bytes were skipped before it.
        public var isAfterDamage: Bool
    }

    private var splitter: FrameSplitter<ADTSSyntax>

    /// Creates a splitter for a stream from its start.
    ///
    /// - Parameter preamble: the maximum number of bytes before the first frame, without tags; 1 MiB by default.
    public init(preamble: Int = 1 << 20) { splitter = FrameSplitter(ADTSSyntax(), preamble: preamble) }

    /// The number of times that bytes were found that do not belong to a frame.
    public var damage: Int { splitter.damage }
    /// The number of bytes that do not belong to a frame.
    public var skippedByteCount: Int { splitter.skippedByteCount }

    /// Reads the next bytes of the stream and calls `body` with each frame that they complete and its bytes, including
    /// the header. The bytes are valid only until `body` returns.
    ///
    /// - Throws: `ParseError` if there is no frame at the start; and the errors of `body`.
    public mutating func feed(_ bytes: RawSpan, _ body: (Frame, RawSpan) throws -> Void) throws {
        try splitter.feed(bytes) { syntax, frame, offset, isAfterDamage in
            try body(Frame(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), frame)
        }
    }

    /// Finishes the stream and calls `body` with the last frame. A truncated frame counts as damage.
    ///
    /// - Throws: `ParseError` if the stream contained no frame; and the errors of `body`.
    public mutating func finish(_ body: (Frame, RawSpan) throws -> Void) throws {
        try splitter.finish { syntax, frame, offset, isAfterDamage in
            try body(Frame(header: syntax.header, offset: offset, isAfterDamage: isAfterDamage), frame)
        }
    }
}

/// The syntax that detects the start and end of ADTS frames.
struct ADTSSyntax: FrameSyntax {
    static let name = "ADTS frame"

    /// The header of the last frame.
    private(set) var header = ADTSHeader.placeholder

    @inline(__always)
    mutating func decide(_ bytes: RawSpan, isSynced: Bool, isFinal: Bool) throws(ParseError) -> FrameDecision {
        let count = bytes.byteCount
        guard count >= ADTSHeader.shortestSize else {
            return isFinal ? .garbage(count) : Self.isSyncword(bytes) ? .needs(ADTSHeader.shortestSize) : .garbage(1)
        }
        let bits = ADTSHeader.bits(bytes)
        guard let header = ADTSHeader(bits: bits) else { return .garbage(Self.nextSyncword(bytes)) }
        let size = header.frameLength
        // After garbage the next header must follow, so that random bytes are not accepted as a frame.
        let lookahead = isSynced ? 0 : ADTSHeader.shortestSize
        if count < size + lookahead, !isFinal { return .needs(size + lookahead) }
        guard count >= size else { return .garbage(Self.nextSyncword(bytes)) }
        if !isSynced, count > size, !Self.follows(bytes.extracting(size..<count), bits) {
            return .garbage(Self.nextSyncword(bytes))
        }
        self.header = header.reading(bytes)
        return .frame(size)
    }

    /// Returns whether the bytes begin with the next frame of the same stream, or with a tag.
    private static func follows(_ bytes: RawSpan, _ bits: UInt64) -> Bool {
        guard bytes.byteCount >= ADTSHeader.shortestSize else { return isSyncword(bytes) }
        let next = ADTSHeader.bits(bytes)
        if ADTSHeader(bits: next) != nil { return (next ^ bits) & ADTSHeader.identity == 0 }
        return bytes.load(0, as: UInt32.self) >> 8 == 0x49_4433 || bytes.load(0, as: UInt32.self) >> 8 == 0x54_4147
    }

    /// Returns whether the bytes begin with the syncword and layer of a header, or with its first byte if there is only
    /// one byte.
    private static func isSyncword(_ bytes: RawSpan) -> Bool {
        bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0xFF
            && (bytes.byteCount < 2 || bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self) & 0xF6 == 0xF0)
    }

    /// Returns the distance to the next position where a header can begin; at least 1.
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
    /// A placeholder before the first header has been read.
    fileprivate static let placeholder = ADTSHeader(bits: 0xFFF1_0000_0000_00 | UInt64(shortestSize) << 13)!
}
