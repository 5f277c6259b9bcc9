import Hummingbird
import KeyStore
import TextCoding

/// The route that lists the key requests of encoders to this server process, those with the latest request first.
///
///     GET /admin/encoders
struct EncoderRoutes: Sendable {
    let activity: EncoderActivity

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/encoders", .read) { try list($0) }]
    }

    private func list(_ request: AdminRequest) throws -> Response {
        try request.requireNoQuery()
        return AdminJSON.list(activity.all().map { Self.json($0.subject, $0.requests) }).response()
    }

    private static func json(_ subject: EncoderActivity.Subject, _ requests: EncoderActivity.Requests) -> JSONValue {
        let failure = requests.lastFailure.map { failure -> JSONValue in
            .fields([
                ("time", AdminJSON.time(failure.time)),
                ("reason", .string(failure.reason)),
                ("detail", failure.detail.map { .string($0) }),
            ])
        }
        return .fields([
            ("encoder", .string(subject.encoder)),
            ("title", subject.title.map { .string($0) }),
            ("answered", .integer(requests.answered)),
            ("keys", .integer(requests.keys)),
            ("created", .integer(requests.created)),
            ("failed", .integer(requests.failed)),
            ("last", AdminJSON.time(requests.last)),
            ("lastFailure", failure),
        ])
    }
}
