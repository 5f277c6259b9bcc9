import HTTPTypes
import Hummingbird

/// All routes of a router, to distinguish a known path with an unsupported method from an unknown path.
struct RouteTable: Sendable {
    private let routes: [(path: RouterPath, method: HTTPRequest.Method)]

    init(_ routes: [Router<ServerRequestContext>.RouteDescription]) {
        self.routes = routes.map { ($0.path, $0.method) }
    }

    /// Returns the methods that a path supports, in alphabetical order.
    func methods(at path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        let fitting = routes.filter { route in
            route.path.count == parts.count && zip(route.path, parts).allSatisfy { $0 ~= $1 }
        }
        return fitting.map(\.method).sorted { $0.rawValue < $1.rawValue }
    }
}

/// Builds a responder that adds the table of routes to the context of each request.
struct RouterWithTable: HTTPResponderBuilder {
    struct Responder: HTTPResponder {
        let router: RouterResponder<ServerRequestContext>
        let table: RouteTable

        func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
            var (request, context) = (request, context)
            context.routes = table
            if request.headers[.expect] != nil {
                request.body = RequestBody(asyncSequence: ExpectContinueBody(body: request.body, context: context))
            }
            return try await router.respond(to: request, context: context)
        }
    }

    let router: Router<ServerRequestContext>

    func buildResponder() -> Responder {
        // Build the responder first, because it adds HEAD to the routes.
        let responder = router.buildResponder()
        return Responder(router: responder, table: RouteTable(router.routes))
    }
}
