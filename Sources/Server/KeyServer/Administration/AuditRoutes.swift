import Hummingbird
package import KeyStore
package import TextCoding

/// The routes that list and verify the audit log, newest entries first.
///
///     GET /admin/audit[?before=NUMBER&limit=&search=TEXT, and exact values: account, asset, title, device, policy, outcome,
///                       reason, route, address, request, from, until]
///     GET /admin/audit/verify[?head=NODE:NUMBER:HASH]    verifies the hash chains of the whole log
struct AuditRoutes: Sendable {
    let store: any AuditLog

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/audit", .read) { try await list($0) },
            AdminEndpoint(.get, "/admin/audit/verify", .read) { try await verify($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let before = try query.readNumber("before")
        let search = try query.read("search").map { text throws(ProblemDocument) in
            guard let search = AuditSearch(text) else {
                throw ProblemDocument(
                    .malformedRequest,
                    detail: "search must be text of 1 to \(AuditSearch.limit) characters."
                )
            }
            return search
        }
        let filter = try AuditFilter(&query)
        let limit = try AdminPage.limit(&query)
        try query.finish()
        guard let search else { return try await list(filter, before: before, limit: limit) }
        let page = try await search.page(of: store, matching: filter, before: before, limit: limit) {
            request.stopwatch.microseconds > Self.searchTime
        }
        return Self.answer(page)
    }

    /// The time after which a search returns what it has found, in microseconds. The page continues with `next`.
    private static let searchTime = 500_000

    private func list(_ filter: AuditFilter, before: Int64?, limit: Int) async throws -> Response {
        // One more, to determine whether there is another page.
        var page = try await store.auditEntries(matching: filter, before: before, limit: limit + 1)
        if page.entries.count > limit {
            page.entries.removeLast()
            page.searched -= 1
            page.next = page.entries.last?.number
            page.oldest = page.entries.last?.record.milliseconds
        }
        return Self.answer(page)
    }

    private static func answer(_ page: AuditPage) -> Response {
        JSONValue.fields([
            ("items", .array(page.entries.map(\.administrationJSON))),
            ("next", page.next.map { .string("\($0)") } ?? .null),
            ("searched", .integer(page.searched)),
            ("oldest", page.oldest.map { .integer(Int($0)) } ?? .null),
        ]).response()
    }

    /// Verifies the audit log. A broken log is a result, not a problem of the request.
    private func verify(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let head = try query.read("head").map { text throws(ProblemDocument) in
            guard let head = AuditHead(String(decoding: text, as: UTF8.self)) else {
                throw ProblemDocument(.malformedRequest, detail: "head must be a head from an earlier verification.")
            }
            return head
        }
        try query.finish()
        return try await store.verifyAudit(expecting: head).administrationJSON.response()
    }
}

extension AuditFilter {
    /// Parses the parameters of a query.
    init(_ query: inout FormFields) throws(ProblemDocument) {
        func text(_ name: String) throws(ProblemDocument) -> String? {
            guard let value = try query.read(name) else { return nil }
            return try AdminFilters.text(name, value)
        }
        func time(_ name: String) throws(ProblemDocument) -> Int64? {
            guard let value = try query.read(name) else { return nil }
            return try AdminFilters.milliseconds(name, value)
        }
        self.init()
        account = try text("account")
        if let value = try query.read("asset") { assetID = try AdminFilters.asset(value) }
        title = try text("title")
        if let value = try query.read("device") { device = try AdminFilters.device(value) }
        policyName = try text("policy")
        outcome = try text("outcome")
        reason = try text("reason")
        route = try text("route")
        remoteAddress = try text("address")
        requestID = try text("request")
        from = try time("from")
        until = try time("until")
    }
}

extension AuditVerification {
    /// The result of a verification in the administration API.
    package var administrationJSON: JSONValue {
        let fault = firstBreak.map { fault -> JSONValue in
            let fields: AdminJSON.Fields = [
                ("fault", .string(fault.fault.rawValue)),
                ("number", fault.number.map { .integer(Int($0)) }),
                ("node", .string(Hexadecimal.encode(fault.node))),
                ("sequence", .integer(Int(fault.sequence))),
            ]
            return JSONValue.fields(fields)
        }
        let fields: AdminJSON.Fields = [
            ("intact", .bool(isIntact)),
            ("entries", .integer(entries)),
            ("heads", .array(heads.map { .string("\($0)") })),
            ("break", fault),
        ]
        return .fields(fields)
    }
}

extension AuditEntry {
    /// The entry in the administration API.
    package var administrationJSON: JSONValue {
        let record = self.record
        let fields: AdminJSON.Fields = [
            ("number", .integer(Int(number))),
            ("node", .string(Hexadecimal.encode(node))),
            ("sequence", .integer(Int(sequence))),
            ("hash", .string(Hexadecimal.encode(hash))),
            ("milliseconds", .integer(Int(record.milliseconds))),
            ("route", .string(record.route)),
            ("outcome", .string(record.outcome)),
            ("reason", record.reason.map { .string($0) }),
            ("detail", record.detail.map { .string($0) }),
            ("account", record.account.map { .string($0) }),
            ("transactionId", AdminJSON.number(record.transactionID)),
            ("sessionId", AdminJSON.number(record.sessionID)),
            ("device", record.device.map { .string(Hexadecimal.encode($0.bytes)) }),
            ("deviceClass", record.deviceClass.map { .string($0) }),
            ("bundle", record.bundleName.map { .string($0) }),
            ("policy", record.policyName.map { .string($0) }),
            ("requestId", record.requestID.map { .string($0) }),
            ("remoteAddress", record.remoteAddress.map { .string($0) }),
            ("microseconds", .integer(Int(record.microseconds))),
        ]
        return .fields(fields + (record.assetID.map { AdminJSON.asset($0) } ?? []))
    }
}
