import KeyStore
import TextCoding

extension PolicyChange {
    /// The change in the administration API.
    var administrationJSON: JSONValue {
        .fields([
            ("number", .integer(Int(number))),
            ("milliseconds", .integer(Int(milliseconds))),
            ("actor", actor.map { .string($0) }),
            ("change", .string(kind.rawValue)),
            ("before", document.flatMap { try? JSONValue(parsing: $0) } ?? .null),
        ])
    }
}

extension PolicyUses {
    /// The numbers and first records in the administration API.
    var administrationJSON: JSONValue {
        func json<Name>(_ page: ListPage<Name>, _ item: (Name) -> JSONValue) -> JSONValue {
            .fields([("total", .integer(page.total)), ("items", .array(page.items.map(item)))])
        }
        return .fields([
            ("titles", json(titles) { .string($0) }),
            ("tracks", json(tracks) { .fields([("title", .string($0.title)), ("name", .string($0.name))]) }),
            ("content", json(assets) { .fields(AdminJSON.asset($0)) }),
        ])
    }
}
