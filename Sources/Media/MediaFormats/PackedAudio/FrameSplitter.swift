import ByteCoding

/// The result of inspecting the bytes at a position where a frame can begin.
enum FrameDecision {
    /// A whole frame of the given number of bytes.
    case frame(Int)
    /// More bytes are needed to decide: the given number in total from this position.
    case needs(Int)
    /// The given number of bytes, at least 1, that do not belong to a frame.
    case garbage(Int)
    /// A tag of the given number of bytes, which is skipped.
    case tag(Int)
}

/// The syntax of an audio format whose frames begin with a syncword.
protocol FrameSyntax: Sendable {
    /// The name of the frame in errors.
    static var name: String { get }
    /// Inspects the bytes at a position where a frame can begin.
    ///
    /// If the method is called again for the same position, it can continue where it stopped. After a frame or garbage
    /// the position is a new one.
    ///
    /// - Parameters:
    ///   - bytes: the available bytes from that position; not empty.
    ///   - isSynced: whether the previous frame ended here, so that a frame is expected.
    ///   - isFinal: whether the stream ends after the bytes; if true, the result must not be `needs`.
    /// - Throws: `ParseError` with offsets from that position, if the bytes are of another known format.
    mutating func decide(_ bytes: RawSpan, isSynced: Bool, isFinal: Bool) throws(ParseError) -> FrameDecision
}

/// A splitter that divides a stream into its frames, shared by ADTS and AC-3. It accepts bytes in parts of any size.
///
/// A frame that is in one part is not copied. The rest of a part is buffered, and only as many bytes of the next part
/// are appended as are needed to decide. So the buffer contains at most one frame, and every byte is inspected once.
struct FrameSplitter<Syntax: FrameSyntax>: Sendable {
    /// The syntax of the frames.
    var syntax: Syntax
    /// The number of times that bytes were found that do not belong to a frame.
    private(set) var damage = 0
    /// The number of bytes that do not belong to a frame.
    private(set) var skippedByteCount = 0
    private let preamble: Int
    private var rest: [UInt8] = []
    /// The index in the buffer of the first byte that is not decided.
    private var start = 0
    /// The number of bytes from `start` that are needed to decide.
    private var needed = 1
    /// The offset in the stream of the byte at `start`.
    private var offset = 0
    /// The number of bytes of a tag that still have to be skipped.
    private var tagBytesLeft = 0
    private var isSynced = false
    private var isInGarbage = false
    private var isAfterDamage = false
    private var hasFrame = false

    init(_ syntax: Syntax, preamble: Int) {
        self.syntax = syntax
        self.preamble = preamble
    }

    /// A function that consumes a frame: its bytes, its offset in the stream, and whether bytes were skipped before it.
    typealias Body = (_ syntax: inout Syntax, _ frame: RawSpan, _ offset: Int, _ isAfterDamage: Bool) throws -> Void

    /// Reads the next bytes of the stream and calls `body` with the frames that they complete.
    @inline(__always)
    mutating func feed(_ bytes: RawSpan, _ body: Body) throws {
        var position = 0
        while start < rest.count {
            let missing = max(0, needed - (rest.count - start))
            let taken = min(missing, bytes.byteCount - position)
            bytes.extracting(position..<position + taken).withUnsafeBytes { rest.append(contentsOf: $0) }
            position += taken
            guard taken == missing else { return }
            // The buffer is moved out of `self` while it is read.
            var buffer: [UInt8] = []
            swap(&buffer, &rest)
            defer { swap(&buffer, &rest) }
            start = try consume(buffer.span.bytes, from: start, isFinal: false, body)
            let left = buffer.count - start
            if left <= taken {
                // The rest is also in the new part, so that the splitter continues there.
                position -= left
                buffer.removeAll(keepingCapacity: true)
                start = 0
            } else if start > buffer.count / 2 {
                buffer.removeFirst(start)
                start = 0
            }
        }
        position = try consume(bytes, from: position, isFinal: false, body)
        rest.removeAll(keepingCapacity: true)
        start = 0
        bytes.extracting(position..<bytes.byteCount).withUnsafeBytes { rest.append(contentsOf: $0) }
    }

    /// Finishes the stream.
    mutating func finish(_ body: Body) throws {
        let buffer = rest
        rest.removeAll()
        _ = try consume(buffer.span.bytes, from: start, isFinal: true, body)
        start = 0
        guard hasFrame else { throw missingFrame("the stream contains none") }
    }

    private func missingFrame(_ reason: String) -> ParseError {
        ParseError(.invalidValue, reading: Syntax.name, offset: 0, reason: reason)
    }

    /// Processes as many bytes as can be decided.
    ///
    /// - Returns: the position of the first byte that is not decided.
    @inline(__always)
    private mutating func consume(
        _ bytes: RawSpan,
        from start: Int,
        isFinal: Bool,
        _ body: Body
    ) throws -> Int {
        var position = start
        while true {
            if tagBytesLeft > 0 {
                let count = min(tagBytesLeft, bytes.byteCount - position)
                tagBytesLeft -= count
                position += count
                offset += count
            }
            guard position < bytes.byteCount else {
                needed = 1
                return position
            }
            let tail = bytes.extracting(position..<bytes.byteCount)
            switch try decide(tail, isFinal) {
            case .frame(let size):
                hasFrame = true
                isSynced = true
                isInGarbage = false
                let wasDamaged = isAfterDamage
                isAfterDamage = false
                let frameOffset = offset
                offset += size
                position += size
                try body(&syntax, tail.extracting(0..<size), frameOffset, wasDamaged)
            case .needs(let count):
                needed = max(count, tail.byteCount + 1)
                return position
            case .tag(let size): tagBytesLeft = size
            case .garbage(let count):
                if !isInGarbage { damage += 1 }
                isInGarbage = true
                isAfterDamage = true
                isSynced = false
                skippedByteCount += count
                offset += count
                position += count
                guard hasFrame || skippedByteCount <= preamble else {
                    throw missingFrame("not found in the first \(preamble) bytes")
                }
            }
        }
    }

    /// Checks for ID3 tags first, which can be at the start of the stream and between frames.
    @inline(__always)
    private mutating func decide(_ tail: RawSpan, _ isFinal: Bool) throws -> FrameDecision {
        let first = tail.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        // Garbage can contain the bytes of a tag by chance, and the positions that are inspected depend on the sizes of
        // the parts.
        if !isInGarbage, first == ID3Header.firstByte || first == ID3Header.firstByteOfVersion1 {
            if let decision = ID3Header.detect(tail, isFinal: isFinal) { return decision }
        }
        do {
            return try syntax.decide(tail, isSynced: isSynced, isFinal: isFinal)
        } catch {
            throw ParseError(error.code, reading: error.reading, offset: offset + error.offset, reason: error.reason)
        }
    }
}
