import HTTPTypes
import Hummingbird
import KeyStore
import TextCoding

/// A route for administration, with the permission that it requires.
struct AdminEndpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path pattern, such as `/admin/content/{asset}`.
    let path: String
    let permission: AdminPermission
    let answer: @Sendable (AdminRequest) async throws -> Response

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ permission: AdminPermission,
        _ answer: @escaping @Sendable (AdminRequest) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.permission = permission
        self.answer = answer
    }

    /// Adds the route to a router, with authentication.
    ///
    /// - Parameters:
    ///   - clock: Returns the time, in milliseconds since 1970.
    ///   - monotonicClock: Returns the time of a monotonic clock, in nanoseconds.
    func add(
        to router: Router<ServerRequestContext>,
        gate: AdminGate,
        clock: @escaping @Sendable () -> Int64,
        monotonicClock: @escaping @Sendable () -> Int64
    ) {
        router.on(RouterPath(path), method: method) { request, context in
            let stopwatch = Stopwatch(monotonicClock)
            let caller = try await gate.caller(request, context, for: permission)
            let adminRequest = AdminRequest(
                request: request,
                context: context,
                identity: caller.identity,
                sessionID: caller.sessionID,
                route: path,
                milliseconds: clock(),
                stopwatch: stopwatch
            )
            do {
                return try await answer(adminRequest)
            } catch let error as JSONError {
                throw ProblemDocument(malformed: error)
            } catch let error as KeyStoreError {
                throw ProblemDocument(administrating: error) ?? error as any Error
            }
        }
    }
}

extension ProblemDocument {
    /// Creates the problem for a store's error that the client caused; nil for failures of the server.
    fileprivate init?(administrating error: KeyStoreError) {
        switch error.code {
        case .invalidRecord: self.init(.malformedRequest, detail: error.reason)
        case .conflict, .missingReference: self.init(.conflict, detail: error.reason)
        default: return nil
        }
    }
}
