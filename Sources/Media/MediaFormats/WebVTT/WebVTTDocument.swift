public import ByteCoding

/// One cue of a WebVTT file: when its text is shown. What it says lies in the ``WebVTTDocument``.
public struct WebVTTCue: Hashable, Sendable {
    /// When it appears, in milliseconds.
    public let start: Int64
    /// When it disappears, in milliseconds; later than ``start``.
    public let end: Int64
    /// The number of the line with its times, from 1.
    public let line: Int
    let identifier: WebVTTRange
    let settings: WebVTTRange
    let text: WebVTTRange
}

/// A range of a document's bytes, in half the room of a `Range<Int>`: a document is shorter than 4 GiB.
struct WebVTTRange: Hashable, Sendable {
    private let lower: UInt32
    private let upper: UInt32

    init(_ range: Range<Int>) {
        lower = UInt32(truncatingIfNeeded: range.lowerBound)
        upper = UInt32(truncatingIfNeeded: range.upperBound)
    }

    var range: Range<Int> { Int(lower)..<Int(upper) }
}

/// A WebVTT file, read as a browser reads it (W3C WebVTT, 6.1).
///
///     file   = [ BOM ] "WEBVTT" [ ( SP / TAB ) text ] line break
///              *( header line ) 1*line break
///              *( block 1*line break )
///     block  = "NOTE" text                           a comment
///            / "STYLE" line break lines              before the first cue
///            / "REGION" line break lines             before the first cue
///            / [ identifier line break ] start "-->" end [ settings ] [ line break lines ]
///
/// Line breaks are LF, CR or both. A block ends at an empty line, or before a line with `-->` that cannot be its own.
/// What a browser would drop is dropped, counted, and told in ``dropped``. Texts, settings and style sheets are kept as
/// they came, except that line breaks become LF and the byte 0 becomes U+FFFD, as the standard has it.
public struct WebVTTDocument: Sendable {
    /// The largest file in bytes.
    public static let maximumSize = 32 << 20
    /// The most that STYLE and REGION blocks may take in bytes, since each segment repeats them.
    public static let maximumDefinitionSize = 256 << 10
    /// The most that the cues may take in bytes that are seen at one time, since each segment repeats those that span
    /// its beginning.
    public static let maximumOverlap = 1 << 20
    /// How many dropped blocks are told of.
    public static let maximumDropped = 32

    /// Why a block is not in the document.
    public enum DropReason: String, Hashable, Sendable, CustomStringConvertible {
        /// A line with `-->` that does not hold two timestamps.
        case invalidTiming = "invalid-timing"
        /// A cue that ends before it begins, or at once, and so is never seen.
        case neverShown = "never-shown"
        /// STYLE or REGION behind the first cue.
        case definitionBehindCue = "definition-behind-cue"
        /// No cue, definition or comment.
        case unknownBlock = "unknown-block"

        /// What is wrong, for a person.
        public var description: String {
            switch self {
            case .invalidTiming: "the line with --> does not hold two timestamps such as 00:00:01.000"
            case .neverShown: "the cue does not end after it begins, so it is never seen"
            case .definitionBehindCue: "a STYLE or REGION block stands before the first cue, or has no effect"
            case .unknownBlock: "the block is no cue, since no line has -->, and no NOTE, STYLE or REGION"
            }
        }
    }

    /// A block that is not in the document.
    public struct Dropped: Hashable, Sendable, CustomStringConvertible {
        /// The number of its first line, from 1.
        public let line: Int
        /// Why.
        public let reason: DropReason

        /// One line: where, and why.
        public var description: String { "line \(line): \(reason)" }
    }

    /// The cues by their start; those that start together in the order of the file.
    public internal(set) var cues: [WebVTTCue] = []
    /// X-TIMESTAMP-MAP of the header, which a segment of a stream has and a file of its own has not.
    public internal(set) var timestampMap: WebVTTTimestampMap?
    /// The first of the blocks that were dropped, by line.
    public internal(set) var dropped: [Dropped] = []
    /// How many blocks were dropped.
    public internal(set) var droppedCount = 0
    /// How many comments there are.
    public internal(set) var commentCount = 0

    /// The file with LF alone, from behind the byte order mark.
    let bytes: [UInt8]
    var header = WebVTTRange(0..<0)
    /// STYLE and REGION blocks in the order of the file, their first lines included.
    var definitions: [WebVTTRange] = []
    var definitionSize = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a file.
    ///
    /// - Throws: `ParseError`: `invalid-value` when it does not begin as WebVTT does, `invalid-length` when it is larger
    ///   than ``maximumSize``, its definitions are than ``maximumDefinitionSize``, or the cues of one time are than
    ///   ``maximumOverlap``.
    public init(parsing file: RawSpan) throws(ParseError) {
        var parser = try WebVTTParser(file)
        self = try parser.parse()
    }

    /// Whether a file begins as WebVTT does: with `WEBVTT`, then white space or nothing. 10 bytes are enough.
    public static func hasSignature(_ file: RawSpan) -> Bool { WebVTTParser.signatureSize(file) != nil }

    /// When the last cue disappears, in milliseconds; 0 without cues.
    public var end: Int64 { cues.reduce(0) { max($0, $1.end) } }

    /// The header: what stands behind `WEBVTT`, and the lines below up to the first empty one.
    public var headerText: String { string(header) }

    /// The STYLE and REGION blocks in the order of the file, their first lines included.
    public var definitionTexts: [String] { definitions.map(string) }

    /// A cue's identifier; empty when it has none.
    public func identifier(of cue: WebVTTCue) -> String { string(cue.identifier) }

    /// A cue's settings as they stand behind its times; empty when it has none.
    public func settings(of cue: WebVTTCue) -> String { string(cue.settings) }

    /// A cue's text with its tags, lines between LF.
    public func text(of cue: WebVTTCue) -> String { string(cue.text) }

    mutating func drop(_ reason: DropReason, line: Int) {
        droppedCount += 1
        if dropped.count < Self.maximumDropped { dropped.append(Dropped(line: line, reason: reason)) }
    }

    private func string(_ part: WebVTTRange) -> String { String(decoding: bytes[part.range], as: UTF8.self) }
}
