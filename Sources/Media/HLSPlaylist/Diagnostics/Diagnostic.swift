/// Something that is wrong in a playlist: which rule it breaks, how much that matters, and where.
public struct Diagnostic: Hashable, Sendable {
    /// How much it matters.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Worth knowing; nothing is broken.
        case note
        /// A SHOULD is not kept, or some players may not do what is meant.
        case warning
        /// A MUST is not kept: players may refuse the playlist or play it wrongly.
        case error

        /// Notes before warnings before errors.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// The rule that is broken.
    public let rule: RuleID
    /// How much it matters.
    public let severity: Severity
    /// The line, the first being 1; 0 when the playlist as a whole is meant.
    public let line: Int
    /// The column in bytes, the first being 1; 0 when the line as a whole is meant.
    public let column: Int
    /// What is wrong, in words. It may quote names of tags and attributes, never a key.
    public let message: String

    /// Makes a diagnostic. `line` and `column` count from 1; 0 means the whole playlist or the whole line.
    public init(rule: RuleID, severity: Severity, line: Int, column: Int = 0, message: String) {
        self.rule = rule
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// `line:column: severity: message [rule]`, without the places that are 0.
    public var description: String {
        var place = ""
        if line > 0 { place += "\(line):" }
        if line > 0, column > 0 { place += "\(column):" }
        return (place.isEmpty ? "" : place + " ") + "\(severity): \(message) [\(rule)]"
    }
}

/// Why a playlist could not be read or written: the first thing that was wrong with it.
///
/// Two errors are equal when their rules are, wherever they occurred.
public struct PlaylistError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was wrong, and where.
    public let diagnostic: Diagnostic

    /// Makes an error.
    public init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

    /// The rule that was broken.
    public var rule: RuleID { diagnostic.rule }

    /// The place and the reason, in one line.
    public var description: String { diagnostic.description }

    /// True when both break the same rule.
    public static func == (left: PlaylistError, right: PlaylistError) -> Bool { left.rule == right.rule }
}
