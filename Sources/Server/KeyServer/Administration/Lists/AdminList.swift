import Hummingbird
import KeyStore
import TextCoding

/// A list of records with filters, as its route describes it:
///
///     ?after=CURSOR&limit=NUMBER&prefix=TEXT&search=TEXT&sort=NAME&order=asc|desc, and a parameter for each filter
///
/// The response is `{"items": […], "next": CURSOR, "total": NUMBER}`. A cursor is valid only with the same parameters.
struct AdminList<Record: Sendable>: Sendable {
    /// A parameter that selects records.
    struct Filter: Sendable {
        let parameter: String
        /// Creates the conditions from the value of the parameter.
        let conditions: @Sendable ([UInt8]) throws(ProblemDocument) -> [ListCondition]
    }

    let table: ListedTable<Record>
    /// The column that `prefix` and `search` apply to; nil if the list has no such parameters.
    var name: (column: ListColumn, isBytes: Bool)?
    /// The names of `sort`, the default first, with their columns; empty if the list has no such parameter.
    var sorts: [(name: String, column: ListColumn)] = []
    var filters: [Filter] = []

    /// Parses the query of a request.
    ///
    /// - Parameter query: The rest of the query, after the route has read its own parameters.
    func query(_ query: inout FormFields) throws(ProblemDocument) -> (ListQuery, AdminPage) {
        var result = ListQuery()
        for filter in filters {
            guard let value = try query.read(filter.parameter) else { continue }
            result.conditions += try filter.conditions(value)
        }
        if let name {
            if let value = try query.read("prefix") {
                result.conditions.append(.prefix(name.column, try Self.text("prefix", value, isBytes: name.isBytes)))
            }
            if let value = try query.read("search") {
                result.conditions.append(.contains(name.column, try Self.text("search", value, isBytes: name.isBytes)))
            }
        }
        try readOrder(&query, &result)
        let page = try AdminPage(&query)
        if let key = page.after {
            let order = table.order(result)
            guard let position = ListPosition.decode(key), position.count == order.count,
                zip(order, position).allSatisfy({ $0.accepts($1) })
            else { throw AdminPage.unknownCursor }
            result.after = position
        }
        result.limit = page.count
        return (result, page)
    }

    private func readOrder(_ query: inout FormFields, _ result: inout ListQuery) throws(ProblemDocument) {
        guard !sorts.isEmpty else { return }
        if let value = try query.read("sort") {
            guard let sort = sorts.first(where: { $0.name.utf8.elementsEqual(value) }) else {
                let names = sorts.map(\.name).joined(separator: ", ")
                throw ProblemDocument(.malformedRequest, detail: "sort must be one of: \(names).")
            }
            result.sort = table.key.first == sort.column ? nil : sort.column
        }
        guard let value = try query.read("order") else { return }
        switch String(decoding: value, as: UTF8.self) {
        case "asc": break
        case "desc": result.isDescending = true
        default: throw ProblemDocument(.malformedRequest, detail: "order must be asc or desc.")
        }
    }

    /// Returns the response.
    func answer(
        _ found: ListPage<Record>,
        _ query: ListQuery,
        _ page: AdminPage,
        _ json: (Record) -> JSONValue
    ) -> Response {
        page.answer(
            found.items,
            total: found.total,
            key: { ListPosition.encode(table.position(of: $0, in: query)) },
            json
        )
    }

    /// Returns the value of `prefix` or `search`, 1 to 200 bytes.
    private static func text(_ name: String, _ value: [UInt8], isBytes: Bool) throws(ProblemDocument) -> ListValue {
        guard 1...200 ~= value.count, let text = String(validating: value, as: UTF8.self), !value.contains(0) else {
            throw ProblemDocument(.malformedRequest, detail: "\(name) must be text of 1 to 200 bytes.")
        }
        return isBytes ? .bytes(try AdminFilters.asset(value)) : .text(text)
    }
}

extension AdminList.Filter {
    /// A filter for text in a column of text.
    static func text(_ parameter: String, _ column: ListColumn) -> Self {
        Self(parameter: parameter) { value throws(ProblemDocument) in
            [.equal(column, .text(try AdminFilters.text(parameter, value)))]
        }
    }

    /// A filter for an account.
    static var account: Self {
        Self(parameter: "account") { value throws(ProblemDocument) in
            [.equal(.account, .bytes(Array(try AdminFilters.account(value).utf8)))]
        }
    }

    /// A filter for an asset ID, as text or in hexadecimal after `0x`.
    static var asset: Self {
        Self(parameter: "asset") { value throws(ProblemDocument) in
            [.equal(.assetID, .bytes(try AdminFilters.asset(value)))]
        }
    }

    /// A filter for a device.
    static var device: Self {
        Self(parameter: "device") { value throws(ProblemDocument) in
            [.equal(.device, .bytes(try AdminFilters.device(value).bytes))]
        }
    }

    /// A filter for a client that is a device.
    static var client: Self {
        Self(parameter: "device") { value throws(ProblemDocument) in
            [.equal(.client, .bytes(PlaybackClient.device(try AdminFilters.device(value)).encoded))]
        }
    }

    /// A filter for the subject of a rental.
    static func subject(
        _ parameter: String,
        _ subject: @escaping @Sendable ([UInt8]) throws(ProblemDocument) -> RentalSubject
    ) -> Self {
        Self(parameter: parameter) { value throws(ProblemDocument) in
            [.equal(.subject, .bytes(try subject(value).encoded))]
        }
    }
}

extension AdminRequest {
    /// Returns the response to a request for a list.
    ///
    /// - Parameters:
    ///   - conditions: Conditions in addition to those of the query.
    ///   - rest: The rest of the query; nil for the whole query of the request.
    ///   - fetch: Returns a page from the store.
    func answer<Record>(
        _ list: AdminList<Record>,
        matching conditions: [ListCondition] = [],
        rest: FormFields? = nil,
        _ json: (Record) -> JSONValue,
        _ fetch: (ListQuery) async throws(KeyStoreError) -> ListPage<Record>
    ) async throws -> Response {
        var fields = if let rest { rest } else { try query() }
        var (query, page) = try list.query(&fields)
        query.conditions += conditions
        return list.answer(try await fetch(query), query, page, json)
    }
}
