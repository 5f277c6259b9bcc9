import Testing
import XMLDocuments

@Suite("Untrusted XML")
struct XMLTreeTests {
    private func failure(_ text: String) -> XMLDocumentError? {
        do throws(XMLDocumentError) {
            _ = try XMLTree(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("A tree has elements, namespaces, attributes, text and lines")
    func tree() throws {
        let text =
            "<a xmlns='urn:a' xmlns:p='urn:p'>\n <b c='1'/>\n <p:d p:e='2' f='3'>x<![CDATA[<y>]]>&amp;</p:d>\n</a>"
        let root = try XMLTree(Array(text.utf8)).root
        #expect(root.name == "a" && root.namespace == "urn:a" && root.line == 1)
        #expect(root.children.map(\.name) == ["b", "d"])
        #expect(root.child("b")?.attributes["c"] == "1")
        let inner = try #require(root.child("d"))
        #expect(inner.namespace == "urn:p" && inner.line == 3)
        #expect(inner.attribute("e") == "2" && inner.attribute("f") == "3" && inner.attribute("g") == nil)
        #expect(inner.text == "x<y>&")
    }

    @Test("Prefixes of elements and namespaces of attributes are those in scope")
    func prefixes() throws {
        let text =
            "<a xmlns:p='urn:p' p:x='1' xml:lang='en'><p:b xmlns:p='urn:q' p:y='2' z='3'/><p:c p:x='4'/><d p:x='5'/></a>"
        let root = try XMLTree(Array(text.utf8)).root
        let xml = "http://www.w3.org/XML/1998/namespace"
        #expect(root.prefix == "" && root.attributeNamespaces == ["p:x": "urn:p", "xml:lang": xml])
        #expect(root.children.map(\.prefix) == ["p", "p", ""])
        #expect(root.children.map(\.namespace) == ["urn:q", "urn:p", ""])
        #expect(root.children[0].attributeNamespaces == ["p:y": "urn:q"])
        #expect(root.children[1].attributeNamespaces == ["p:x": "urn:p"])
        #expect(root.children[2].attributeNamespaces == ["p:x": "urn:p"])
        #expect(failure("<a p:x='1'/>") != nil, "the prefix is not declared")
    }

    @Test("Preserved elements keep line breaks and tabs")
    func preserved() throws {
        var writer = XMLWriter()
        let value = "a\tb\nc\rd <&>\""
        writer.preservedElement("a", [(name: "b", value: value)], text: value)
        let root = try XMLTree(writer.bytes).root
        #expect(root.attributes["b"] == value && root.text == value)
        writer = XMLWriter()
        writer.preservedElement("a", [], text: "x") { $0.element("c") }
        #expect(try XMLTree(writer.bytes).root.children.map(\.name) == ["c"])
    }

    @Test("Processing instructions without content, on which the parser crashes, are refused")
    func emptyInstructions() {
        for instruction in ["<?a?>", "<?a ?>", "<?a\n\t?>", "<?a-b.c?>", "<??>"] {
            #expect(failure("\(instruction)<r/>") != nil, "\(instruction)")
            #expect(failure("<r>\(instruction)</r>") != nil, "\(instruction)")
            #expect(failure("<r/>\(instruction)") != nil, "\(instruction)")
        }
        #expect(failure("<?xml version=\"1.0\"?><?a b?><r><?c d?></r>") == nil)
    }

    @Test("Document types, other encodings and unfinished documents are refused")
    func refusals() {
        let texts = [
            "", "<", "<?", "<a", "<a>", "<a/><b/>", "<a></b>", "<!DOCTYPE a><a/>",
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>", "<a>\0</a>", "<a>&lol;</a>", "<a b=1/>",
        ]
        for text in texts { #expect(failure(text) != nil, "\(text)") }
    }

    @Test("The depth and the number of elements are limited")
    func bounds() {
        let deep = { (depth: Int) in
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(failure(deep(XMLTree.Limit.depth)) == nil)
        #expect(failure(deep(XMLTree.Limit.depth + 1)) != nil)
        #expect(failure(String(repeating: " ", count: XMLTree.Limit.size + 1)) != nil)
    }

    private func repeated(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined() }

    @Test("The number of attributes is limited, and the error contains the line")
    func attributes() throws {
        // `>`, `/`, `=` and the other quotation mark can be part of a value.
        let plain = { (count: Int) in "<r>\n<a b='\n'/>\n<a\n" + repeated(count) { " b\($0)='>/=\"'" } + "/></r>" }
        let root = try XMLTree(Array(plain(XMLTree.Limit.attributes).utf8)).root
        #expect(root.children.last?.attributes.count == XMLTree.Limit.attributes)
        let tooMany = failure(plain(XMLTree.Limit.attributes + 1))
        #expect(tooMany?.place == "line 5")
        #expect(tooMany?.reason == "an element has more than \(XMLTree.Limit.attributes) attributes")
    }

    @Test("Attribute-like text in comments, sections, instructions, text and values is not counted")
    func attributesElsewhere() {
        let many = "<a" + repeated(XMLTree.Limit.attributes + 1) { " b\($0)=''" } + "/>"
        let quoted = many.replacing("<", with: "&lt;")
        let texts = [
            "<r><!--\(many)--></r>", "<r><![CDATA[\(many)]]></r>", "<r><?i \(many)?></r>", "<r>\(quoted)</r>",
            "<r a=\"\(quoted)\"/>", "<!--\(many)--><r/><!--\(many)-->",
        ]
        for text in texts { #expect(failure(text) == nil, "\(text.prefix(20))") }
        #expect(failure("<r><!-- -- --></r>") != nil)
    }

    @Test("The number of namespaces in scope is limited, also over nested elements")
    func namespaces() {
        let declarations = { (prefix: String, count: Int) in repeated(count) { " xmlns:\(prefix)\($0)='urn:u\($0)'" } }
        let limit = XMLTree.Limit.namespaces
        #expect(failure("<a\(declarations("p", limit))/>") == nil)
        #expect(failure("<a\(declarations("p", limit - 1)) xmlns='urn:u'><p0:b/></a>") == nil)
        #expect(failure("<a\(declarations("p", limit)) xmlns='urn:u'/>")?.reason.contains("namespace") == true)
        #expect(failure("<a\(declarations("p", limit))>\n<b\(declarations("q", 1))/></a>")?.place == "line 2")
        // The namespaces of closed elements are no longer in scope.
        let closed = repeated(1_000) { _ in "<b\(declarations("q", 1))/><b\(declarations("q", 1))></b>" }
        #expect(failure("<a\(declarations("p", limit - 1))>\(closed)</a>") == nil)
        // A name that only starts with `xmlns` is an ordinary attribute.
        #expect(failure("<a" + repeated(limit + 1) { " xmlnsx\($0)=''" } + "/>") == nil)
    }

    @Test("The numbers of elements and text dividers are limited")
    func counts() {
        let elements = failure("<a>" + String(repeating: "<b/>", count: XMLTree.Limit.elements) + "</a>")
        #expect(elements?.reason == "the document has more than \(XMLTree.Limit.elements) elements")
        for divider in ["&lt;", "<!---->", "<![CDATA[]]>", "<?i j?>"] {
            let dividers = failure("<a>" + String(repeating: divider, count: XMLTree.Limit.textDividers + 1) + "</a>")
            #expect(
                dividers?.reason.hasPrefix("the document has more than \(XMLTree.Limit.textDividers) comments") == true,
                "\(divider)"
            )
        }
    }

    @Test("Text that cannot be split into tags is not well-formed, and the error contains the line")
    func malformed() {
        for text in ["<a\n", "<a\nb", "<a\nb=", "<a\nb=c>", "<a\nb c>", "<a\nb='", "<a\n/b>", "<a\n='b'>"] {
            let expected = XMLDocumentError("line 2", "the document is not well-formed XML")
            #expect(failure(text) == expected, "\(text)")
            #expect(failure("<r/>" + text) == expected, "\(text)")
        }
        for text in ["<!--", "<![CDATA[", "<?i j", "</a", "< a/>", "<>", "<!a>"] {
            #expect(failure("<r>" + text) != nil, "\(text)")
        }
    }

    @Test("Documents of the writer round-trip")
    func writing() throws {
        var writer = XMLWriter()
        let awkward = "a<b>&\"c\" 'd' \u{1F600}"
        writer.element("root", [("a", awkward), ("b", nil)]) { writer in
            writer.element("empty")
            writer.element("text", text: awkward)
            writer.element("nothing") { _ in }
        }
        let root = try XMLTree(writer.bytes).root
        #expect(root.attributes == ["a": awkward])
        #expect(root.children.map(\.name) == ["empty", "text", "nothing"])
        #expect(root.child("text")?.text == awkward)
        #expect(String(decoding: writer.bytes, as: UTF8.self).hasSuffix("  <nothing/>\n</root>\n"))
    }

    @Test("Characters that XML cannot represent do not make a document invalid")
    func controlCharacters() throws {
        var writer = XMLWriter()
        writer.element("a", [("b", "x\u{0}\u{1F}\ny")])
        #expect(try XMLTree(writer.bytes).root.attributes["b"] == "x\u{FFFD}\u{FFFD}\u{FFFD}y")
    }
}
