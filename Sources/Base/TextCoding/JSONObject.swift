/// The members of a JSON object in their order. Two objects are equal when they have the same members, in whatever order.
///
/// Names are compared by their characters as they are, not by what Unicode takes for the same (RFC 8259, section 8.3). The
/// names of one object differ: the parser makes sure of it, and whoever builds one by hand has to.
package struct JSONObject: Sendable {
    /// A name and its value.
    package struct Member: Sendable, Equatable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members, in their order.
    package private(set) var members: [Member]

    /// Makes an object of these members.
    package init(_ members: [Member] = []) { self.members = members }

    /// The value of the member of this name. Takes time for every member before it.
    package subscript(name: String) -> JSONValue? { members.first { Self.isSame($0.key, name) }?.value }

    /// Takes the member of this name out; nil without one.
    package mutating func removeValue(forKey name: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { Self.isSame($0.key, name) }) else { return nil }
        return members.remove(at: index).value
    }

    mutating func append(_ member: Member) { members.append(member) }

    static func isSame(_ name: String, _ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.utf8.elementsEqual(other.utf8)
    }
}

extension JSONObject: Sequence {
    package func makeIterator() -> [Member].Iterator { members.makeIterator() }
    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }
    package var keys: [String] { members.map(\.key) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object of these members; those whose value is nil are left out.
    package init(dictionaryLiteral members: (String, JSONValue?)...) {
        self.init(members.lazy.map { (key: $0.0, value: $0.1) })
    }

    /// Makes an object of these members; those whose value is nil are left out.
    package init(_ members: some Sequence<(key: String, value: JSONValue?)>) {
        self.init(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }
}

extension JSONObject: Equatable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.sorted == right.sorted
    }

    /// The members in the order of the bytes of their names.
    var sorted: [Member] { members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}

/// The names of an object so far, to find one that comes twice in time linear in their number.
struct JSONNames {
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { JSONObject.isSame(left.text, right.text) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Up to so many names are compared one by one, which is faster than a set of them.
    private static let few = 8
    private var set: Set<Name> = []

    /// Whether the name is not among those of the object, to which it is added next.
    mutating func insert(_ name: String, beside object: JSONObject) -> Bool {
        guard object.count >= Self.few else { return object[name] == nil }
        if set.isEmpty { set = Set(object.members.map { Name(text: $0.key) }) }
        return set.insert(Name(text: name)).inserted
    }
}
