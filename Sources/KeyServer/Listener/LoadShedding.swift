import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Lets so many requests for licences in at once, and answers the others with 503 before anything is done for them.
///
/// Under overload most requests are refused, so that what a refusal costs decides what is left for licences. Here it costs
/// reading and writing: no route, no token, no line in the log; the metrics count it as they count everything. What is let
/// in finds room in the pool. A page in a browser, which would not be let see this answer, is left to the route, where the
/// pool refuses it.
///
/// A request counts from when its body is there until it is answered, so that slow clients take nobody's place.
public final class LoadShedding: Sendable {
    private static let paths: Set<String> = ["/fps/license", "/fps/licenses"]
    /// The answer, made once. It names no instance: neither log nor audit has anything of it.
    private static let refusal: (head: HTTPResponse, body: ByteBuffer) = {
        let problem = WorkPoolError.overloaded.problem
        let body = ByteBuffer(bytes: problem.json(instance: nil).encoded)
        var headers = problem.response(instance: "").headers
        headers[.contentLength] = "\(body.readableBytes)"
        return (HTTPResponse(status: problem.type.status, headerFields: headers), body)
    }()

    private let room: Int
    private let metrics: ServerMetrics?
    private let activity: Activity?
    private let admitted = Atomic<Int>(0)

    /// Lets `room` requests in: as many as the pool takes, and those that are asked about elsewhere before they come to it.
    public init(room: Int, metrics: ServerMetrics? = nil, activity: Activity? = nil) {
        self.room = room
        self.metrics = metrics
        self.activity = activity
    }

    /// The route, if it is one that is limited here.
    fileprivate func route(of head: HTTPRequest) -> String? {
        guard head.method == .post, let target = head.path else { return nil }
        // A page gets the route's answer, with the headers by which it may see it; who waits to be told to go on is told there.
        guard head.headerFields[.origin] == nil, head.headerFields[.expect] == nil else { return nil }
        let path = target.prefix { $0 != "?" }
        return Self.paths.first { $0 == path }
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

    fileprivate func refusal(at route: String) -> (head: HTTPResponse, body: ByteBuffer) {
        metrics?.licence(.failed, reason: ProblemType.overloaded.name)
        activity?.shed(at: systemMilliseconds() / 1_000)
        metrics?.request(method: "POST", route: route, status: ProblemType.overloaded.status.code)
        var head = Self.refusal.head
        head.headerFields[.requestID] = String(UInt64.random(in: 0 ... .max), radix: 16)
        return (head, Self.refusal.body)
    }
}

/// One connection's. It stands between the connection's deadlines, which see its answers as any, and the routes.
final class LoadSheddingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let shedding: LoadShedding
    private let maximumBody: Int
    /// Whether each request that the routes have was let in here, the oldest first.
    private var underWay: [Bool] = []
    /// A request whose body has not ended.
    private var held: (route: String, parts: [HTTPRequestPart], size: Int, isLast: Bool)?

    /// - Parameter maximumBody: a body beyond this is the route's to refuse, in bytes.
    init(_ shedding: LoadShedding, maximumBody: Int) {
        self.shedding = shedding
        self.maximumBody = maximumBody
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            // An answer from here must not overtake one that a route still owes.
            if underWay.isEmpty, let route = shedding.route(of: head) {
                held = (route, [part], 0, head.headerFields[.connection]?.lowercased() == "close")
                return
            }
            underWay.append(false)
        case .body(let bytes):
            if held != nil {
                held?.parts.append(part)
                held?.size += bytes.readableBytes
                if let held, held.size > maximumBody { pass(held.parts, isAdmitted: false, context) }
                return
            }
        case .end:
            if let held {
                if shedding.enter() { return pass(held.parts + [part], isAdmitted: true, context) }
                self.held = nil
                var (head, body) = shedding.refusal(at: held.route)
                if held.isLast { head.headerFields[.connection] = "close" }
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(body)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                if held.isLast { context.close(promise: nil) }
                return
            }
        }
        context.fireChannelRead(data)
    }

    private func pass(_ parts: [HTTPRequestPart], isAdmitted: Bool, _ context: ChannelHandlerContext) {
        held = nil
        underWay.append(isAdmitted)
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), !underWay.isEmpty, underWay.removeFirst() { shedding.leave() }
        context.write(data, promise: promise)
    }

    /// The body's deadline, or what else ends a request that is held: the route is to answer it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let held { pass(held.parts, isAdmitted: false, context) }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for isAdmitted in underWay where isAdmitted { shedding.leave() }
        underWay = []
        held = nil
        context.fireChannelInactive()
    }
}
