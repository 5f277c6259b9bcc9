import HTTPTypes
import Hummingbird
import KeyStore
import TextCoding

/// The routes that show the recent activity of the server.
///
///     GET /admin/activity[?window=5m | 1h | 24h]
///     GET /admin/activity/stream                    an update every second, as server-sent events
struct ActivityRoutes: Sendable {
    let activity: Activity
    let events: EventBroadcaster

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/activity", .read) { try show($0) },
            AdminEndpoint(.get, "/admin/activity/stream", .read) { try stream($0) },
        ]
    }

    private func show(_ request: AdminRequest) throws -> Response {
        var query = try request.query()
        let name = try query.read("window").map { String(decoding: $0, as: UTF8.self) }
        try query.finish()
        guard let window = Activity.Window(rawValue: name ?? Activity.Window.minutes.rawValue) else {
            let names = Activity.Window.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProblemDocument(.malformedRequest, detail: "window must be one of \(names).")
        }
        return Self.json(activity.snapshot(window, at: request.now)).response()
    }

    private func stream(_ request: AdminRequest) throws -> Response {
        try request.requireNoQuery()
        guard events.hasCapacity else {
            throw ProblemDocument(
                .overloaded,
                detail: "The maximum of \(EventBroadcaster.capacity) event streams is already open.",
                retryAfter: 5
            )
        }
        let body = ResponseBody { [events] writer in
            // Subscribe only when the body is read, because a response to HEAD must not take up capacity.
            guard let subscription = events.subscribe() else { return try await writer.finish(nil) }
            defer { events.unsubscribe(subscription) }
            try await writer.write(ServerSentEvent.opening)
            for await event in subscription.events { try await writer.write(event) }
            try await writer.finish(nil)
        }
        // Proxies that buffer responses would delay events.
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func json(_ snapshot: Activity.Snapshot) -> JSONValue {
        .fields([
            ("step", .integer(Int(snapshot.step))),
            (
                "slots",
                .array(
                    snapshot.slots.enumerated().map {
                        json($0.element, at: snapshot.start + Int64($0.offset) * snapshot.step)
                    }
                )
            ),
            (
                "outcomes",
                .array(
                    snapshot.causes.sorted { $0.value > $1.value }.map { cause, count in
                        .fields([
                            ("outcome", .string(cause.outcome.rawValue)),
                            ("reason", cause.reason.map { .string($0) }),
                            ("count", .integer(count)),
                        ])
                    }
                )
            ),
            (
                "clients",
                .array(
                    snapshot.clients.sorted { $0.value > $1.value }.map { client, count in
                        .fields([
                            ("class", .string(client.kind)),
                            ("system", client.system.map { .integer($0) }),
                            ("level", client.level.map { .string($0) }),
                            ("count", .integer(count)),
                        ])
                    }
                )
            ),
            ("recent", .array(snapshot.recent.map(json))),
        ])
    }

    /// Returns a slot as JSON.
    static func json(_ slot: ActivitySeries.Slot, at time: Int64) -> JSONValue {
        let latency = slot.latency
        return .fields([
            ("time", .integer(Int(time))),
            ("issued", .integer(slot.issued)),
            ("refused", .integer(slot.count(.refused))),
            ("failed", .integer(slot.count(.failed))),
            ("reports", .integer(slot.count(.sync))),
            ("p50", latency.percentile(0.5).map { .integer($0) }),
            ("p95", latency.percentile(0.95).map { .integer($0) }),
            ("p99", latency.percentile(0.99).map { .integer($0) }),
        ])
    }

    /// Returns a request as JSON.
    static func json(_ event: ActivityEvent) -> JSONValue {
        let fields: AdminJSON.Fields = [
            ("milliseconds", .integer(Int(event.milliseconds))),
            ("route", .string(event.route)),
            ("outcome", .string(event.outcome.rawValue)),
            ("reason", event.reason.map { .string($0) }),
            ("microseconds", event.microseconds.map { .integer($0) }),
            ("class", event.client.map { .string($0.kind) }),
            ("osVersion", event.osVersion.map { .string($0) }),
            ("level", event.client?.level.map { .string($0) }),
            ("account", event.account.map { .string($0) }),
            ("policy", event.policyName.map { .string($0) }),
        ]
        return .fields(fields + (event.assetID.map { AdminJSON.asset($0) } ?? []))
    }
}

extension HTTPField.Name {
    /// The header that controls whether nginx and other proxies may buffer a response.
    static let accelBuffering = Self("X-Accel-Buffering")!
}
