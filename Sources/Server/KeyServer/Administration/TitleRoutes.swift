import Hummingbird
package import KeyStore
package import TextCoding

/// The routes for titles, with their tracks and key periods.
///
///     GET    /admin/titles[?policy=&prefix=&search=&sort=name|updated&order=asc|desc]
///     PUT    /admin/titles/{title}                           {"titleId": HEX, "policy": NAME, "keyUriTemplate": TEXT}
///     GET    /admin/titles/{title}
///     DELETE /admin/titles/{title}
///     GET    /admin/titles/{title}/tracks
///     PUT    /admin/titles/{title}/tracks/{track}            {"kind": "hd", "streamId": HEX, "policy": NAME}
///     GET    /admin/titles/{title}/tracks/{track}
///     DELETE /admin/titles/{title}/tracks/{track}
///     GET    /admin/titles/{title}/tracks/{track}/periods    the content keys of the track, without the keys
/// themselves
///
/// A key period is created by `PUT /admin/content/{asset}`, or several in advance (``KeyPeriodRoutes``). Records that
/// others refer to cannot be deleted.
struct TitleRoutes: Sendable {
    let store: any TitleStore & PolicyStore & ListStore
    private static let titles = AdminList(
        table: .titles,
        name: (.name, isBytes: false),
        sorts: [("name", .name), ("updated", .updated)],
        filters: [.text("policy", .policyName)]
    )
    private static let bodyLimit = 4_096

    var endpoints: [AdminEndpoint] {
        let track = "/admin/titles/{title}/tracks/{track}"
        return [
            AdminEndpoint(.get, "/admin/titles", .read) { try await list($0) },
            AdminEndpoint(.put, "/admin/titles/{title}", .content) { try await put($0) },
            AdminEndpoint(.get, "/admin/titles/{title}", .read) { try await get($0) },
            AdminEndpoint(.delete, "/admin/titles/{title}", .content) { try await delete($0) },
            AdminEndpoint(.get, "/admin/titles/{title}/tracks", .read) { try await listTracks($0) },
            AdminEndpoint(.put, track, .content) { try await putTrack($0) },
            AdminEndpoint(.get, track, .read) { try await getTrack($0) },
            AdminEndpoint(.delete, track, .content) { try await deleteTrack($0) },
            AdminEndpoint(.get, track + "/periods", .read) { try await listPeriods($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.titles, \.administrationJSON) { query throws(KeyStoreError) in
            try await store.titles(query)
        }
    }

    private func put(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let record = try TitleRecord(
            name: try request.text("title"),
            titleID: try fields.bytes("titleId"),
            policyName: try fields.string("policy"),
            keyURITemplate: try fields.string("keyUriTemplate"),
            time: request.now
        )
        try fields.finish()
        try await ContentDefaults.check(title: record, in: store)
        let outcome = try await store.putTitle(record, replacing: true) { outcome in
            request.audit("title-put", "title \(record.name) \(outcome)")
        }
        let stored = try await store.title(name: record.name) ?? record
        return stored.administrationJSON.response(status: outcome == .created ? .created : .ok)
    }

    private func get(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        return try await title(request).administrationJSON.response()
    }

    private func delete(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let name = try request.text("title")
        let audit = request.audit("title-delete", "title \(name) deleted")
        guard try await store.deleteTitle(name: name, audit: audit) else { throw Self.noTitle }
        return .noContent
    }

    private func listTracks(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let tracks = try await store.tracks(title: try await title(request).name)
        return page.answer(ofAll: tracks, key: { Array($0.name.utf8) }, \.administrationJSON)
    }

    private func putTrack(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        guard let kind = try fields.choice("kind", ContentTrack.self) else {
            throw fields.error("kind", "the field is missing")
        }
        let record = try TrackRecord(
            title: try request.text("title"),
            name: try request.text("track"),
            kind: kind,
            streamID: try fields.bytes("streamId"),
            policyName: try fields.string("policy")
        )
        try fields.finish()
        guard try await store.title(name: record.title) != nil else { throw Self.noTitle }
        try await ContentDefaults.check(track: record, in: store)
        let outcome = try await store.putTrack(record, replacing: true) { outcome in
            request.audit("track-put", "track \(record.title)/\(record.name) \(outcome)")
        }
        return record.administrationJSON.response(status: outcome == .created ? .created : .ok)
    }

    private func getTrack(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        return try await track(request).administrationJSON.response()
    }

    private func deleteTrack(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let (title, name) = (try request.text("title"), try request.text("track"))
        let audit = request.audit("track-delete", "track \(title)/\(name) deleted")
        guard try await store.deleteTrack(title: title, name: name, audit: audit) else { throw Self.noTrack }
        return .noContent
    }

    private func listPeriods(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let track = try await track(request)
        let last = try page.after.map { key throws(ProblemDocument) in
            guard let last = ContentInfo(cursor: key, of: track) else { throw AdminPage.unknownCursor }
            return last
        }
        let found = try await store.keyPeriods(title: track.title, track: track.name, after: last, limit: page.count)
        return page.answer(found, key: \.cursor, \.administrationJSON)
    }

    private func title(_ request: AdminRequest) async throws -> TitleRecord {
        guard let title = try await store.title(name: try request.text("title")) else { throw Self.noTitle }
        return title
    }

    private func track(_ request: AdminRequest) async throws -> TrackRecord {
        let name = try request.text("track")
        let tracks = try await store.tracks(title: try request.text("title"))
        guard let track = tracks.first(where: { $0.name == name }) else { throw Self.noTrack }
        return track
    }

    private static let noTitle = ProblemDocument(.notFound, detail: "There is no title of this name.")
    private static let noTrack = ProblemDocument(.notFound, detail: "The title has no track of this name.")
}

extension ContentInfo {
    /// The cursor of a key period in the list of its track: its start in decimal digits, a colon, the asset ID.
    fileprivate var cursor: [UInt8] { Array("\(validFrom.map { "\($0)" } ?? ""):".utf8) + assetID }

    /// Creates a key period with the start and asset ID in a cursor.
    fileprivate init?(cursor: [UInt8], of track: TrackRecord) {
        let parts = cursor.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let validFrom = parts[0].isEmpty ? nil : Int64(String(decoding: parts[0], as: UTF8.self))
        guard parts[0].isEmpty || validFrom != nil else { return nil }
        try? self.init(
            assetID: Array(parts[1]),
            keyID: [UInt8](repeating: 0, count: 16),
            track: track.kind,
            policyName: nil,
            streamID: nil,
            titleID: nil,
            titleName: track.title,
            trackName: track.name,
            validFrom: validFrom,
            validUntil: nil,
            created: 0,
            updated: 0
        )
    }
}

extension TitleRecord {
    /// The title in the administration API.
    package var administrationJSON: JSONValue {
        .fields([
            ("name", .string(name)),
            ("titleId", .string(Hexadecimal.encode(titleID))),
            ("policy", policyName.map { .string($0) }),
            ("keyUriTemplate", keyURITemplate.map { .string($0) }),
            ("created", AdminJSON.time(created)),
            ("updated", AdminJSON.time(updated)),
        ])
    }
}

extension TrackRecord {
    /// The track in the administration API.
    package var administrationJSON: JSONValue {
        .fields([
            ("title", .string(title)),
            ("name", .string(name)),
            ("kind", .string(kind.rawValue)),
            ("streamId", .string(Hexadecimal.encode(streamID))),
            ("policy", policyName.map { .string($0) }),
        ])
    }
}
