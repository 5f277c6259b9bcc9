import Foundation
import FoundationXML

/// A small document as a tree, read from an enemy: no document type, so that there are no entities but the five of XML;
/// UTF-8; and bounds on everything.
struct XMLTree {
    /// An element with what is in it.
    final class Element {
        /// The name without its prefix.
        let name: String
        /// The namespace; empty when it has none.
        let namespace: String
        /// Where its start tag ends, from 1.
        let line: Int
        /// By their names as they are written.
        let attributes: [String: String]
        fileprivate(set) var children: [Element] = []
        /// All text in it, that of its children left out.
        fileprivate(set) var text = ""

        fileprivate init(name: String, namespace: String, line: Int, attributes: [String: String]) {
            self.name = name
            self.namespace = namespace
            self.line = line
            self.attributes = attributes
        }

        /// The first child of that name, whatever its namespace.
        func child(_ name: String) -> Element? { children.first { $0.name == name } }

        /// All children of that name, whatever their namespace.
        func children(_ name: String) -> [Element] { children.filter { $0.name == name } }
    }

    /// What a document may have.
    enum Limit {
        static let size = 16 << 20
        static let depth = 32
        static let elements = 500_000
    }

    let root: Element

    /// Reads a document.
    ///
    /// - Throws: `invalid-cpix`, with the line.
    init(_ bytes: [UInt8]) throws(SignallingError) {
        guard bytes.count <= Limit.size else {
            throw Self.error("document", "it has \(bytes.count) bytes, at most \(Limit.size) are read")
        }
        // Other encodings could hide a document type from the next check. Zeros end strings in C.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
            throw Self.error("document", "it is not in UTF-8")
        }
        guard !Self.hasDocumentType(bytes), let text = Self.withoutDeclaration(bytes) else {
            throw Self.error("document", "it has a document type, or says that it is not in UTF-8: neither is read")
        }
        // Of a document type the parser tells nothing, and one that holds a notation makes it crash: none may come so far.
        let parser = XMLParser(data: Data(text))
        let builder = Builder()
        parser.delegate = builder
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        let isComplete = parser.parse()
        if let mistake = builder.mistake { throw mistake }
        // What stands behind the root element is told by the error alone.
        guard isComplete, parser.parserError == nil, let root = builder.root, builder.isClosed else {
            throw Self.error("line \(max(parser.lineNumber, 1))", "it is not well-formed XML")
        }
        self.root = root
    }

    static func error(_ place: String, _ reason: String) -> SignallingError {
        SignallingError(.invalidCPIX, "CPIX, \(place)", reason)
    }

    /// `<!DOCTYPE` anywhere. In a comment it would be harmless, but no such document needs one there.
    private static func hasDocumentType(_ bytes: [UInt8]) -> Bool {
        let sought = Array("<!DOCTYPE".utf8)
        return bytes.indices.contains { bytes[$0] == sought[0] && bytes[$0...].starts(with: sought) }
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
    private(set) var mistake: SignallingError?
    private var open: [XMLTree.Element] = []
    private var count = 0

    var isClosed: Bool { open.isEmpty }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard mistake == nil else { return }
        count += 1
        guard open.count < XMLTree.Limit.depth, count <= XMLTree.Limit.elements else {
            mistake = XMLTree.error("line \(parser.lineNumber)", "elements are nested too deeply, or too many")
            parser.abortParsing()
            return
        }
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
