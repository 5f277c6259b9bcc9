import ByteCoding
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// A small document as a tree, read from an enemy: no document type, so that there are no entities but the five of XML;
/// UTF-8; and bounds on everything.
///
/// No processing instruction without content either: the parser of the toolchain crashes on `<?a?>`.
package struct XMLTree {
    /// An element with what is in it.
    package final class Element {
        /// The name without its prefix.
        package let name: String
        /// The namespace; empty when it has none.
        package let namespace: String
        /// Where its start tag ends, from 1.
        package let line: Int
        /// By their names as they are written.
        package let attributes: [String: String]
        /// The elements in it, in order.
        package fileprivate(set) var children: [Element] = []
        /// All text in it, that of its children left out.
        package fileprivate(set) var text = ""

        fileprivate init(name: String, namespace: String, line: Int, attributes: [String: String]) {
            self.name = name
            self.namespace = namespace
            self.line = line
            self.attributes = attributes
        }

        /// The first child of that name, whatever its namespace.
        package func child(_ name: String) -> Element? { children.first { $0.name == name } }

        /// All children of that name, whatever their namespace.
        package func children(_ name: String) -> [Element] { children.filter { $0.name == name } }

        /// An attribute by its name without prefix, as those of other namespaces are found; nil when there is none.
        package func attribute(_ name: String) -> String? {
            if let value = attributes[name] { return value }
            return attributes.keys.sorted().first { $0.hasSuffix(":" + name) }.flatMap { attributes[$0] }
        }
    }

    /// What a document may have.
    package enum Limit {
        /// Bytes of a document.
        package static let size = 16 << 20
        /// How deep elements are nested.
        package static let depth = 32
        /// How many elements there are.
        package static let elements = 500_000
        /// How many attributes an element has, namespace declarations among them.
        package static let attributes = 256
        /// How many namespace declarations are in effect at any place: those of an element and of all around it.
        package static let namespaces = 64
        /// How many comments, processing instructions, CDATA sections and references divide the text.
        package static let pieces = 500_000
    }

    /// The outermost element.
    package let root: Element

    /// Reads a document.
    ///
    /// - Throws: ``XMLFailure`` with the line. No text of the document is repeated.
    package init(_ bytes: [UInt8]) throws(XMLFailure) {
        guard bytes.count <= Limit.size else {
            throw XMLFailure("document", "it has \(bytes.count) bytes, at most \(Limit.size) are read")
        }
        // Other encodings could hide a document type from the next check. Zeros end strings in C.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
            throw XMLFailure("document", "it is not in UTF-8")
        }
        guard !Self.hasDocumentType(bytes), let text = Self.withoutDeclaration(bytes) else {
            throw XMLFailure("document", "it has a document type, or says that it is not in UTF-8: neither is read")
        }
        guard !Self.hasEmptyInstruction(text) else {
            throw XMLFailure("document", "it has a processing instruction without content, which is not read")
        }
        try XMLScan.check(text)
        // Of a document type the parser tells nothing, and one that holds a notation makes it crash: none may come so far.
        let parser = XMLParser(data: Data(text))
        let builder = Builder()
        parser.delegate = builder
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        let isComplete = parser.parse()
        // What stands behind the root element is told by the error alone.
        guard isComplete, parser.parserError == nil, let root = builder.root, builder.isClosed else {
            throw XMLScan.notWellFormed(max(parser.lineNumber, 1))
        }
        self.root = root
    }

    /// `<!DOCTYPE` anywhere. In a comment it would be harmless, but no such document needs one there.
    private static func hasDocumentType(_ bytes: [UInt8]) -> Bool {
        let sought = Array("<!DOCTYPE".utf8)
        return bytes.indices.contains { bytes[$0] == sought[0] && bytes[$0...].starts(with: sought) }
    }

    /// `<?` with a name and `?>` right behind it. Within a comment it would be harmless, but means nothing there.
    private static func hasEmptyInstruction(_ bytes: [UInt8]) -> Bool {
        var place = bytes.startIndex
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = start + 1
            guard bytes[place...].first == UInt8(ascii: "?") else { continue }
            let name = bytes[(place + 1)...].prefix { !isBlank($0) && $0 != UInt8(ascii: "?") }
            let rest = bytes[name.endIndex...].drop { isBlank($0) }
            if rest.starts(with: "?>".utf8) { return true }
        }
        return false
    }

    /// The text with blanks in the place of the declaration at the beginning, if there is one; nil where that is not
    /// written as XML 1.0 (2.8) has it, or names another encoding than UTF-8.
    ///
    /// The parser would change to the other encoding for what follows, where nobody has looked for a document type. Without
    /// a declaration it stays with UTF-8.
    private static func withoutDeclaration(_ bytes: [UInt8]) -> [UInt8]? {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        // `<?xml-stylesheet` and the like are no declarations.
        guard bytes[start...].starts(with: Array("<?xml".utf8)), bytes.count > start + 5, isBlank(bytes[start + 5])
        else { return bytes }
        let declaration =
            #/
            <\?xml
            [\x20\t\r\n]+ version [\x20\t\r\n]*=[\x20\t\r\n]* (?: "1\.[0-9]+" | '1\.[0-9]+' )
            (?: [\x20\t\r\n]+ encoding [\x20\t\r\n]*=[\x20\t\r\n]* (?: "[Uu][Tt][Ff]-8" | '[Uu][Tt][Ff]-8' ) )?
            (?: [\x20\t\r\n]+ standalone [\x20\t\r\n]*=[\x20\t\r\n]* (?: "(?:yes|no)" | '(?:yes|no)' ) )?
            [\x20\t\r\n]* \?>
            /#.matchingSemantics(.unicodeScalar)
        // Longer than any declaration that means well.
        let head = String(decoding: bytes[start...].prefix(200), as: UTF8.self)
        guard let end = head.prefixMatch(of: declaration)?.range.upperBound else { return nil }
        let length = head[..<end].utf8.count
        let blanks = bytes[start..<start + length].map { isBlank($0) ? $0 : 0x20 }
        return Array(bytes[..<start]) + blanks + bytes[(start + length)...]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
}

/// Builds the tree from the parser's calls. It lives for one document on one thread.
private final class Builder: NSObject, XMLParserDelegate {
    private(set) var root: XMLTree.Element?
    private var open: [XMLTree.Element] = []

    var isClosed: Bool { open.isEmpty }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        let element = XMLTree.Element(
            name: String(name.split(separator: ":").last ?? ""),
            namespace: namespaceURI ?? "",
            line: parser.lineNumber,
            attributes: attributes
        )
        if let parent = open.last { parent.children.append(element) } else { root = root ?? element }
        open.append(element)
    }

    func parser(_: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?) {
        _ = open.popLast()
    }

    func parser(_: XMLParser, foundCharacters text: String) { open.last?.text += text }

    func parser(_: XMLParser, foundCDATA block: Data) { open.last?.text += String(decoding: block, as: UTF8.self) }
}
