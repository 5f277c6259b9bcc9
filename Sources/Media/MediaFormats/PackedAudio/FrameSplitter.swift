import ByteCoding

/// What a kind of audio says about the bytes at a place where a frame may begin.
enum FrameDecision {
    /// A whole frame of so many bytes.
    case frame(Int)
    /// More is needed to decide: so many bytes from here in all.
    case needs(Int)
    /// So many bytes, 1 at least, belong to no frame.
    case garbage(Int)
    /// A tag of so many bytes, which is passed over.
    case tag(Int)
}

/// A kind of audio whose frames begin with a syncword.
protocol FrameSyntax: Sendable {
    /// The frame in the words of errors.
    static var name: String { get }
    /// Looks at the bytes at a place where a frame may begin.
    ///
    /// Asked again for the same place it may go on where it stopped; after a frame or garbage the place is another.
    ///
    /// - Parameters:
    ///   - bytes: What there is from that place on; not empty.
    ///   - isSynced: Whether a frame has ended here, so that the next one is expected.
    ///   - isFinal: Whether nothing comes behind; then it must not need more.
    /// - Throws: `ParseError` with offsets from that place, when it is another format that has a name.
    mutating func decide(_ bytes: RawSpan, isSynced: Bool, isFinal: Bool) throws(ParseError) -> FrameDecision
}

/// Cuts a stream into its frames: the machinery that ADTS and AC-3 have in common. Bytes go in, in pieces of any size.
///
/// A frame that lies in one piece is handed on where it is. What is left of a piece waits in a buffer, and only as much
/// of the next piece is put behind it as it takes to decide. So the buffer holds one frame at most, and every byte is
/// looked at once.
struct FrameSplitter<Syntax: FrameSyntax>: Sendable {
    /// What knows frames.
    var syntax: Syntax
    /// How many times bytes were found that belong to no frame.
    private(set) var damage = 0
    /// How many such bytes there were.
    private(set) var skippedByteCount = 0
    private let preamble: Int
    private var rest: [UInt8] = []
    /// Where in the buffer the first byte is that is not decided.
    private var start = 0
    /// How many bytes from there on are needed to decide.
    private var needed = 1
    /// The offset of that byte in the stream.
    private var offset = 0
    /// How much of a tag has still to pass by.
    private var tagRest = 0
    private var isSynced = false
    private var isInGarbage = false
    private var isAfterDamage = false
    private var hasFrame = false

    init(_ syntax: Syntax, preamble: Int) {
        self.syntax = syntax
        self.preamble = preamble
    }

    /// Takes a frame: its bytes, its offset in the stream, and whether bytes were passed over before it.
    typealias Body = (_ syntax: inout Syntax, _ frame: RawSpan, _ offset: Int, _ isAfterDamage: Bool) throws -> Void

    /// Takes the next bytes of the stream, and gives the frames that they complete to `body`.
    @inline(__always)
    mutating func feed(_ bytes: RawSpan, _ body: Body) throws {
        var position = 0
        while start < rest.count {
            let missing = max(0, needed - (rest.count - start))
            let taken = min(missing, bytes.byteCount - position)
            bytes.extracting(position..<position + taken).withUnsafeBytes { rest.append(contentsOf: $0) }
            position += taken
            guard taken == missing else { return }
            // Out of self for as long as it is read.
            var buffer: [UInt8] = []
            swap(&buffer, &rest)
            defer { swap(&buffer, &rest) }
            start = try consume(buffer.span.bytes, from: start, isFinal: false, body)
            let left = buffer.count - start
            if left <= taken {
                // What is left lies in the piece as well: go on there.
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

    /// Takes the end of the stream.
    mutating func finish(_ body: Body) throws {
        let buffer = rest
        rest.removeAll()
        _ = try consume(buffer.span.bytes, from: start, isFinal: true, body)
        start = 0
        guard hasFrame else { throw noFrame("there is none") }
    }

    private func noFrame(_ reason: String) -> ParseError {
        ParseError(.invalidValue, reading: Syntax.name, offset: 0, reason: reason)
    }

    /// Decides as far as it can.
    ///
    /// - Returns: Where the first byte is that is not decided.
    @inline(__always)
    private mutating func consume(
        _ bytes: RawSpan,
        from start: Int,
        isFinal: Bool,
        _ body: Body
    ) throws -> Int {
        var position = start
        while true {
            if tagRest > 0 {
                let count = min(tagRest, bytes.byteCount - position)
                tagRest -= count
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
                let place = offset
                offset += size
                position += size
                try body(&syntax, tail.extracting(0..<size), place, wasDamaged)
            case .needs(let count):
                needed = max(count, tail.byteCount + 1)
                return position
            case .tag(let size): tagRest = size
            case .garbage(let count):
                if !isInGarbage { damage += 1 }
                isInGarbage = true
                isAfterDamage = true
                isSynced = false
                skippedByteCount += count
                offset += count
                position += count
                guard hasFrame || skippedByteCount <= preamble else {
                    throw noFrame("there is none in the first \(preamble) bytes")
                }
            }
        }
    }

    /// Asks for tags first, which may stand at the beginning and between frames.
    @inline(__always)
    private mutating func decide(_ tail: RawSpan, _ isFinal: Bool) throws -> FrameDecision {
        let first = tail.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        // Within garbage chance makes tags, and whether a place is looked at depends on the pieces.
        if !isInGarbage, first == ID3Header.firstByte || first == ID3Header.firstByteOfVersion1 {
            if let decision = ID3Header.look(tail, isFinal: isFinal) { return decision }
        }
        do {
            return try syntax.decide(tail, isSynced: isSynced, isFinal: isFinal)
        } catch {
            throw ParseError(error.code, reading: error.reading, offset: offset + error.offset, reason: error.reason)
        }
    }
}
