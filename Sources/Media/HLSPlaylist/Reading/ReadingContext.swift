import ByteCoding

/// What is shared while one playlist is read: its bytes, its variables, and what was found wrong.
///
/// Strict reading keeps the first error and stops at the end of the line; lenient reading keeps every diagnostic.
final class ReadingContext {
    let source: PlaylistSource
    let options: ParsingOptions
    let isLenient: Bool
    var variables = VariableTable()
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var firstError: Diagnostic?
    /// A limit was passed: lenient reading stops too.
    private(set) var isOverLimit = false
    /// The line that is being read.
    var lineNumber = 0
    /// The offset of its first byte.
    var lineStart = 0
    /// The key formats of the EXT-X-KEY tags so far.
    private var keyFormats: Set<KeyFormat> = []
    /// Room for the attributes of one tag, kept from tag to tag.
    var attributes: [AttributeReader.Item] = []

    init(source: PlaylistSource, options: ParsingOptions, isLenient: Bool) {
        self.source = source
        self.options = options
        self.isLenient = isLenient
    }

    /// Notes something. `offset` is that of the byte that is meant; nil when the whole line is.
    func report(_ rule: RuleID, at offset: Int? = nil, line: Int? = nil, _ message: @autoclosure () -> String) {
        let severity = rule.readingSeverity
        let isFirst = severity == .error && firstError == nil
        // A message that nobody will see costs nothing.
        let hasRoom = diagnostics.count < options.limits.diagnostics || rule == .limitExceeded
        guard isFirst || (isLenient && hasRoom) else { return }
        // Once for each line that breaks a rule.
        let place = line ?? lineNumber
        if diagnostics.reversed().prefix(while: { $0.line == place }).contains(where: { $0.rule == rule }) { return }
        let diagnostic = Diagnostic(
            rule: rule,
            severity: severity,
            line: place,
            column: offset.map { $0 - lineStart + 1 } ?? 0,
            message: message()
        )
        if isFirst { firstError = diagnostic }
        if rule == .limitExceeded { isOverLimit = true }
        if hasRoom { diagnostics.append(diagnostic) }
    }

    /// Goes on to the next line.
    @inline(__always)
    func begin(_ line: ScannedLine) {
        lineNumber += 1
        lineStart = line.start
        if lineNumber > options.limits.lines { report(.limitExceeded, "more than \(options.limits.lines) lines") }
    }

    /// Counts key formats: all of them may apply to one segment.
    func count(_ key: KeyTag) {
        guard keyFormats.insert(key.keyFormat).inserted, keyFormats.count > options.limits.keyFormats else { return }
        report(.limitExceeded, "EXT-X-KEY: more than \(options.limits.keyFormats) key formats")
    }

    /// Forgets which tags and URI lines are missing: in a playlist of both kinds nobody can tell.
    func forgetWhatIsMissing() {
        let rules: Set<RuleID> = [
            .segmentWithoutDuration, .durationWithoutSegment, .streamInfWithoutURI, .uriWithoutStreamInf,
            .missingTargetDuration,
        ]
        diagnostics.removeAll { rules.contains($0.rule) }
    }

    /// Throws when reading must not go on.
    @inline(__always)
    func check() throws(PlaylistError) {
        if firstError == nil { return }
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

    /// Text that may refer to variables; as it stands when one of them is not defined, which is reported.
    func text(_ range: Range<Int>, reading: @autoclosure () -> String) -> String {
        resolvedText(range, reading: reading()) ?? source.text(range)
    }

    /// Text that may refer to variables; nil when one of them is not defined, which is reported.
    func resolvedText(_ range: Range<Int>, reading: @autoclosure () -> String) -> String? {
        let bytes = source.bytes
        guard VariableTable.hasReference(bytes.span.bytes, range) else { return source.text(range) }
        do {
            let text = try variables.substitute(bytes, range, limit: options.limits.substitutedBytes)
            if text.utf8.count > options.limits.lineLength {
                report(
                    .limitExceeded,
                    at: range.lowerBound,
                    "with its variables replaced, the value is longer than \(options.limits.lineLength) bytes"
                )
            }
            return text
        } catch .undefined(let name, let offset) {
            report(
                .undefinedVariable,
                at: offset,
                "\(reading()): no EXT-X-DEFINE tag above defines the variable \(Self.quoted(name))"
            )
        } catch {
            report(
                .limitExceeded,
                at: range.lowerBound,
                "variables would add more than \(options.limits.substitutedBytes) bytes"
            )
        }
        return nil
    }

    /// Text of an enemy for a message: short, and without what could confuse a terminal.
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
    /// How much a rule that a reader keeps matters.
    var readingSeverity: Diagnostic.Severity {
        switch self {
        case .unknownTag, .unknownAttribute: .note
        case .unknownEnumeratedValue, .unsupportedRequirement: .warning
        default: .error
        }
    }
}
