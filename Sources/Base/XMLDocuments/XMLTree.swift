import ByteCoding
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An XML document as a tree. The input is untrusted: the parser rejects document types, so that only the five
/// predefined entities exist, accepts only UTF-8, and limits the size of everything.
///
/// The parser also rejects processing instructions without content, because the toolchain's parser crashes on `<?a?>`.
package struct XMLTree {
    /// An element with its attributes, children and text.
    package final class Element {
        /// The name without its prefix.
        package let name: String
        /// The prefix of the name; empty if it has none.
        package let prefix: String
        /// The namespace; empty if the element has none.
        package let namespace: String
        /// The line number of the end of the start tag, starting at 1.
        package let line: Int
        /// The attributes by their qualified names.
        package let attributes: [String: String]
        /// The namespaces of the attributes that have a prefix, by the attributes' qualified names.
        package let attributeNamespaces: [String: String]
        /// The child elements, in order.
        package fileprivate(set) var children: [Element] = []
        /// All text of the element, without the text of its children.
        package fileprivate(set) var text = ""

        fileprivate init(
            qualifiedName: String,
            namespace: String,
            line: Int,
            attributes: [String: String],
            attributeNamespaces: [String: String]
        ) {
            let parts = qualifiedName.split(separator: ":", maxSplits: 1)
            name = String(parts.last ?? "")
            prefix = parts.count == 2 ? String(parts[0]) : ""
            self.namespace = namespace
            self.line = line
            self.attributes = attributes
            self.attributeNamespaces = attributeNamespaces
        }

        /// Returns the first child with this name, in any namespace.
        package func child(_ name: String) -> Element? { children.first { $0.name == name } }

        /// Returns all children with this name, in any namespace.
        package func children(_ name: String) -> [Element] { children.filter { $0.name == name } }

        /// Returns the value of an attribute by its name without prefix, in any namespace, if any.
        package func attribute(_ name: String) -> String? {
            if let value = attributes[name] { return value }
            return attributes.keys.sorted().first { $0.hasSuffix(":" + name) }.flatMap { attributes[$0] }
        }
    }

    /// The limits for documents.
    package enum Limit {
        /// The maximum size of a document, in bytes.
        package static let size = 16 << 20
        /// The maximum nesting depth of elements.
        package static let depth = 32
        /// The maximum number of elements.
        package static let elements = 500_000
        /// The maximum number of attributes of an element, including namespace declarations.
        package static let attributes = 256
        /// The maximum number of namespace declarations in scope: those of an element and of its ancestors.
        package static let namespaces = 64
        /// The maximum number of comments, processing instructions, CDATA sections and references, which divide the
        /// text.
        package static let textDividers = 500_000
    }

    /// The outermost element.
    package let root: Element

    /// Parses a document.
    ///
    /// - Throws: ``XMLDocumentError`` with the line number.
    package init(_ bytes: [UInt8]) throws(XMLDocumentError) {
        guard bytes.count <= Limit.size else {
            throw XMLDocumentError(
                "document",
                "the document has \(bytes.count) bytes; at most \(Limit.size) are allowed"
            )
        }
        // Other encodings could hide a document type from the next check. Zero bytes end strings in C.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
            throw XMLDocumentError("document", "the document is not in UTF-8")
        }
        guard !Self.hasDocumentType(bytes), let text = Self.withoutDeclaration(bytes) else {
            throw XMLDocumentError(
                "document",
                "the document has a document type or declares another encoding than UTF-8"
            )
        }
        guard !Self.hasEmptyInstruction(text) else {
            throw XMLDocumentError("document", "the document has a processing instruction without content")
        }
        try XMLScan.check(text)
        // The parser does not report document types, and it crashes on a document type with a notation, so the checks
        // above reject all document types.
        let parser = XMLParser(data: Data(text))
        let builder = Builder()
        parser.delegate = builder
        parser.shouldProcessNamespaces = true
        parser.shouldReportNamespacePrefixes = true
        parser.shouldResolveExternalEntities = false
        let isComplete = parser.parse()
        // Only the parser's error reports content after the root element.
        guard isComplete, parser.parserError == nil, let root = builder.root, builder.isClosed else {
            throw XMLScan.notWellFormed(max(parser.lineNumber, 1))
        }
        self.root = root
    }

    /// Returns whether the document contains `<!DOCTYPE`. In a comment this would be harmless, but it is rejected too.
    private static func hasDocumentType(_ bytes: [UInt8]) -> Bool {
        let pattern = Array("<!DOCTYPE".utf8)
        return bytes.indices.contains { bytes[$0] == pattern[0] && bytes[$0...].starts(with: pattern) }
    }

    /// Returns whether the document contains `<?`, a name and `?>`. In a comment this would be harmless, but it is
    /// rejected too.
    private static func hasEmptyInstruction(_ bytes: [UInt8]) -> Bool {
        var place = bytes.startIndex
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = start + 1
            guard bytes[place...].first == UInt8(ascii: "?") else { continue }
            let name = bytes[(place + 1)...].prefix { !isWhitespace($0) && $0 != UInt8(ascii: "?") }
            let rest = bytes[name.endIndex...].drop { isWhitespace($0) }
            if rest.starts(with: "?>".utf8) { return true }
        }
        return false
    }

    /// Returns the text with the XML declaration, if there is one, replaced by spaces. Returns nil if the declaration
    /// is not valid (XML 1.0, 2.8) or specifies another encoding than UTF-8.
    ///
    /// With a declaration the parser would use the other encoding for the following text, which has not been checked
    /// for a document type. Without a declaration the parser uses UTF-8.
    private static func withoutDeclaration(_ bytes: [UInt8]) -> [UInt8]? {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        // `<?xml-stylesheet` and similar instructions are not declarations.
        guard bytes[start...].starts(with: Array("<?xml".utf8)), bytes.count > start + 5, isWhitespace(bytes[start + 5])
        else { return bytes }
        let declaration =
            #/
            <\?xml
            [\x20\t\r\n]+ version [\x20\t\r\n]*=[\x20\t\r\n]* (?: "1\.[0-9]+" | '1\.[0-9]+' )
            (?: [\x20\t\r\n]+ encoding [\x20\t\r\n]*=[\x20\t\r\n]* (?: "[Uu][Tt][Ff]-8" | '[Uu][Tt][Ff]-8' ) )?
            (?: [\x20\t\r\n]+ standalone [\x20\t\r\n]*=[\x20\t\r\n]* (?: "(?:yes|no)" | '(?:yes|no)' ) )?
            [\x20\t\r\n]* \?>
            /#.matchingSemantics(.unicodeScalar)
        // 200 bytes are more than any legitimate declaration has.
        let head = String(decoding: bytes[start...].prefix(200), as: UTF8.self)
        guard let end = head.prefixMatch(of: declaration)?.range.upperBound else { return nil }
        let length = head[..<end].utf8.count
        let spaces = bytes[start..<start + length].map { isWhitespace($0) ? $0 : 0x20 }
        return Array(bytes[..<start]) + spaces + bytes[(start + length)...]
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
}

/// The delegate of the parser, which builds the tree. An instance is used for one document on one thread.
private final class Builder: NSObject, XMLParserDelegate {
    private(set) var root: XMLTree.Element?
    private var open: [XMLTree.Element] = []
    /// The namespaces of each prefix, innermost declaration last.
    private var namespaces = ["xml": ["http://www.w3.org/XML/1998/namespace"]]

    var isClosed: Bool { open.isEmpty }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        var attributeNamespaces: [String: String] = [:]
        for name in attributes.keys {
            guard let colon = name.firstIndex(of: ":") else { continue }
            attributeNamespaces[name] = namespaces[String(name[..<colon])]?.last
        }
        let element = XMLTree.Element(
            qualifiedName: qualifiedName ?? name,
            namespace: namespaceURI ?? "",
            line: parser.lineNumber,
            attributes: attributes,
            attributeNamespaces: attributeNamespaces
        )
        if let parent = open.last { parent.children.append(element) } else { root = root ?? element }
        open.append(element)
    }

    func parser(_: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?) {
        _ = open.popLast()
    }

    func parser(_: XMLParser, didStartMappingPrefix prefix: String, toURI namespace: String) {
        namespaces[prefix, default: []].append(namespace)
    }

    func parser(_: XMLParser, didEndMappingPrefix prefix: String) { _ = namespaces[prefix]?.popLast() }

    func parser(_: XMLParser, foundCharacters text: String) { open.last?.text += text }

    func parser(_: XMLParser, foundCDATA block: Data) { open.last?.text += String(decoding: block, as: UTF8.self) }
}
