import FPSCrypto
import Hummingbird
package import KeyStore
package import TextCoding

/// The routes for content keys. Responses never contain a key.
///
///     GET    /admin/content[?policy=&title=&prefix=&search=&sort=name|updated&order=asc|desc]    without the keys
///     PUT    /admin/content/{asset}    {"key": HEX, "iv": HEX, "keyId": HEX, "policy": NAME, and either
///                                       "track": "audio" | "video" | …, "streamId": HEX, "titleId": HEX, or
///                                       "title": NAME, "titleTrack": NAME, "validFrom": TIME, "validUntil": TIME}
///     GET    /admin/content/{asset}
///     DELETE /admin/content/{asset}
///
/// `{asset}` is percent-encoded. A key without title and stream ID gets a stream ID derived from the asset ID; a key
/// period has that of its track.
struct ContentRoutes: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore & ListStore
    private static let contents = AdminList(
        table: .contents,
        name: (.assetID, isBytes: true),
        sorts: [("name", .assetID), ("updated", .updated)],
        filters: [.text("policy", .policyName), .text("title", .titleName)]
    )
    /// The maximum size of the body, more than the document needs.
    private static let bodyLimit = 4_096

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/content", .read) { try await list($0) },
            AdminEndpoint(.put, "/admin/content/{asset}", .content) { try await put($0) },
            AdminEndpoint(.get, "/admin/content/{asset}", .read) { try await get($0) },
            AdminEndpoint(.delete, "/admin/content/{asset}", .content) { try await delete($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.contents, \.administrationJSON) { query throws(KeyStoreError) in
            try await store.contents(query)
        }
    }

    private func put(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let record = try Self.record(&fields, assetID: try request.bytes("asset"), now: request.now)
        try await ContentDefaults.check(content: record, in: store)
        let outcome = try await store.putContent(record, replacing: true) { outcome in
            Self.audit(request, "content-put", record.info, "\(outcome)")
        }
        let stored = try await store.content(assetID: record.info.assetID)?.info ?? record.info
        return stored.administrationJSON.response(status: outcome == .created ? .created : .ok)
    }

    private static func record(_ fields: inout JSONFields, assetID: [UInt8], now: Int64) throws -> ContentRecord {
        let key = try fields.bytes("key")
        let iv = try fields.bytes("iv")
        let keyID = try fields.bytes("keyId")
        let track = try fields.choice("track", ContentTrack.self) ?? .unspecified
        let policy = try fields.string("policy")
        let streamID = try fields.bytes("streamId")
        let titleID = try fields.bytes("titleId")
        let title = try fields.string("title")
        let titleTrack = try fields.string("titleTrack")
        let validFrom = try fields.integer("validFrom")
        let validUntil = try fields.integer("validUntil")
        try fields.finish()
        guard let key, let iv else { throw fields.error(key == nil ? "key" : "iv", "the field is missing") }
        return try ContentRecord(
            assetID: assetID,
            keyID: keyID,
            contentKey: SecretBytes(copying: key),
            iv: iv,
            track: track,
            policyName: policy,
            streamID: title == nil ? streamID ?? ContentDefaults.streamID(forAssetID: assetID) : streamID,
            titleID: titleID,
            titleName: title,
            trackName: titleTrack,
            validFrom: validFrom.map { Int64($0) },
            validUntil: validUntil.map { Int64($0) },
            time: now
        )
    }

    private func get(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        guard let record = try await store.content(assetID: try request.bytes("asset")) else {
            throw ProblemDocument(.unknownAsset)
        }
        return record.info.administrationJSON.response()
    }

    private func delete(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let assetID = try request.bytes("asset")
        guard let info = try await store.content(assetID: assetID)?.info else { throw ProblemDocument(.unknownAsset) }
        let audit = Self.audit(request, "content-delete", info, "deleted")
        guard try await store.deleteContent(assetID: assetID, audit: audit) else {
            throw ProblemDocument(.unknownAsset)
        }
        return .noContent
    }

    private static func audit(
        _ request: AdminRequest,
        _ outcome: String,
        _ info: ContentInfo,
        _ what: String
    ) -> AuditRecord {
        var record = request.audit(outcome, "\(info.place) \(what)")
        record.assetID = info.assetID
        record.policyName = info.policyName
        return record
    }
}

extension ContentInfo {
    /// All fields of a content key except the key.
    package var administrationJSON: JSONValue {
        let fields: AdminJSON.Fields = [
            ("keyId", keyID.map { .string(Hexadecimal.encode($0)) }),
            ("track", .string(track.rawValue)),
            ("policy", policyName.map { .string($0) }),
            ("streamId", streamID.map { .string(Hexadecimal.encode($0)) }),
            ("titleId", titleID.map { .string(Hexadecimal.encode($0)) }),
            ("title", titleName.map { .string($0) }),
            ("titleTrack", trackName.map { .string($0) }),
            ("validFrom", AdminJSON.time(validFrom)),
            ("validUntil", AdminJSON.time(validUntil)),
            ("created", AdminJSON.time(created)),
            ("updated", AdminJSON.time(updated)),
        ]
        return .fields(AdminJSON.asset(assetID) + fields)
    }
}
