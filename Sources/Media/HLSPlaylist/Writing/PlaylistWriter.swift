import TextCoding

/// Collects the bytes of a playlist. Characters that would end a line or a quoted string are rejected, so that
/// untrusted text cannot inject tags into a playlist.
struct PlaylistWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var error: PlaylistError?
    /// The line ending, the same as in the playlist that was read.
    let lineEnd: [UInt8]
    /// True if integer durations are written with a decimal point.
    var marksExactDurations = false

    init(capacity: Int = 0, usesCRLF: Bool = false) {
        lineEnd = usesCRLF ? [0x0D, 0x0A] : [0x0A]
        bytes.reserveCapacity(capacity)
    }

    /// Returns whether the first line of a playlist ends in CR LF.
    static func usesCRLF(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.firstIndex(of: 0x0A), end > 0 else { return false }
        return bytes[end - 1] == 0x0D
    }

    /// Throws the first error, if there was one.
    func check() throws(PlaylistError) {
        if let error { throw error }
        // A URI may begin with U+FEFF, and may be on the first line if #EXTM3U is missing.
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            let message = "the first line must not begin with U+FEFF, which would be read as a byte order mark"
            throw PlaylistError(Diagnostic(rule: .bom, severity: .error, line: 1, message: message))
        }
    }

    mutating func fail(_ rule: RuleID, _ message: @autoclosure () -> String) {
        guard error == nil else { return }
        let line = bytes.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        error = PlaylistError(Diagnostic(rule: rule, severity: .error, line: line, message: message()))
    }

    /// Appends bytes without changes.
    mutating func raw(_ slice: ArraySlice<UInt8>) { bytes.append(contentsOf: slice) }

    /// Appends text within a line.
    mutating func text(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

    mutating func endLine() { bytes.append(contentsOf: lineEnd) }

    /// Returns whether a text contains characters that section 4.1 forbids.
    static func hasControl(_ text: String, allowsTab: Bool = false) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte < 0x20, !(allowsTab && byte == 0x09) { return true }
            // DELETE, and the UTF-8 form of U+0080 to U+009F.
            if byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }

    /// Writes a line that is not a known tag: a URI, a comment or an unknown tag.
    mutating func line(_ text: String) {
        if Self.hasControl(text) {
            fail(.controlCharacter, "a line must not contain control characters")
        }
        self.text(text)
        endLine()
    }

    /// Writes a comment or an unknown tag.
    mutating func otherLine(_ text: String) {
        if text.utf8.first != 0x23 { fail(.malformedTagValue, "a comment or an unknown tag must start with #") }
        line(text)
    }

    /// Writes a URI line. The URI must not be empty, and must not start with `#`, which would make it a comment.
    mutating func uriLine(_ uri: String) {
        if uri.isEmpty || uri.utf8.first == 0x23 || uri.utf8.first == 0x20 || uri.utf8.last == 0x20 {
            fail(.malformedTagValue, "a URI line must not be empty, start with #, or begin or end with a space")
        }
        line(uri)
    }

    /// Writes a tag without a value.
    mutating func tag(_ name: TagName) {
        text("#" + name.rawValue)
        endLine()
    }

    /// Writes a tag with a value that is not an attribute list.
    mutating func tag(_ name: TagName, _ value: String) {
        line("#" + name.rawValue + ":" + value)
    }

    /// Writes a tag with attributes.
    mutating func tag(_ name: TagName, _ attributes: (inout AttributeWriter) -> Void) {
        text("#" + name.rawValue + ":")
        var writer = AttributeWriter(tag: name)
        attributes(&writer)
        if let problem = writer.problem { fail(problem.rule, "\(name.rawValue): \(problem.message)") }
        bytes.append(contentsOf: writer.bytes)
        endLine()
    }
}

/// Collects the attributes of one tag, in the order of the calls. Absent values are left out.
struct AttributeWriter {
    let tag: TagName
    private(set) var bytes: [UInt8] = []
    private(set) var problem: (rule: RuleID, message: String)?
    private var names: Set<String> = []

    init(tag: TagName) { self.tag = tag }

    private mutating func append(_ name: String, _ value: some Sequence<UInt8>) {
        if !names.insert(name).inserted { fail("the attribute \(ReadingContext.quoted(name)) appears more than once") }
        if !bytes.isEmpty { bytes.append(0x2C) }
        bytes.append(contentsOf: name.utf8)
        bytes.append(0x3D)
        bytes.append(contentsOf: value)
    }

    private mutating func fail(_ message: String) { problem = problem ?? (.malformedAttributeValue, message) }

    /// Writes a quoted string. It must not contain quotation marks or control characters. It must not be empty or
    /// contain tabs unless the caller allows it.
    mutating func quotedString(_ name: String, _ value: String?, allowsEmpty: Bool = false, allowsTab: Bool = false) {
        guard let value else { return }
        if value.isEmpty, !allowsEmpty { fail("\(name) must not be empty") }
        if value.utf8.contains(0x22) || PlaylistWriter.hasControl(value, allowsTab: allowsTab) {
            fail("\(name) must not contain quotation marks or control characters")
        }
        append(name, "\"\(value)\"".utf8)
    }

    /// Writes an enumerated string.
    mutating func enumerated(_ name: String, _ value: String?) {
        guard let value else { return }
        if value.isEmpty || value.utf8.contains(where: { $0 == 0x20 || $0 == 0x22 || $0 == 0x2C })
            || PlaylistWriter.hasControl(value)
        {
            fail("\(name) must not be empty or contain quotation marks, commas or white space")
        }
        append(name, value.utf8)
    }

    /// Writes an enumerated string of an open set.
    mutating func enumerated(_ name: String, _ value: (some OpenString)?) { enumerated(name, value?.rawValue) }

    /// Writes `YES` or `NO`.
    mutating func flag(_ name: String, _ value: Bool?) { enumerated(name, value.map { $0 ? "YES" : "NO" }) }

    /// Writes `YES` if the value is true; otherwise nothing.
    mutating func yes(_ name: String, _ value: Bool) { if value { enumerated(name, "YES") } }

    /// Writes a decimal integer.
    mutating func integer(_ name: String, _ value: UInt64?) { if let value { append(name, String(value).utf8) } }

    /// Writes a decimal number of at least 0.
    mutating func decimal(_ name: String, _ value: Double?) {
        if let value, value < 0 { fail("\(name) must not be negative") }
        signedDecimal(name, value)
    }

    /// Writes a decimal number.
    mutating func signedDecimal(_ name: String, _ value: Double?) {
        guard let value else { return }
        guard let text = Decimal.text(value) else { return fail("\(name) must be a finite number") }
        append(name, text.utf8)
    }

    /// Writes a hexadecimal sequence in uppercase.
    mutating func hexadecimal(_ name: String, _ value: [UInt8]?) {
        guard let value else { return }
        if value.isEmpty { fail("\(name) must not be empty") }
        append(name, "0x\(Hexadecimal.encodeUppercase(value))".utf8)
    }

    /// Writes a date in a quoted string.
    mutating func date(_ name: String, _ value: PlaylistDate?) {
        guard let value else { return }
        if !value.isWritable { fail("\(name) is not a date in the years 0 to 9999") }
        quotedString(name, value.text)
    }

    /// Writes comma-separated items in a quoted string; nothing when there are no items.
    mutating func list(_ name: String, _ items: [String]) {
        quotedString(name, items.isEmpty ? nil : items.joined(separator: ","))
    }

    /// Writes attributes that the tag's definition does not list.
    mutating func others(_ attributes: [Attribute]) {
        for attribute in attributes {
            let isName =
                !attribute.name.isEmpty
                && attribute.name.utf8.allSatisfy {
                    (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                }
            if !isName { fail("\(ReadingContext.quoted(attribute.name)) is not an attribute name") }
            if attribute.isQuoted {
                quotedString(attribute.name, attribute.value, allowsEmpty: true, allowsTab: tag == .skip)
            } else {
                // A value that was read may be of a type that this library does not know, so it may contain more
                // characters than an enumerated string.
                if attribute.value.isEmpty
                    || attribute.value.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C })
                    || PlaylistWriter.hasControl(attribute.value)
                {
                    fail("\(attribute.name) must not be empty or contain quotation marks, commas or control characters")
                }
                append(attribute.name, attribute.value.utf8)
            }
        }
    }
}
