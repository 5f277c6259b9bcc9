import Hummingbird
package import KeyStore
package import TextCoding

/// The routes for the schedules of live channels.
///
///     GET    /admin/channels[?prefix=&search=&sort=name&order=asc|desc]
///     PUT    /admin/channels/{title}    {"tracks": [NAME, …], "length": SECONDS, "ahead": SECONDS, "start": TIME,
///                                        "paused": BOOL}
///     GET    /admin/channels/{title}
///     DELETE /admin/channels/{title}
///     GET    /admin/channels/{title}/schedule    the present, the next and the last period of each track
///
/// All servers that share the store apply changes within a minute (``KeyPeriodService``). Existing periods stay
/// unchanged.
struct ChannelRoutes: Sendable {
    let store: any ChannelStore & ContentStore & TitleStore & ListStore
    private static let channels = AdminList(
        table: .channels,
        name: (.titleName, isBytes: false),
        sorts: [("name", .titleName)]
    )
    /// The maximum size of a body, enough for 100 names of 100 bytes.
    private static let bodyLimit = 16_384

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/channels", .read) { try await list($0) },
            AdminEndpoint(.put, "/admin/channels/{title}", .content) { try await put($0) },
            AdminEndpoint(.get, "/admin/channels/{title}", .read) { try await get($0) },
            AdminEndpoint(.delete, "/admin/channels/{title}", .content) { try await delete($0) },
            AdminEndpoint(.get, "/admin/channels/{title}/schedule", .read) { try await schedule($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.channels, \.administrationJSON) { query throws(KeyStoreError) in
            try await store.channels(query)
        }
    }

    private func put(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let record = try Self.record(&fields, title: try request.text("title"), now: request.now)
        guard try await store.title(name: record.title) != nil else {
            throw ProblemDocument(.notFound, detail: "There is no title of this name.")
        }
        let outcome = try await store.putChannel(record, replacing: true) { outcome in
            request.audit("channel-put", "\(record.summary) \(outcome)")
        }
        let stored = try await store.channel(title: record.title) ?? record
        return stored.administrationJSON.response(status: outcome == .created ? .created : .ok)
    }

    private static func record(_ fields: inout JSONFields, title: String, now: Int64) throws -> ChannelRecord {
        let tracks = try fields.array("tracks")
        let (length, ahead) = (try fields.integer("length"), try fields.integer("ahead"))
        let start = try fields.integer("start")
        let isPaused = try fields.bool("paused") ?? false
        try fields.finish()
        guard let tracks else { throw fields.error("tracks", "the field is missing") }
        guard let length, let ahead else {
            throw fields.error(length == nil ? "length" : "ahead", "the field is missing")
        }
        let names = try tracks.map { track throws(JSONError) in
            guard case .string(let name) = track else { throw fields.error("tracks", "expected strings") }
            return name
        }
        return try ChannelRecord(
            title: title,
            tracks: names,
            length: Int64(length),
            ahead: Int64(ahead),
            start: start.map { Int64($0) },
            isPaused: isPaused,
            time: now
        )
    }

    private func get(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        guard let channel = try await store.channel(title: try request.text("title")) else { throw Self.noChannel }
        return channel.administrationJSON.response()
    }

    private func schedule(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        guard let channel = try await store.channel(title: try request.text("title")) else { throw Self.noChannel }
        var tracks: [JSONValue] = []
        for plan in KeyPeriodPlan.allPlans(of: channel) {
            tracks.append(try await ScheduledPeriods(of: plan, at: request.now, in: store).administrationJSON)
        }
        return AdminJSON.list(tracks).response()
    }

    private func delete(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let title = try request.text("title")
        let audit = request.audit("channel-delete", "schedule of channel \(title) deleted")
        guard try await store.deleteChannel(title: title, audit: audit) else { throw Self.noChannel }
        return .noContent
    }

    private static let noChannel = ProblemDocument(.notFound, detail: "The title has no schedule.")
}

extension ChannelRecord {
    /// The summary of the schedule, for the audit log.
    package var summary: String {
        let from = start.map { " from \($0)" } ?? ""
        return "schedule of channel \(title) (\(tracks.joined(separator: ", ")): \(length) s, \(ahead) s ahead\(from)"
            + "\(isPaused ? ", paused" : ""))"
    }

    /// The schedule in the administration API.
    package var administrationJSON: JSONValue {
        .fields([
            ("title", .string(title)),
            ("tracks", .array(tracks.map { .string($0) })),
            ("length", .integer(Int(length))),
            ("ahead", .integer(Int(ahead))),
            ("start", AdminJSON.time(start)),
            ("paused", .bool(isPaused)),
            ("created", AdminJSON.time(created)),
            ("updated", AdminJSON.time(updated)),
        ])
    }
}
