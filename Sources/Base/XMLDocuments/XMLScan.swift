/// A scan that checks the limits of a document before the document is parsed.
///
/// The parser compares every attribute of an element with every other attribute, and searches all namespaces in scope
/// for each prefix, so parsing one element of a megabyte would take seconds. The scan reads each byte once and limits
/// both numbers, so that parsing takes linear time.
///
/// The scan splits a document into the same tags as the parser. A document that it cannot split is not well-formed and
/// is rejected.
struct XMLScan {
    private let bytes: [UInt8]
    private var position = 0
    /// The line number of `position`, starting at 1.
    private var line = 1
    /// The number of namespaces that each open element declares, outermost element first.
    private var open: [Int] = []
    private var namespaces = 0
    private var elements = 0
    private var textDividers = 0

    /// Checks a document in UTF-8 without a document type.
    ///
    /// - Throws: ``XMLDocumentError`` with the line.
    static func check(_ bytes: [UInt8]) throws(XMLDocumentError) {
        var scan = XMLScan(bytes)
        try scan.run()
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() throws(XMLDocumentError) {
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "<"): try markup()
            case UInt8(ascii: "&"): try countTextDivider()
            default: break
            }
        }
    }

    /// Scans the markup after `<`.
    private mutating func markup() throws(XMLDocumentError) {
        if skip("!--") {
            try countTextDivider()
            try skip(past: "-->")
        } else if skip("![CDATA[") {
            try countTextDivider()
            try skip(past: "]]>")
        } else if skip("?") {
            try countTextDivider()
            try skip(past: "?>")
        } else if skip("/") {
            try skip(past: ">")
            namespaces -= open.popLast() ?? 0
        } else {
            try startTag()
        }
    }

    /// Scans a start tag or an empty element, after its `<`.
    private mutating func startTag() throws(XMLDocumentError) {
        try Self.count(&elements, XMLTree.Limit.elements, "elements", line)
        guard open.count < XMLTree.Limit.depth else {
            throw failure("elements are nested deeper than \(XMLTree.Limit.depth) levels")
        }
        guard !name().isEmpty else { throw Self.notWellFormed(line) }
        var attributes = 0
        var declared = 0
        while true {
            skipWhitespace()
            if skip(">") {
                open.append(declared)
                return
            }
            if skip("/>") {
                namespaces -= declared
                return
            }
            attributes += 1
            guard attributes <= XMLTree.Limit.attributes else {
                throw failure("an element has more than \(XMLTree.Limit.attributes) attributes")
            }
            if try attribute() {
                declared += 1
                try Self.count(&namespaces, XMLTree.Limit.namespaces, "namespace declarations in effect", line)
            }
        }
    }

    /// Scans an attribute. Returns whether it declares a namespace.
    private mutating func attribute() throws(XMLDocumentError) -> Bool {
        let name = name()
        skipWhitespace()
        guard !name.isEmpty, skip("=") else { throw Self.notWellFormed(line) }
        skipWhitespace()
        if skip("\"") {
            try skip(past: "\"")
        } else if skip("'") {
            try skip(past: "'")
        } else {
            throw Self.notWellFormed(line)
        }
        return name.elementsEqual("xmlns".utf8) || name.starts(with: "xmlns:".utf8)
    }

    /// Reads the name at the position, up to the first character that cannot be part of a name.
    private mutating func name() -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: true
        case UInt8(ascii: "="), UInt8(ascii: "/"), UInt8(ascii: ">"), UInt8(ascii: "<"): true
        case UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    private mutating func skipWhitespace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { _ = next() }
    }

    /// Reads a byte, and counts the line if the byte is a line break.
    private mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    /// Skips the text if it is next. The text must not contain a line break.
    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    /// Skips all bytes up to and including the text.
    private mutating func skip(past text: StaticString) throws(XMLDocumentError) {
        while !skip(text) {
            guard next() != nil else { throw Self.notWellFormed(line) }
        }
    }

    private mutating func countTextDivider() throws(XMLDocumentError) {
        let what: StaticString = "comments, instructions, CDATA sections and references"
        try Self.count(&textDividers, XMLTree.Limit.textDividers, what, line)
    }

    private static func count(
        _ counter: inout Int,
        _ limit: Int,
        _ what: StaticString,
        _ line: Int
    ) throws(XMLDocumentError) {
        counter += 1
        guard counter <= limit else {
            throw XMLDocumentError("line \(line)", "the document has more than \(limit) \(what)")
        }
    }

    private func failure(_ reason: String) -> XMLDocumentError { XMLDocumentError("line \(line)", reason) }

    /// Returns the error for a document that is not well-formed.
    static func notWellFormed(_ line: Int) -> XMLDocumentError {
        XMLDocumentError("line \(line)", "the document is not well-formed XML")
    }
}
