import Hummingbird
import TextCoding

/// Which part of a list is asked for: `?after=CURSOR&limit=NUMBER`.
///
/// The answer is `{"items": […], "next": CURSOR}`; `next` is null on the last page. A cursor stands for the last item of a
/// page, so that a list that changes meanwhile neither repeats nor skips what was there all the time. What is in it is
/// nobody else's business.
struct AdminPage: Sendable {
    static let limits = 1...500
    static let defaultLimit = 100

    /// The key of the last item that is known.
    let after: [UInt8]?
    /// How many items are asked for.
    let limit: Int

    /// How many to fetch: one more says that there is another page.
    var count: Int { limit + 1 }

    /// Reads the query, from which what else the route takes has been taken.
    init(_ query: inout FormFields) throws(ProblemDocument) {
        after = try query.take("after").map { text throws(ProblemDocument) in
            guard let key = Base64.decode(text, .url), !key.isEmpty else { throw Self.unknownCursor }
            return key
        }
        limit = try Self.limit(&query)
        try query.finish()
    }

    /// The `limit` of a query.
    static func limit(_ query: inout FormFields) throws(ProblemDocument) -> Int {
        guard let text = try query.take("limit") else { return defaultLimit }
        guard let number = Int(String(decoding: text, as: UTF8.self)), limits ~= number else {
            throw ProblemDocument(
                .malformedRequest,
                detail: "limit is a whole number from \(limits.lowerBound) to \(limits.upperBound)."
            )
        }
        return number
    }

    /// What to say of a cursor that this server has not given.
    static var unknownCursor: ProblemDocument {
        ProblemDocument(.malformedRequest, detail: "after is not a cursor of this list.")
    }

    /// The key as text.
    func text() throws(ProblemDocument) -> String? {
        guard let after else { return nil }
        guard let text = String(validating: after, as: UTF8.self) else { throw Self.unknownCursor }
        return text
    }

    /// The answer.
    ///
    /// - Parameters:
    ///   - found: the items after ``after``, ``count`` at most are looked at.
    ///   - key: what tells where an item stands in the list.
    func answer<Item>(_ found: some Collection<Item>, key: (Item) -> [UInt8], _ json: (Item) -> JSONValue) -> Response {
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last.map { Base64.encodeURLSafe(key($0)) } : nil
        return JSONValue.fields([
            ("items", .array(page.map(json))),
            ("next", next.map { .string($0) } ?? .null),
        ]).response()
    }

    /// The answer, out of the whole list, which is in the order of its keys.
    func answer<Item>(ofAll items: [Item], key: (Item) -> [UInt8], _ json: (Item) -> JSONValue) -> Response {
        let rest = items.filter { item in after.map { $0.lexicographicallyPrecedes(key(item)) } ?? true }
        return answer(rest.prefix(count), key: key, json)
    }
}

extension AdminRequest {
    /// The query, to take fields from.
    func query() throws(ProblemDocument) -> FormFields { try FormFields((request.uri.query ?? "").utf8) }

    /// The part of a list that is asked for, where nothing else can be asked.
    func page() throws(ProblemDocument) -> AdminPage {
        var query = try query()
        return try AdminPage(&query)
    }
}
