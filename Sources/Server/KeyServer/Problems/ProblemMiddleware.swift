import HTTPTypes
package import Hummingbird
import KeyStore
import Logging

/// Converts errors that routes throw to problem documents. Details that are not intended for the client are logged.
package struct ProblemMiddleware: RouterMiddleware {
    /// Creates the middleware.
    package init() {}

    /// Returns the route's response, or its problem document. Both carry the request ID.
    package func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = Self.problem(for: error, context).response(instance: context.id)
            // The router does not distinguish an unknown path from a known path with another method.
            if let error = error as? any HTTPResponseError, error.status == .notFound {
                let allowed = context.routes?.methods(at: request.uri.path) ?? []
                if !allowed.isEmpty {
                    response = ProblemDocument(.methodNotAllowed).response(instance: context.id)
                    response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
                }
            }
        }
        response.headers[.requestID] = context.id
        return response
    }

    static func problem(for error: any Error, _ context: ServerRequestContext) -> ProblemDocument {
        switch error {
        case let problem as ProblemDocument:
            return problem
        case let error as WorkPoolError:
            return error.problem
        case let error as KeyStoreError:
            // The store's errors name rows and never contain their values.
            context.logger.error("The key store failed: \(error)")
            return problem(for: error)
        case let error as any HTTPResponseError where error.status == .notFound:
            return ProblemDocument(.notFound)
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return ProblemDocument(.malformedRequest)
        default:
            // The text of an unknown error may contain secrets.
            context.logger.error("A route failed with an error of type \(type(of: error))")
            return ProblemDocument(.internalError)
        }
    }

    private static func problem(for error: KeyStoreError) -> ProblemDocument {
        switch error.code {
        case .locked, .overloaded, .cancelled, .diskFull, .unavailable: ProblemDocument(.unavailable, retryAfter: 1)
        default: ProblemDocument(.internalError)
        }
    }
}

extension WorkPoolError {
    /// The problem document to send to the client.
    var problem: ProblemDocument { ProblemDocument(self == .overloaded ? .overloaded : .unavailable, retryAfter: 1) }
}

extension HTTPField.Name {
    /// The request ID, sent in every response and written to the logs and the audit log. It is never read from the
    /// client.
    package static let requestID = Self("X-Request-Id")!
}
