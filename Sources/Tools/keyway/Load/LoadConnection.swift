import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One keep-alive connection to a server: one request at a time.
///
/// After it is open, everything happens on its event loop, and nothing may be called from elsewhere but
/// ``answer(to:body:)``. That is why it can be Sendable without a lock.
final class LoadConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    typealias Completion = (Result<LoadAnswer, LoadFailure>) -> Void

    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    private var completion: Completion?
    private var answer = LoadAnswer()
    private var isLastAnswer = false
    /// When the request under way was sent.
    private(set) var sent = NIODeadline.distantFuture
    /// What went wrong with the connection, as far as is known.
    private(set) var reason: String?
    /// Called once, when the connection has ended.
    var onEnd: (() -> Void)?

    private init(loop: any EventLoop) { self.loop = loop }

    /// Whether a request can be sent.
    var isFree: Bool { context != nil && completion == nil && !isLastAnswer }

    /// Opens a connection. Fails with what the system says.
    static func open(_ target: LoadTarget, on loop: any EventLoop) -> EventLoopFuture<LoadConnection> {
        let connection = LoadConnection(loop: loop)
        return ClientBootstrap(group: loop)
            .connectTimeout(.seconds(5))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls = target.tls {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: target.serverName))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(connection)
                }
            }
            .connect(host: target.host, port: target.port)
            .map { _ in connection }
    }

    /// Sends a request. `completion` is called once, on the event loop.
    func send(_ head: HTTPRequestHead, body: [UInt8], completion: @escaping Completion) {
        guard let context, isFree else { return completion(.failure(.lost)) }
        self.completion = completion
        answer = LoadAnswer()
        sent = .now()
        var head = head
        if head.method == .POST { head.headers.add(name: "content-length", value: String(body.count)) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Sends a request and waits for the answer; from anywhere.
    func answer(to head: HTTPRequestHead, body: [UInt8] = []) async throws -> LoadAnswer {
        try await loop.flatSubmit {
            let promise = self.loop.makePromise(of: LoadAnswer.self)
            self.send(head, body: body) { promise.completeWith($0.mapError { $0 }) }
            return promise.futureResult
        }.get()
    }

    /// Closes the connection; from anywhere.
    func close() {
        loop.execute { self.context?.close(promise: nil) }
    }

    /// Ends a request that has waited too long, and the connection with it.
    func giveUp() {
        finish(.failure(.timedOut))
        context?.close(promise: nil)
    }

    private func finish(_ result: Result<LoadAnswer, LoadFailure>) {
        sent = .distantFuture
        let completion = self.completion
        self.completion = nil
        completion?(result)
    }

    // MARK: ChannelInboundHandler

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer.status = Int(head.status.code)
            answer.requestID = head.headers.first(name: "x-request-id")
            isLastAnswer = !head.isKeepAlive
        case .body(let buffer):
            let room = LoadAnswer.maximumBody - answer.body.count
            answer.body += buffer.readableBytesView.prefix(room)
        case .end:
            finish(.success(answer))
            // In this order: closing says at once that the connection has ended.
            if isLastAnswer { context.close(promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        finish(.failure(.lost))
        onEnd?()
        onEnd = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        reason = reason ?? "\(error)"
        context.close(promise: nil)
    }
}

/// The heads of the requests that are sent to one server.
struct LoadRequestHeads: Sendable {
    let authority: String

    /// `GET` of a path.
    func get(_ path: String) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["host": authority])
    }

    /// `POST /fps/license`, without the length of the body.
    func license(token: String?) -> HTTPRequestHead { post("/fps/license", "application/octet-stream", token) }

    /// `POST /fps/licenses`, without the length of the body.
    func licenses(token: String?) -> HTTPRequestHead { post("/fps/licenses", "application/json", token) }

    private func post(_ path: String, _ type: String, _ token: String?) -> HTTPRequestHead {
        var headers: HTTPHeaders = ["host": authority, "content-type": type]
        if let token { headers.add(name: "authorization", value: "Bearer \(token)") }
        return HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: headers)
    }
}
