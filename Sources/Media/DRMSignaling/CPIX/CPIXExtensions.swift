import XMLDocuments

extension CPIXDocument {
    /// The attributes and child elements of an element that this library does not use: those of other formats and of
    /// later versions of CPIX. They are written unchanged, elements in their order after those that the library uses.
    /// Comments and processing instructions are not preserved; text between child elements is written before them.
    public struct Extensions: Sendable, Equatable {
        struct Attribute: Sendable, Equatable {
            /// The name with the prefix of ``ExtensionNamespaces``.
            var name: String
            var value: String
        }

        struct Element: Sendable, Equatable {
            /// The name with the prefix of ``ExtensionNamespaces``.
            var name: String
            /// The default namespace that a name without a prefix requires; nil if the name has a prefix.
            var defaultNamespace: String?
            var attributes: [Attribute]
            var text: String
            var children: [Element]
        }

        var attributes: [Attribute] = []
        var elements: [Element] = []

        /// Creates an empty value.
        public init() {}

        /// True if there are no attributes and no elements.
        public var isEmpty: Bool { attributes.isEmpty && elements.isEmpty }

        /// Collects the attributes and elements that ``CPIXVocabulary`` does not list as used for the element's name.
        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) {
            let used = CPIXVocabulary.used[element.name] ?? ([], [])
            attributes = Self.attributes(of: element, except: used.attributes, namespaces)
            elements = element.children.filter { !CPIXVocabulary.isUsed($0, used.children) }
                .map { Element($0, namespaces) }
        }

        fileprivate static func attributes(
            of element: XMLTree.Element,
            except used: Set<String>,
            _ namespaces: ExtensionNamespaces
        ) -> [Attribute] {
            element.attributes.filter { !used.contains($0.key) }.sorted { $0.key < $1.key }.map { name, value in
                Attribute(name: namespaces.name(ofAttribute: name, of: element), value: value)
            }
        }

        /// Adds those of another element with the same name. An attribute that exists is not replaced.
        mutating func add(_ other: Extensions) {
            let names = Set(attributes.map(\.name))
            attributes += other.attributes.filter { !names.contains($0.name) }
            elements += other.elements
        }

        func write(to writer: inout XMLWriter) {
            for element in elements { element.write(to: &writer, defaultNamespace: CPIXDocument.namespace) }
        }
    }
}

extension CPIXDocument.Extensions.Element {
    fileprivate init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) {
        name = namespaces.name(of: element)
        defaultNamespace = ["", CPIXDocument.namespace].contains(element.namespace) ? element.namespace : nil
        attributes = CPIXDocument.Extensions.attributes(of: element, except: [], namespaces)
        children = element.children.map { Self($0, namespaces) }
        text = children.isEmpty ? element.text : Self.trimmed(element.text)
    }

    /// Removes the white space at both ends, which is the indentation of the child elements.
    private static func trimmed(_ text: String) -> String {
        var rest = text.drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    fileprivate func write(to writer: inout XMLWriter, defaultNamespace current: String) {
        var attributes = attributes.map { (name: $0.name, value: $0.value) }
        if let defaultNamespace, defaultNamespace != current {
            attributes.insert((name: "xmlns", value: defaultNamespace), at: 0)
        }
        guard !children.isEmpty else { return writer.preservedElement(name, attributes, text: text) }
        writer.preservedElement(name, attributes, text: text) { writer in
            for child in children { child.write(to: &writer, defaultNamespace: defaultNamespace ?? current) }
        }
    }
}

/// The namespaces of extensions, with the prefixes under which the root element declares them. They are declared only
/// there, so that the size of a written document is linear in the size of the parsed one.
struct ExtensionNamespaces: Sendable, Equatable {
    /// A declaration in the root element.
    struct Declaration: Sendable, Equatable {
        var prefix: String
        var namespace: String
    }

    /// The declarations, except those that every document may have.
    private(set) var declarations: [Declaration] = []
    private var prefixes = [
        CPIXDocument.keyNamespace: "pskc", CPIXVocabulary.encryption: "enc", CPIXVocabulary.signatures: "ds",
        Self.xml: "xml",
    ]
    /// The prefixes of the document's namespaces that are not extensions and that occur.
    private(set) var known: Set<String> = []

    private static let xml = "http://www.w3.org/XML/1998/namespace"
    /// The maximum number of namespaces. With the others, and with a default namespace in each of 32 nested elements, a
    /// written document has at most the 64 that ``XMLTree`` accepts in scope.
    private static let limit = 28
    /// The maximum number of attributes of an element, so that those of a written one can be parsed.
    private static let attributeLimit = 200

    init() {}

    /// Collects the namespaces of a document.
    ///
    /// - Throws: `invalid-cpix` if there are more than 28 or one is longer than 1,000 bytes, or if an element has more than
    ///   200 attributes.
    init(in root: XMLTree.Element) throws(SignalingError) {
        var waiting = [root]
        while let element = waiting.popLast() {
            guard element.attributes.count <= Self.attributeLimit else {
                throw SignalingError(
                    .invalidCPIX,
                    "CPIX, line \(element.line)",
                    "an element has more than \(Self.attributeLimit) attributes"
                )
            }
            if element.namespace != CPIXDocument.namespace { try add(element.namespace, element.prefix, element) }
            for (name, namespace) in element.attributeNamespaces.sorted(by: { $0.key < $1.key }) {
                try add(namespace, String(name.prefix { $0 != ":" }), element)
            }
            waiting += element.children.reversed()
        }
        declarations.sort { $0.prefix < $1.prefix }
    }

    private mutating func add(
        _ namespace: String,
        _ preferred: String,
        _ element: XMLTree.Element
    ) throws(SignalingError) {
        guard !namespace.isEmpty else { return }
        if let prefix = prefixes[namespace] {
            known.insert(prefix)
            return
        }
        guard declarations.count < Self.limit, namespace.utf8.count <= CPIXDocument.Limit.attribute else {
            throw SignalingError(
                .invalidCPIX,
                "CPIX, line \(element.line)",
                "there are more than \(Self.limit) namespaces, or one is longer than \(CPIXDocument.Limit.attribute) bytes"
            )
        }
        let taken = Set(prefixes.values)
        // A long prefix would be repeated in each name.
        var prefix = preferred
        if prefix.isEmpty || prefix.utf8.count > 32 || taken.contains(prefix) {
            var number = 1
            while taken.contains("ns\(number)") { number += 1 }
            prefix = "ns\(number)"
        }
        prefixes[namespace] = prefix
        declarations.append(Declaration(prefix: prefix, namespace: namespace))
    }

    func name(of element: XMLTree.Element) -> String {
        guard let prefix = prefixes[element.namespace] else { return element.name }
        return prefix + ":" + element.name
    }

    func name(ofAttribute name: String, of element: XMLTree.Element) -> String {
        guard let prefix = element.attributeNamespaces[name].flatMap({ prefixes[$0] }),
            let colon = name.firstIndex(of: ":")
        else { return name }
        return prefix + name[colon...]
    }
}
