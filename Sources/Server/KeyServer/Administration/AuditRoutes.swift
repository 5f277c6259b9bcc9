import Hummingbird
package import KeyStore
package import TextCoding

/// The routes that list and verify the audit log, newest entries first.
///
///     GET /admin/audit[?before=NUMBER&limit=&search=TEXT]
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
        let before = try query.read("before").map { text throws(ProblemDocument) in
            guard let number = Int64(String(decoding: text, as: UTF8.self)), number > 0 else {
                throw ProblemDocument(.malformedRequest, detail: "before must be the number of an entry.")
            }
            return number
        }
        let search = try query.read("search").map { text throws(ProblemDocument) in
            guard let search = AuditSearch(text) else {
                throw ProblemDocument(
                    .malformedRequest,
                    detail: "search must be text of 1 to \(AuditSearch.limit) characters."
                )
            }
            return search
        }
        let limit = try AdminPage.limit(&query)
        try query.finish()
        if let search {
            let (page, next) = try await search.page(of: store, before: before, limit: limit)
            return Self.answer(page, next: next)
        }
        let found = try await store.auditEntries(before: before, limit: limit + 1)
        let page = found.prefix(limit)
        return Self.answer(page, next: found.count > limit ? page.last?.number : nil)
    }

    private static func answer(_ page: some Sequence<AuditEntry>, next: Int64?) -> Response {
        JSONValue.fields([
            ("items", .array(page.map(\.administrationJSON))),
            ("next", next.map { .string("\($0)") } ?? .null),
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
