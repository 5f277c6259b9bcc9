/// A writer of XML documents in UTF-8, with an indentation of two spaces per level and without empty lines.
///
///     var writer = XMLWriter()
///     writer.element("MPD", [("type", "static")]) { writer in
///         writer.element("Label", text: "English")
///     }
package struct XMLWriter: Sendable {
    private var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private var depth = 0

    /// Creates a writer with an empty document.
    package init() {}

    /// The document so far.
    package var bytes: [UInt8] { Array(text.utf8) }

    /// Writes an element without content. Attributes with the value nil are omitted.
    package mutating func element(_ name: String, _ attributes: [(String, String?)] = []) {
        open(name, attributes)
        text += "/>\n"
    }

    /// Writes an element with text.
    package mutating func element(_ name: String, _ attributes: [(String, String?)] = [], text content: String) {
        open(name, attributes)
        text += ">\(XMLText.escaped(content))</\(name)>\n"
    }

    /// Writes an element with child elements, or an empty element if `content` writes none.
    ///
    /// - Parameter preserved: Attributes whose values may contain line breaks and tabs.
    package mutating func element(
        _ name: String,
        _ attributes: [(String, String?)] = [],
        preserving preserved: [(name: String, value: String)] = [],
        _ content: (inout XMLWriter) -> Void
    ) {
        open(name, attributes)
        write(preserved)
        let start = text.utf8.count
        text += ">\n"
        depth += 1
        content(&self)
        depth -= 1
        guard text.utf8.count > start + 2 else {
            text.removeLast(2)
            text += "/>\n"
            return
        }
        text += indentation + "</\(name)>\n"
    }

    /// Writes an element whose text and attribute values may contain line breaks and tabs, with text before its child
    /// elements.
    package mutating func preservedElement(
        _ name: String,
        _ attributes: [(name: String, value: String)],
        text content: String,
        _ children: ((inout XMLWriter) -> Void)? = nil
    ) {
        open(name, [])
        write(attributes)
        text += ">" + XMLText.preserved(content, inAttribute: false)
        if let children {
            text += "\n"
            depth += 1
            children(&self)
            depth -= 1
            text += indentation
        }
        text += "</\(name)>\n"
    }

    private var indentation: String { String(repeating: "  ", count: depth) }

    private mutating func write(_ preserved: [(name: String, value: String)]) {
        for (name, value) in preserved {
            text += " \(name)=\"\(XMLText.preserved(value, inAttribute: true))\""
        }
    }

    private mutating func open(_ name: String, _ attributes: [(String, String?)]) {
        text += "\(indentation)<\(name)"
        for (name, value) in attributes {
            if let value { text += " \(name)=\"\(XMLText.escaped(value))\"" }
        }
    }
}
