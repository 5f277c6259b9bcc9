import ByteCoding
import MediaFormats

/// A cue with its texts, for comparison.
struct SpokenCue: Hashable, Sendable, CustomStringConvertible {
    var start: Int64
    var end: Int64
    var identifier = ""
    var settings = ""
    var text = ""

    var description: String { "\(identifier) \(start)-\(end) [\(settings)] \(text.debugDescription)" }
}

extension WebVTTDocument {
    init(_ text: String) throws(ParseError) { try self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) throws(ParseError) { try self.init(parsing: bytes.span.bytes) }

    var spoken: [SpokenCue] {
        cues.map { cue in
            SpokenCue(
                start: cue.start,
                end: cue.end,
                identifier: identifier(of: cue),
                settings: settings(of: cue),
                text: text(of: cue)
            )
        }
    }

    /// The reasons why blocks were dropped, with their lines.
    var droppedBlocks: [String] { dropped.map { "\($0.line) \($0.reason.rawValue)" } }

    static func failure(_ bytes: [UInt8]) -> ParseError? {
        do {
            _ = try WebVTTDocument(bytes)
            return nil
        } catch {
            return error
        }
    }
}
