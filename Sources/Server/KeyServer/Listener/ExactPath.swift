import Hummingbird

/// Returns 404 if the path is an alternative spelling of a route's path.
///
/// Access rules of a reverse proxy, such as a rule that denies `/admin`, compare the path as written. Alternative
/// spellings of a route (`//admin`, `/admin/`, `/%61dmin`) would bypass them.
struct ExactPath: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard RequestPath.isExact(request.uri.path) else { throw ProblemDocument(.notFound) }
        return try await next(request, context)
    }
}
