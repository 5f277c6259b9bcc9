import Hummingbird
import TextCoding

/// A page request for a list: `?after=CURSOR&limit=NUMBER`.
///
/// The response is `{"items": […], "next": CURSOR, "total": NUMBER}`; `next` is null on the last page, and some lists have
/// no total. A cursor contains the sort key of
/// the last item of a page, so that changes to the list neither repeat nor skip other items. Its format is opaque to
/// clients.
struct AdminPage: Sendable {
    static let limits = 1...500
    static let defaultLimit = 100

    /// The sort key of the last item of the previous page.
    let after: [UInt8]?
    /// The maximum number of items.
    let limit: Int

    /// The number of items to fetch: one more, to determine whether there is another page.
    var count: Int { limit + 1 }

    /// Parses the rest of a query, after the route has consumed its own fields.
    init(_ query: inout FormFields) throws(ProblemDocument) {
        after = try query.read("after").map { text throws(ProblemDocument) in
            guard let key = Base64.decode(text, .base64url), !key.isEmpty else { throw Self.unknownCursor }
            return key
        }
        limit = try Self.limit(&query)
        try query.finish()
    }

    /// Parses the field `limit` of a query.
    static func limit(_ query: inout FormFields) throws(ProblemDocument) -> Int {
        guard let text = try query.read("limit") else { return defaultLimit }
        guard let number = Int(String(decoding: text, as: UTF8.self)), limits ~= number else {
            throw ProblemDocument(
                .malformedRequest,
                detail: "limit must be an integer from \(limits.lowerBound) to \(limits.upperBound)."
            )
        }
        return number
    }

    /// The problem of an invalid cursor.
    static var unknownCursor: ProblemDocument {
        ProblemDocument(.malformedRequest, detail: "after is not a valid cursor of this list.")
    }

    /// Returns the response.
    ///
    /// - Parameters:
    ///   - found: The items after the cursor, of which at most ``count`` are used.
    ///   - total: The number of items on all pages; nil if it is not known.
    ///   - key: Returns the sort key of an item.
    func answer<Item>(
        _ found: some Collection<Item>,
        total: Int? = nil,
        key: (Item) -> [UInt8],
        _ json: (Item) -> JSONValue
    ) -> Response {
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last.map { Base64.encodeURLSafe(key($0)) } : nil
        return JSONValue.fields([
            ("items", .array(page.map(json))),
            ("next", next.map { .string($0) } ?? .null),
            ("total", total.map { .integer($0) }),
        ]).response()
    }

    /// Returns the response for a whole list, which is sorted by its keys.
    func answer<Item>(ofAll items: [Item], key: (Item) -> [UInt8], _ json: (Item) -> JSONValue) -> Response {
        let rest = items.filter { item in after.map { $0.lexicographicallyPrecedes(key(item)) } ?? true }
        return answer(rest.prefix(count), total: items.count, key: key, json)
    }
}

extension AdminRequest {
    /// Parses the query of the request.
    func query() throws(ProblemDocument) -> FormFields { try FormFields((request.uri.query ?? "").utf8) }

    /// Parses the page request of a list without other query fields.
    func page() throws(ProblemDocument) -> AdminPage {
        var query = try query()
        return try AdminPage(&query)
    }
}
