import Hummingbird
package import KeyStore
package import TextCoding

/// The routes that list and end concurrent streams.
///
///     GET    /admin/leases[?account=]
///     DELETE /admin/leases/{account}/{client}    client: device:HEX or session:HEX
///
/// The session of an ended lease gets no more keys. The lease still counts until the key that the device has expires.
struct LeaseRoutes: Sendable {
    let store: any GrantStore

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/leases", .read) { try await list($0) },
            AdminEndpoint(.delete, "/admin/leases/{account}/{client}", .support) { try await end($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let account = try query.read("account").map { bytes throws(ProblemDocument) in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ProblemDocument(.malformedRequest, detail: "The account is not UTF-8.")
            }
            return try AdminRequest.account(text)
        }
        let page = try AdminPage(&query)
        let last = try page.after.map { key throws(ProblemDocument) in
            guard let last = LeaseRecord(cursor: key) else { throw AdminPage.unknownCursor }
            return last
        }
        let found = try await store.leases(account: account, at: request.now, after: last, limit: page.count)
        return page.answer(found, key: \.cursor, \.administrationJSON)
    }

    private func end(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let account = try request.account()
        guard let client = AdminJSON.client(try request.text("client")) else {
            throw ProblemDocument(
                .malformedRequest,
                detail: "The client must be device: and 32 hexadecimal digits, or session: and 16."
            )
        }
        guard try await request.changes(in: store).endLease(account: account, client: client) else {
            throw ProblemDocument(.notFound, detail: "The account has no lease of this client.")
        }
        return .noContent
    }
}

extension LeaseRecord {
    /// The cursor of a lease in a list: its account, a zero byte, its client.
    fileprivate var cursor: [UInt8] { Array(account.utf8) + [0] + Array(AdminJSON.text(client).utf8) }

    /// Creates a lease with the account and client in a cursor.
    fileprivate init?(cursor: [UInt8]) {
        guard let zero = cursor.lastIndex(of: 0),
            let account = String(validating: cursor[..<zero], as: UTF8.self),
            let text = String(validating: cursor[(zero + 1)...], as: UTF8.self),
            let client = AdminJSON.client(text)
        else { return nil }
        self.init(
            account: account,
            client: client,
            sessionID: nil,
            assetID: [],
            since: 0,
            until: 0,
            purpose: .playback
        )
    }

    /// The lease in the administration API.
    package var administrationJSON: JSONValue {
        let fields: AdminJSON.Fields = [
            ("account", .string(account)),
            ("client", .string(AdminJSON.text(client))),
            ("sessionId", AdminJSON.number(sessionID)),
            ("since", AdminJSON.time(since)),
            ("until", AdminJSON.time(until)),
            ("purpose", .string(purpose.rawValue)),
            ("ended", AdminJSON.time(ended)),
        ]
        return .fields(fields + AdminJSON.asset(assetID))
    }
}
