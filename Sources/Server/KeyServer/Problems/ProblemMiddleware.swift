import HTTPTypes
package import Hummingbird
import KeyStore
import Logging

/// Turns whatever a route throws into a problem document. What is not meant for the client goes to the log.
package struct ProblemMiddleware: RouterMiddleware {
    /// Makes the middleware.
    package init() {}

    /// Answers with the route's response or with its problem; both carry the ID of the request.
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
            // The router does not tell an unknown path from a known one with another method.
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
            // The store's errors name rows and never hold what is in them.
            context.logger.error("The store failed: \(error)")
            return problem(for: error)
        case let error as any HTTPResponseError where error.status == .notFound:
            return ProblemDocument(.notFound)
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return ProblemDocument(.malformedRequest)
        default:
            // An unknown error's text may hold anything.
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
    /// What a client is told.
    var problem: ProblemDocument { ProblemDocument(self == .overloaded ? .overloaded : .unavailable, retryAfter: 1) }
}

extension HTTPField.Name {
    /// The ID of a request, in every answer and in log and audit. It is never taken from the client.
    package static let requestID = Self("X-Request-Id")!
}
