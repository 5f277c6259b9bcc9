/// A problem in a playlist: the rule that it violates, its severity, and its position.
public struct Diagnostic: Hashable, Sendable {
    /// The severity of a problem.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Information only: no requirement is violated.
        case note
        /// The playlist violates a SHOULD, or some players may not behave as intended.
        case warning
        /// The playlist violates a MUST: players may reject it or play it incorrectly.
        case error

        /// Orders notes before warnings, and warnings before errors.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// The violated rule.
    public let rule: RuleID
    /// The severity of the problem.
    public let severity: Severity
    /// The line number, starting at 1; 0 for the whole playlist.
    public let line: Int
    /// The column in bytes, starting at 1; 0 for the whole line.
    public let column: Int
    /// The column after the last byte that the problem is about; 0 when ``column`` is 0. It is the same as ``column`` if
    /// something is missing there.
    public let endColumn: Int
    /// The description of the problem. It may quote names of tags and attributes, but never a key.
    public let message: String
    /// The mechanical correction, if there is one. Only ``Linter`` provides it.
    public internal(set) var fix: PlaylistFix?

    /// Creates a diagnostic. `line` and `column` start at 1; 0 means the whole playlist or the whole line.
    public init(rule: RuleID, severity: Severity, line: Int, column: Int = 0, endColumn: Int = 0, message: String) {
        self.rule = rule
        self.severity = severity
        self.line = line
        self.column = column
        self.endColumn = max(column, endColumn)
        self.message = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The text `line:column: severity: message [rule]`, without a line or column that is 0.
    public var description: String {
        var position = ""
        if line > 0 { position += "\(line):" }
        if line > 0, column > 0 { position += "\(column):" }
        return (position.isEmpty ? "" : position + " ") + "\(severity): \(message) [\(rule)]"
    }
}

/// An error that prevents a playlist from being read or written: the first problem in it.
///
/// Two errors are equal when their rules are equal, regardless of their positions.
public struct PlaylistError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and its position.
    public let diagnostic: Diagnostic

    /// Creates an error.
    public init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

    /// The violated rule.
    public var rule: RuleID { diagnostic.rule }

    /// The position and the message, in one line.
    public var description: String { diagnostic.description }

    /// Returns whether both errors are violations of the same rule.
    public static func == (left: PlaylistError, right: PlaylistError) -> Bool { left.rule == right.rule }
}
