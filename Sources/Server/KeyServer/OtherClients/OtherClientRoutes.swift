import HTTPTypes
package import Hummingbird
import NIOCore
import TextCoding

/// The routes for clients without FairPlay. Only routes for the configured clients exist.
///
///     POST /clearkey      a license request of W3C EME's Clear Key in, a license out, JSON
///     GET  /keys/{kid}    an AES-128 key, 16 bytes; by token, or by a signed URL that expires
package struct OtherClientRoutes: Sendable {
    private let service: OtherClientService
    private let clients: Set<OtherClientKind>
    private let tokens: TokenSources
    /// The maximum size of a body. A request with 32 key IDs has two kilobytes.
    private static let bodyLimit = 8_192

    /// Creates the routes for some clients (`licenses.otherClients`).
    package init(service: OtherClientService, clients: Set<OtherClientKind>, tokens: TokenSources = TokenSources()) {
        self.service = service
        self.clients = clients
        self.tokens = tokens
    }

    /// Adds the routes to a router. Other clients get 404, as for every unknown path.
    package func add(to router: Router<ServerRequestContext>) {
        if clients.contains(.clearKey) {
            router.post("/clearkey") { request, context in try await clearKey(request, context) }
        }
        if clients.contains(.aes128) {
            router.get("/keys/:kid") { request, context in try await key(request, context) }
        }
    }

    /// Answers a Clear Key request. Its Content-Type is ignored, because players send various types with the browser's
    /// JSON.
    private func clearKey(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let body = try await request.boundedBody(upTo: Self.bodyLimit)
        let clearKeyRequest = try ClearKeyRequest(body)
        let playback = playback(request, context, route: "/clearkey")
        return try await service.clearKeyLicense(clearKeyRequest, playback).response()
    }

    private func playback(_ request: Request, _ context: ServerRequestContext, route: String) -> PlaybackRequest {
        let token = tokens.token(of: request, field: nil, names: [])
        return PlaybackRequest(request, context, route: route, token: token, at: service.time.start())
    }

    private func key(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        guard let keyID = Self.keyID(try context.parameters.require("kid")) else {
            throw ProblemDocument(.malformedRequest, detail: "The key ID must be 32 hexadecimal digits.")
        }
        // Read all parameters first, so that the query is parsed only once.
        let parameters = request.uri.queryParameters
        let values = Dictionary(
            uniqueKeysWithValues: ["exp", "acc", "net", "key", "sig"].map { name in
                (name, parameters.getAll(name))
            }
        )
        let playback = playback(request, context, route: "/keys/{kid}")
        let key = try await service.key(keyID, playback) { values[$0] ?? [] }
        return Response(
            status: .ok,
            headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: key))
        )
    }

    /// Parses 32 hexadecimal digits, with or without the hyphens of a UUID.
    static func keyID(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 36 else { return nil }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.count == 1 || groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let keyID = Hexadecimal.decode(groups.joined())
        return keyID?.count == 16 ? keyID : nil
    }
}
