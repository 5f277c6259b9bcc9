public import ByteCoding

/// A cue of a WebVTT file: the interval in which its text is visible. The text is stored in the ``WebVTTDocument``.
public struct WebVTTCue: Hashable, Sendable {
    /// The start time in milliseconds.
    public let start: Int64
    /// The end time in milliseconds, later than ``start``.
    public let end: Int64
    /// The number of the line with the cue timings, from 1.
    public let line: Int
    let identifier: WebVTTRange
    let settings: WebVTTRange
    let text: WebVTTRange
}

/// A range of a document's bytes with half the size of a `Range<Int>`, because a document is shorter than 4 GiB.
struct WebVTTRange: Hashable, Sendable {
    private let lower: UInt32
    private let upper: UInt32

    init(_ range: Range<Int>) {
        lower = UInt32(truncatingIfNeeded: range.lowerBound)
        upper = UInt32(truncatingIfNeeded: range.upperBound)
    }

    var range: Range<Int> { Int(lower)..<Int(upper) }
}

/// A WebVTT file, parsed as browsers parse it (W3C WebVTT, 6.1).
///
///     file   = [ BOM ] "WEBVTT" [ ( SP / TAB ) text ] line break
///              *( header line ) 1*line break
///              *( block 1*line break )
///     block  = "NOTE" text                           a comment
///            / "STYLE" line break lines              before the first cue
///            / "REGION" line break lines             before the first cue
///            / [ identifier line break ] start "-->" end [ settings ] [ line break lines ]
///
/// Line breaks are LF, CR or CR LF. A block ends at an empty line, or before a line with `-->` that cannot belong to
/// it. Blocks that a browser ignores are dropped, counted, and listed in ``dropped``. Texts, settings and style sheets
/// are kept unchanged, except that line breaks become LF and the byte 0 becomes U+FFFD, as the standard specifies.
public struct WebVTTDocument: Sendable {
    /// The maximum size of a file in bytes.
    public static let maximumSize = 32 << 20
    /// The maximum total size of STYLE and REGION blocks in bytes, because each segment repeats them.
    public static let maximumDefinitionSize = 256 << 10
    /// The maximum total size in bytes of the cues that are visible at the same time, because each segment repeats the
    /// cues that span its start.
    public static let maximumOverlap = 1 << 20
    /// The maximum number of entries in ``dropped``.
    public static let maximumDropped = 32

    /// The reason why a block was dropped.
    public enum DropReason: String, Hashable, Sendable, CustomStringConvertible {
        /// The line with `-->` does not contain two timestamps.
        case invalidTiming = "invalid-timing"
        /// The cue ends before or when it starts, so it is never visible.
        case neverShown = "never-shown"
        /// A STYLE or REGION block is after the first cue.
        case definitionAfterCue = "definition-after-cue"
        /// The block is not a cue, a definition or a comment.
        case unknownBlock = "unknown-block"

        /// A readable description of the problem.
        public var description: String {
            switch self {
            case .invalidTiming: "the line with --> does not contain two timestamps such as 00:00:01.000"
            case .neverShown: "the end time of the cue is not after its start time, so the cue is never visible"
            case .definitionAfterCue: "a STYLE or REGION block after the first cue has no effect"
            case .unknownBlock: "the block has no line with -->, and is not a NOTE, STYLE or REGION block"
            }
        }
    }

    /// A block of the file that was dropped.
    public struct Dropped: Hashable, Sendable, CustomStringConvertible {
        /// The number of the block's first line, from 1.
        public let line: Int
        /// The reason why it was dropped.
        public let reason: DropReason

        /// The line number and the reason in one line.
        public var description: String { "line \(line): \(reason)" }
    }

    /// The cues in the order of their start times. Cues with the same start time are in the order of the file.
    public internal(set) var cues: [WebVTTCue] = []
    /// The X-TIMESTAMP-MAP of the header, which segments of a stream contain and standalone files do not.
    public internal(set) var timestampMap: WebVTTTimestampMap?
    /// The first dropped blocks, at most ``maximumDropped``, in the order of the file.
    public internal(set) var dropped: [Dropped] = []
    /// The number of dropped blocks.
    public internal(set) var droppedCount = 0
    /// The number of comments.
    public internal(set) var commentCount = 0

    /// The content of the file after the byte order mark, with LF for every line break.
    let bytes: [UInt8]
    var header = WebVTTRange(0..<0)
    /// The STYLE and REGION blocks in the order of the file, including their first lines.
    var definitions: [WebVTTRange] = []
    var definitionSize = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Parses a file.
    ///
    /// - Throws: `ParseError` with the code `invalid-value` if the file does not begin with the WebVTT signature, or
    ///   `invalid-length` if it is larger than ``maximumSize``, its definitions are larger than
    ///   ``maximumDefinitionSize``, or the cues visible at the same time are larger than ``maximumOverlap``.
    public init(parsing file: RawSpan) throws(ParseError) {
        var parser = try WebVTTParser(file)
        self = try parser.parse()
    }

    /// Returns whether a file begins with the WebVTT signature: `WEBVTT`, followed by white space or the end of the
    /// file. The first 10 bytes of the file are sufficient.
    public static func hasSignature(_ file: RawSpan) -> Bool { WebVTTParser.signatureSize(file) != nil }

    /// The latest end time of the cues in milliseconds; 0 if there are no cues.
    public var end: Int64 { cues.reduce(0) { max($0, $1.end) } }

    /// The header: the text after `WEBVTT`, and the lines up to the first empty line.
    public var headerText: String { string(header) }

    /// The STYLE and REGION blocks in the order of the file, including their first lines.
    public var definitionTexts: [String] { definitions.map(string) }

    /// Returns the identifier of a cue; empty if it has none.
    public func identifier(of cue: WebVTTCue) -> String { string(cue.identifier) }

    /// Returns the settings of a cue as they follow its times; empty if it has none.
    public func settings(of cue: WebVTTCue) -> String { string(cue.settings) }

    /// Returns the text of a cue with its tags. LF separates the lines.
    public func text(of cue: WebVTTCue) -> String { string(cue.text) }

    mutating func drop(_ reason: DropReason, line: Int) {
        droppedCount += 1
        if dropped.count < Self.maximumDropped { dropped.append(Dropped(line: line, reason: reason)) }
    }

    private func string(_ part: WebVTTRange) -> String { String(decoding: bytes[part.range], as: UTF8.self) }
}
