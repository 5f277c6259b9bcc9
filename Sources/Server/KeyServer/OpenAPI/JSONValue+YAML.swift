import TextCoding
import Yams

extension JSONValue {
    /// Parses a YAML document whose values are those of JSON, in the order of the document.
    ///
    /// A plain scalar that is a JSON literal (a number, `true`, `false` or `null`) has the type of the literal; every
    /// other scalar is a string. Aliases and merge keys (`<<`) are resolved; the members of a mapping take precedence
    /// over merged ones. For documents that are part of the executable: aliases can multiply the size of the input.
    ///
    /// - Throws: `YamlError` with the line of the error. Duplicate names are errors.
    init(yaml text: String) throws {
        self = try Yams.compose(yaml: text).map(Self.init) ?? .null
    }

    private init(_ node: Node) {
        switch node {
        case .mapping(let mapping):
            self = .object(JSONObject(Self.members(mapping)))
        case .sequence(let sequence):
            self = .array(sequence.map(Self.init))
        case .scalar(let scalar):
            let literal =
                scalar.style == .plain ? try? JSONValue(parsing: Array(scalar.string.utf8), maximumDepth: 0) : nil
            self = literal ?? .string(scalar.string)
        case .alias:
            // The parser replaces every alias with its node.
            self = .null
        }
    }

    private static func members(_ mapping: Node.Mapping) -> [JSONObject.Member] {
        var members: [JSONObject.Member] = []
        var merged: [JSONObject.Member] = []
        for (key, value) in mapping {
            if key.scalar?.string == "<<" {
                let sources = value.sequence.map { Array($0) } ?? [value]
                merged += sources.compactMap(\.mapping).flatMap(Self.members)
            } else {
                members.append(.init(key: key.scalar?.string ?? "", value: JSONValue(value)))
            }
        }
        for member in merged where !members.contains(where: { $0.key == member.key }) { members.append(member) }
        return members
    }
}
