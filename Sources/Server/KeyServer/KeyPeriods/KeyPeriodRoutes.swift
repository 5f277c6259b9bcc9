import Hummingbird
import KeyStore
import TextCoding

/// The route that creates key periods in advance.
///
///     POST /admin/titles/{title}/tracks/{track}/periods     {"length": SECONDS, "ahead": SECONDS}
///
/// The response lists the created periods, without their keys; it is empty if all exist already.
struct KeyPeriodRoutes: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore
    private static let bodyLimit = 4_096

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.post, "/admin/titles/{title}/tracks/{track}/periods", .content) { try await make($0) }
        ]
    }

    private func make(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let (length, ahead) = (try fields.integer("length"), try fields.integer("ahead"))
        try fields.finish()
        guard let length, let ahead else {
            throw fields.error(length == nil ? "length" : "ahead", "the field is missing")
        }
        let (title, track) = (try request.text("title"), try request.text("track"))
        guard let plan = KeyPeriodPlan(title: title, track: track, length: Int64(length), ahead: Int64(ahead)) else {
            throw fields.error("length", "expected 60 to 2678400 seconds, and at most 500 periods ahead")
        }
        guard try await store.tracks(title: title).contains(where: { $0.name == track }) else {
            throw ProblemDocument(.notFound, detail: "The title has no track of this name.")
        }
        let made = try await KeyPeriodCreator(store: store).make(plan, at: request.now, by: request.actor)
        return AdminJSON.list(made.map(\.administrationJSON)).response()
    }
}
