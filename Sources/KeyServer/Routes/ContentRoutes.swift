import FPSCrypto
import HTTPTypes
public import Hummingbird
public import KeyStore

/// The routes that content is kept by. They need a token, and never show a key.
///
///     PUT    /admin/content/{asset}    {"key": HEX, "iv": HEX, "keyId": HEX, "track": "audio" | "video",
///                                       "policy": NAME, "streamId": HEX, "titleId": HEX}; key and iv are required
///     GET    /admin/content/{asset}    what is kept of it, without the key
///     DELETE /admin/content/{asset}
///
/// `{asset}` is percent-encoded. Without a stream ID, one is made from the asset ID.
public struct ContentRoutes: Sendable {
    private let store: any ContentStore & PolicyStore
    private let clock: @Sendable () -> Int64
    /// More than the document needs.
    private static let bodyLimit = 4_096

    /// Makes the routes.
    ///
    /// - Parameter clock: the time, in milliseconds since 1970.
    public init(
        store: any ContentStore & PolicyStore,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.store = store
        self.clock = clock
    }

    /// Puts them on the routes that need a token.
    public func add(to group: RouterGroup<ServerRequestContext>) {
        group.put("/content/:asset") { request, context in try await put(request, context) }
        group.get("/content/:asset") { _, context in try await get(context) }
        group.delete("/content/:asset") { _, context in try await delete(context) }
    }

    private func put(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let assetID = try assetID(context)
        let body = try await request.jsonBody(upTo: Self.bodyLimit)
        let record: ContentRecord
        do {
            record = try self.record(body, assetID: assetID)
        } catch let error as JSONError {
            throw ProblemDocument(malformed: error)
        } catch let error as KeyStoreError where error.code == .invalidRecord {
            throw ProblemDocument(.malformedRequest, detail: error.reason)
        }
        do {
            try await ContentDefaults.check(record, against: store)
            let outcome = try await store.putContent(record, replacing: true)
            return answer(record.info).response(status: outcome == .created ? .created : .ok)
        } catch let error as KeyStoreError where error.code == .missingReference || error.code == .invalidRecord {
            throw ProblemDocument(.conflict, detail: error.reason)
        }
    }

    private func record(_ body: JSONValue, assetID: [UInt8]) throws -> ContentRecord {
        var fields = try JSONFields(body, path: "")
        let key = try fields.bytes("key")
        let iv = try fields.bytes("iv")
        let keyID = try fields.bytes("keyId")
        let track = try fields.string("track") ?? ContentTrack.unspecified.rawValue
        let policy = try fields.string("policy")
        let streamID = try fields.bytes("streamId")
        let titleID = try fields.bytes("titleId")
        try fields.finish()
        guard let key, let iv else { throw fields.error(key == nil ? "key" : "iv", "the field is missing") }
        guard let track = ContentTrack(rawValue: track) else {
            throw fields.error("track", "audio or video was expected")
        }
        return try ContentRecord(
            assetID: assetID,
            keyID: keyID,
            contentKey: SecretBytes(copying: key),
            iv: iv,
            track: track,
            policyName: policy,
            streamID: streamID ?? ContentDefaults.streamID(forAssetID: assetID),
            titleID: titleID,
            time: clock() / 1000
        )
    }

    private func get(_ context: ServerRequestContext) async throws -> Response {
        guard let record = try await store.content(assetID: try assetID(context)) else {
            throw ProblemDocument(.unknownAsset)
        }
        return answer(record.info).response()
    }

    private func delete(_ context: ServerRequestContext) async throws -> Response {
        guard try await store.deleteContent(assetID: try assetID(context)) else {
            throw ProblemDocument(.unknownAsset)
        }
        return Response(status: .noContent)
    }

    private func answer(_ info: ContentInfo) -> JSONValue {
        .fields([
            ("assetId", String(validating: info.assetID, as: UTF8.self).map { .string($0) }),
            ("keyId", info.keyID.map { .string(hexadecimal($0)) }),
            ("track", .string(info.track.rawValue)),
            ("policy", info.policyName.map { .string($0) }),
            ("streamId", info.streamID.map { .string(hexadecimal($0)) }),
            ("titleId", info.titleID.map { .string(hexadecimal($0)) }),
            ("created", .integer(Int(info.created))),
            ("updated", .integer(Int(info.updated))),
        ])
    }

    private func assetID(_ context: ServerRequestContext) throws -> [UInt8] {
        let text = try context.parameters.require("asset").utf8
        guard let assetID = PercentEncoding.decode(text, plusIsSpace: false) else {
            throw ProblemDocument(.malformedRequest, detail: "The path is not percent-encoded.")
        }
        return assetID
    }
}

extension JSONFields {
    /// A string of hexadecimal digits, or nil when it is missing. The text is never repeated in an error.
    fileprivate mutating func bytes(_ name: String) throws(JSONError) -> [UInt8]? {
        guard let text = try string(name) else { return nil }
        guard let bytes = ContentDefaults.bytes(hexadecimal: text) else {
            throw error(name, "hexadecimal digits were expected")
        }
        return bytes
    }
}
