import ByteCoding

/// The shared state while one playlist is parsed: its bytes, its variables, and the diagnostics.
///
/// Strict parsing stores the first error and stops at the end of the line; lenient parsing stores all diagnostics, if
/// they are wanted.
final class ReadingContext {
    let source: PlaylistSource
    let options: ParsingOptions
    let isLenient: Bool
    /// False if no diagnostics are stored, so that their messages are not made.
    let keepsDiagnostics: Bool
    var variables = VariableTable()
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var firstError: Diagnostic? { didSet { hasError = firstError != nil } }
    /// Whether there is a first error. It is tested for each line, which is slow for an optional of this size.
    private var hasError = false
    /// True if a limit was exceeded, so that lenient parsing stops too.
    private(set) var isOverLimit = false
    /// The number of the current line.
    var lineNumber = 0
    /// The offset of the first byte of the current line.
    var lineStart = 0
    /// The key formats of the EXT-X-KEY tags so far.
    private var keyFormats: Set<KeyFormat> = []
    /// The attributes of the current tag. The array is reused for all tags to avoid allocations.
    var attributes: [AttributeReader.Item] = []

    init(source: PlaylistSource, options: ParsingOptions, isLenient: Bool, keepsDiagnostics: Bool = true) {
        self.source = source
        self.options = options
        self.isLenient = isLenient
        self.keepsDiagnostics = keepsDiagnostics
    }

    /// Reports a diagnostic. `offset` is the offset of the byte that it is about; nil means the whole line.
    func report(_ rule: RuleID, at offset: Int? = nil, line: Int? = nil, _ message: @autoclosure () -> String) {
        guard keepsDiagnostics || rule == .limitExceeded else { return }
        let severity = rule.readingSeverity
        let isFirst = severity == .error && firstError == nil
        // The message is only built if it will be stored.
        let hasCapacity = diagnostics.count < options.limits.diagnostics || rule == .limitExceeded
        guard isFirst || (isLenient && hasCapacity) else { return }
        // Each rule is reported only once per line.
        let line = line ?? lineNumber
        if diagnostics.reversed().prefix(while: { $0.line == line }).contains(where: { $0.rule == rule }) { return }
        let diagnostic = Diagnostic(
            rule: rule,
            severity: severity,
            line: line,
            column: offset.map { $0 - lineStart + 1 } ?? 0,
            endColumn: offset.map { DiagnosticRange.end(source.bytes, $0) - lineStart + 1 } ?? 0,
            message: message()
        )
        if isFirst { firstError = diagnostic }
        if rule == .limitExceeded { isOverLimit = true }
        if hasCapacity { diagnostics.append(diagnostic) }
    }

    /// Advances to the next line.
    @inline(__always)
    func begin(_ line: ScannedLine) {
        lineNumber += 1
        lineStart = line.start
        if lineNumber > options.limits.lines {
            report(
                .limitExceeded,
                "the playlist has more than \(options.limits.lines) lines"
            )
        }
    }

    /// Counts key formats, because keys of all formats may apply to one segment.
    func count(_ key: KeyTag) {
        guard keyFormats.insert(key.keyFormat).inserted, keyFormats.count > options.limits.keyFormats else { return }
        report(.limitExceeded, "EXT-X-KEY: the playlist has more than \(options.limits.keyFormats) key formats")
    }

    /// Removes the diagnostics about missing tags and URI lines: they are meaningless for a playlist with tags of both
    /// kinds.
    func removeDiagnosticsOfMissingLines() {
        let rules: Set<RuleID> = [
            .segmentWithoutDuration, .durationWithoutSegment, .streamInfWithoutURI, .uriWithoutStreamInf,
            .missingTargetDuration,
        ]
        diagnostics.removeAll { rules.contains($0.rule) }
    }

    /// Throws an error if parsing must stop.
    @inline(__always)
    func check() throws(PlaylistError) {
        if !hasError { return }
        try stop()
    }

    @inline(never)
    private func stop() throws(PlaylistError) {
        guard let firstError else { return }
        if isOverLimit, let limit = diagnostics.last(where: { $0.rule == .limitExceeded }) {
            throw PlaylistError(limit)
        }
        if !isLenient { throw PlaylistError(firstError) }
    }

    /// Returns the text of a range after variable substitution. If a variable is undefined, reports it and returns the
    /// original text.
    func text(_ range: Range<Int>, reading: @autoclosure () -> String) -> String {
        resolvedText(range, reading: reading()) ?? source.text(range)
    }

    /// Returns the text of a range after variable substitution. If a variable is undefined, reports it and returns nil.
    func resolvedText(_ range: Range<Int>, reading: @autoclosure () -> String) -> String? {
        let bytes = source.bytes
        guard VariableTable.hasReference(bytes.span.bytes, range) else { return source.text(range) }
        do {
            let text = try variables.substitute(bytes, range, limit: options.limits.substitutedBytes)
            if text.utf8.count > options.limits.lineLength {
                report(
                    .limitExceeded,
                    at: range.lowerBound,
                    "after variable substitution, the value is longer than \(options.limits.lineLength) bytes"
                )
            }
            return text
        } catch .undefined(let name, let offset) {
            report(
                .undefinedVariable,
                at: offset,
                "\(reading()): no preceding EXT-X-DEFINE tag defines the variable \(Self.quoted(name))"
            )
        } catch {
            report(
                .limitExceeded,
                at: range.lowerBound,
                "variable substitution adds more than \(options.limits.substitutedBytes) bytes to the playlist"
            )
        }
        return nil
    }

    /// Returns untrusted text for a message: quoted, truncated, and with control characters replaced, which could
    /// otherwise control a terminal.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(60) {
            result.unicodeScalars.append(
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar
            )
        }
        return result + (text.unicodeScalars.count > 60 ? "…\"" : "\"")
    }
}

extension RuleID {
    /// The severity of a violation that the reader reports.
    var readingSeverity: Diagnostic.Severity {
        switch self {
        case .unknownTag, .unknownAttribute, .tabInTitle: .note
        case .unknownEnumeratedValue, .unsupportedRequirement, .whitespace, .missingComma: .warning
        default: .error
        }
    }
}
