import Testing
import XMLDocuments

@Suite("XML from strangers")
struct XMLTreeTests {
    private func failure(_ text: String) -> XMLFailure? {
        do throws(XMLFailure) {
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

    @Test("The parser crashes on a processing instruction without content, so none comes to it")
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

    @Test("Depth and number of elements are bounded")
    func bounds() {
        let deep = { (depth: Int) in
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(failure(deep(XMLTree.Limit.depth)) == nil)
        #expect(failure(deep(XMLTree.Limit.depth + 1)) != nil)
        #expect(failure(String(repeating: " ", count: XMLTree.Limit.size + 1)) != nil)
    }

    @Test("What the writer writes is read as what it was")
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

    @Test("Characters that XML cannot write do not spoil a document")
    func controlCharacters() throws {
        var writer = XMLWriter()
        writer.element("a", [("b", "x\u{0}\u{1F}\ny")])
        #expect(try XMLTree(writer.bytes).root.attributes["b"] == "x\u{FFFD}\u{FFFD}\u{FFFD}y")
    }
}
