import FPSCrypto
import HTTPTypes
public import Hummingbird

/// The token that administration needs, as a hash: who has the server's memory has not the token.
public struct AdminToken: Sendable {
    private let hash: [UInt8]

    /// Takes a token.
    public init(_ token: String) { hash = SHA256.hash(Array(token.utf8)) }

    func matches(_ token: Substring) -> Bool {
        SecretBytes.constantTimeEquals(SHA256.hash(Array(token.utf8)), hash)
    }
}

/// Lets requests pass that carry the token: `Authorization: Bearer TOKEN`.
public struct AdminTokenMiddleware: RouterMiddleware {
    private let token: AdminToken

    /// Makes the middleware.
    public init(token: AdminToken) { self.token = token }

    /// Passes the request on, or answers that it needs the token.
    public func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", token.matches(parts[1]) else {
            throw ProblemDocument(.unauthorized, detail: "Send Authorization: Bearer and the server's token.")
        }
        return try await next(request, context)
    }
}
