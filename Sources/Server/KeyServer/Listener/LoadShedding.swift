import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import TextCoding

/// Lets so many requests for licenses in at once, and answers the others with 503 before anything is done for them.
///
/// Under overload most requests are refused, so that what a refusal costs decides what is left for licenses. Here it costs
/// reading and writing: no route, no token, no line in the log, and an answer that is encoded already; the metrics count it as
/// they count everything. What is let in finds room in the pool. A page in a browser, which would not be let see this answer, is
/// left to the route, where the pool refuses it.
///
/// A request counts from when its body is there until it is answered, so that slow clients take nobody's place.
package final class LoadShedding: Sendable {
    /// The routes that are limited here.
    enum Route: String {
        case license = "/fps/license"
        case licenses = "/fps/licenses"
    }

    private static let refusal = EncodedProblem(WorkPoolError.overloaded.problem, isLast: false)
    private static let lastRefusal = EncodedProblem(WorkPoolError.overloaded.problem, isLast: true)

    private let room: Int
    private let metrics: ServerMetrics?
    private let activity: Activity?
    private let admitted = Atomic<Int>(0)
    private let nextID = Atomic<UInt64>(.random(in: 0 ... .max))

    /// Lets `room` requests in: as many as the pool takes, and those that are asked about elsewhere before they come to it.
    package init(room: Int, metrics: ServerMetrics? = nil, activity: Activity? = nil) {
        self.room = room
        self.metrics = metrics
        self.activity = activity
    }

    /// The route, if it is one that is limited here.
    func route(of head: HTTPRequestHead) -> Route? {
        guard head.method == .POST else { return nil }
        // A page gets the route's answer, with the headers by which it may see it; who waits to be told to go on is told there.
        guard !head.headers.contains(name: "origin"), !head.headers.contains(name: "expect") else { return nil }
        return Route(rawValue: String(head.uri.prefix { $0 != "?" }))
    }

    /// How many are let in.
    var count: Int { admitted.load(ordering: .relaxed) }

    func enter() -> Bool {
        let before = admitted.wrappingAdd(1, ordering: .relaxed).oldValue
        if before < room { return true }
        leave()
        return false
    }

    func leave() { admitted.wrappingSubtract(1, ordering: .relaxed) }

    /// The whole answer, counted.
    func refusal(at route: Route, isLast: Bool) -> ByteBuffer {
        metrics?.license(.failed, reason: ProblemType.overloaded.name)
        activity?.shed(at: systemMilliseconds() / 1_000)
        metrics?.request(method: "POST", route: route.rawValue, status: ProblemType.overloaded.status.code)
        let id = Hexadecimal.encode(nextID.wrappingAdd(1, ordering: .relaxed).oldValue)
        return (isLast ? Self.lastRefusal : Self.refusal).encoded(requestID: id)
    }
}
