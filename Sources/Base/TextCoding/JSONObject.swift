/// A JSON object, which preserves the order of its members. Two objects are equal if they have the same members, in any
/// order.
///
/// Names are compared by code unit, without Unicode normalization (RFC 8259, section 8.3). The names of an object must
/// be unique: the parser ensures this, and code that creates an object must ensure it too.
package struct JSONObject: Sendable {
    /// A member: a name and its value.
    package struct Member: Sendable, Equatable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members in order.
    package private(set) var members: [Member]

    /// Creates an object with these members.
    package init(_ members: [Member] = []) { self.members = members }

    /// The value of the member with this name, if any. The search takes linear time.
    package subscript(name: String) -> JSONValue? { members.first { Self.isSame($0.key, name) }?.value }

    /// Removes the member with this name and returns its value, if any.
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
    /// Creates an object with these members; members with the value nil are omitted.
    package init(dictionaryLiteral members: (String, JSONValue?)...) {
        self.init(members.lazy.map { (key: $0.0, value: $0.1) })
    }

    /// Creates an object with these members; members with the value nil are omitted.
    package init(_ members: some Sequence<(key: String, value: JSONValue?)>) {
        self.init(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }
}

extension JSONObject: Equatable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.sorted == right.sorted
    }

    /// The members, sorted by the UTF-8 bytes of their names.
    var sorted: [Member] { members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}

/// The names of an object so far, to find duplicate names in linear time.
struct JSONNames {
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { JSONObject.isSame(left.text, right.text) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// The maximum number of names that are compared one by one, which is faster than a set.
    private static let linearSearchLimit = 8
    private var set: Set<Name> = []

    /// Records a name before it is added to the object. Returns false if the object already has the name.
    mutating func insert(_ name: String, of object: JSONObject) -> Bool {
        guard object.count >= Self.linearSearchLimit else { return object[name] == nil }
        if set.isEmpty { set = Set(object.members.map { Name(text: $0.key) }) }
        return set.insert(Name(text: name)).inserted
    }
}
