import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import TextCoding

/// Limits the number of concurrent license requests, and responds to the others with 503 before they cause any work.
///
/// Under overload most requests are refused, so the cost of a refusal determines the capacity that is left for
/// licenses. A refusal here costs only reading and writing: no routing, no token validation, no log line, and an
/// already encoded response. The metrics count it like other requests. Admitted requests fit in the pool. Requests from
/// web pages are passed to the route, where the pool refuses them, because a browser would not let a page read this
/// response.
///
/// A request counts from the arrival of its whole body until its response, so that slow clients do not occupy capacity.
package final class LoadShedding: Sendable {
    /// The routes that are limited.
    enum Route: String {
        case license = "/fps/license"
        case licenses = "/fps/licenses"
    }

    private static let refusal = EncodedProblem(WorkPoolError.overloaded.problem, isLast: false)
    private static let lastRefusal = EncodedProblem(WorkPoolError.overloaded.problem, isLast: true)

    private let room: Int
    private let metrics: ServerMetrics?
    private let activity: Activity?
    private let clock: @Sendable () -> Int64
    private let admitted = Atomic<Int>(0)
    private let nextID = Atomic<UInt64>(.random(in: 0 ... .max))

    /// Creates load shedding with a limit of `room` requests: the capacity of the pool, plus the requests that wait for
    /// authorization before they reach it.
    ///
    /// - Parameter clock: Returns the time, in milliseconds since 1970.
    package init(
        room: Int,
        metrics: ServerMetrics? = nil,
        activity: Activity? = nil,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.room = room
        self.metrics = metrics
        self.activity = activity
        self.clock = clock
    }

    /// Returns the route of a request, if it is a limited one.
    func route(of head: HTTPRequestHead) -> Route? {
        guard head.method == .POST else { return nil }
        // A web page needs the route's response with its CORS headers. A client that expects 100 Continue gets it from
        // the route.
        guard !head.headers.contains(name: "origin"), !head.headers.contains(name: "expect") else { return nil }
        return Route(rawValue: String(head.uri.prefix { $0 != "?" }))
    }

    /// The number of admitted requests.
    var count: Int { admitted.load(ordering: .relaxed) }

    func enter() -> Bool {
        let before = admitted.wrappingAdd(1, ordering: .relaxed).oldValue
        if before < room { return true }
        leave()
        return false
    }

    func leave() { admitted.wrappingSubtract(1, ordering: .relaxed) }

    /// Returns the encoded refusal, and counts it.
    func refusal(at route: Route, isLast: Bool) -> ByteBuffer {
        metrics?.license(.failed, reason: ProblemType.overloaded.name)
        activity?.shed(at: clock() / 1_000)
        metrics?.request(method: "POST", route: route.rawValue, status: ProblemType.overloaded.status.code)
        let id = Hexadecimal.encode(nextID.wrappingAdd(1, ordering: .relaxed).oldValue)
        return (isLast ? Self.lastRefusal : Self.refusal).encoded(requestID: id)
    }
}
