import TextCoding

@testable import KeyServer

/// An operation of the OpenAPI document.
struct DescribedOperation {
    /// The method in upper case.
    let method: String
    let path: String
    let json: JSONValue

    var id: String? { json["operationId"]?.text }

    /// The names of the components that describe the failures, by status.
    var problems: [String: String] {
        var problems: [String: String] = [:]
        guard case .object(let responses)? = json["responses"] else { return [:] }
        for response in responses {
            guard let reference = response.value["$ref"]?.text else { continue }
            problems[response.key] = reference.split(separator: "/").last.map(String.init)
        }
        return problems
    }
}

extension OpenAPIDocument {
    /// The document of a server that has all routes.
    static let complete = value(otherClients: Set(OtherClientKind.allCases))

    /// Every operation, independent of the configuration.
    static let operations: [DescribedOperation] = {
        guard case .object(let paths)? = complete["paths"] else { return [] }
        return paths.flatMap { path -> [DescribedOperation] in
            guard case .object(let operations) = path.value else { return [] }
            return operations.map { .init(method: $0.key.uppercased(), path: path.key, json: $0.value) }
        }
    }()

    /// The problem types of each component for responses, from `x-problems` of the file.
    static let problemNames: [String: [String]] = {
        guard case .object(let responses)? = file["components"]?["responses"] else { return [:] }
        let names = responses.map { ($0.key, $0.value["x-problems"]?.items?.compactMap(\.text) ?? []) }
        return Dictionary(uniqueKeysWithValues: names)
    }()
}

extension JSONValue {
    /// Calls a closure for this value and for every value in it, with its path, such as `components/schemas/Name`.
    /// Items of an array have the array's path.
    func visit(_ path: [String] = [], _ body: (_ path: [String], _ value: JSONValue) -> Void) {
        body(path, self)
        switch self {
        case .object(let object): for member in object { member.value.visit(path + [member.key], body) }
        case .array(let items): for item in items { item.visit(path, body) }
        default: break
        }
    }
}
