import HTTPTypes
import Hummingbird
import KeyStore
import TextCoding

/// A route of administration: what it does, and what a token must allow for it.
struct AdminEndpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path with its parameters: `/admin/content/{asset}`.
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

    /// Puts the route behind a gate.
    ///
    /// - Parameters:
    ///   - clock: the time, in milliseconds since 1970.
    ///   - monotonicClock: the time in nanoseconds, by a clock that is never set.
    func add(
        to router: Router<ServerRequestContext>,
        gate: AdminGate,
        clock: @escaping @Sendable () -> Int64,
        monotonicClock: @escaping @Sendable () -> Int64
    ) {
        router.on(RouterPath(path), method: method) { request, context in
            let stopwatch = Stopwatch(monotonicClock)
            let caller = try await gate.caller(request, context, for: permission)
            let question = AdminRequest(
                request: request,
                context: context,
                identity: caller.identity,
                sessionID: caller.sessionID,
                route: path,
                milliseconds: clock(),
                stopwatch: stopwatch
            )
            do {
                return try await answer(question)
            } catch let error as JSONError {
                throw ProblemDocument(malformed: error)
            } catch let error as KeyStoreError {
                throw ProblemDocument(administrating: error) ?? error as any Error
            }
        }
    }
}

extension ProblemDocument {
    /// What of a store's error is the fault of who asked; nil for the server's own trouble.
    fileprivate init?(administrating error: KeyStoreError) {
        switch error.code {
        case .invalidRecord: self.init(.malformedRequest, detail: error.reason)
        case .conflict, .missingReference: self.init(.conflict, detail: error.reason)
        default: return nil
        }
    }
}
