import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A keep-alive connection to a server, for one request at a time.
///
/// After it is open, all its code runs on its event loop. Only ``response(to:body:)`` and ``close()`` may be called
/// from elsewhere. Therefore it can be Sendable without a lock.
final class LoadConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    typealias Completion = (Result<LoadResponse, LoadFailure>) -> Void

    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    private var completion: Completion?
    private var response = LoadResponse()
    private var isLastResponse = false
    /// The time at which the current request was sent.
    private(set) var sent = NIODeadline.distantFuture
    /// The error of the connection, if known.
    private(set) var reason: String?
    /// A closure that is called once, when the connection has ended.
    var onEnd: (() -> Void)?

    private init(loop: any EventLoop) { self.loop = loop }

    /// True if a request can be sent.
    var isFree: Bool { context != nil && completion == nil && !isLastResponse }

    /// Opens a connection. Fails with the error of the system.
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
        response = LoadResponse()
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

    /// Sends a request, and waits for the response. It may be called from anywhere.
    func response(to head: HTTPRequestHead, body: [UInt8] = []) async throws -> LoadResponse {
        try await loop.flatSubmit {
            let promise = self.loop.makePromise(of: LoadResponse.self)
            self.send(head, body: body) { promise.completeWith($0.mapError { $0 }) }
            return promise.futureResult
        }.get()
    }

    /// Closes the connection. It may be called from anywhere.
    func close() {
        loop.execute { self.context?.close(promise: nil) }
    }

    /// Ends a request that timed out, and closes the connection.
    func timeOut() {
        finish(.failure(.timedOut))
        context?.close(promise: nil)
    }

    private func finish(_ result: Result<LoadResponse, LoadFailure>) {
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
            response.status = Int(head.status.code)
            response.requestID = head.headers.first(name: "x-request-id")
            isLastResponse = !head.isKeepAlive
        case .body(let buffer):
            let remaining = LoadResponse.maximumBody - response.body.count
            response.body += buffer.readableBytesView.prefix(remaining)
        case .end:
            finish(.success(response))
            // The order matters: closing calls `onEnd` immediately.
            if isLastResponse { context.close(promise: nil) }
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

/// The heads of the requests to one server.
struct LoadRequestHeads: Sendable {
    let authority: String

    /// Returns the head of a `GET` request.
    func get(_ path: String) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["host": authority])
    }

    /// Returns the head of `POST /fps/license`, without the length of the body.
    func license(token: String?) -> HTTPRequestHead { post("/fps/license", "application/octet-stream", token) }

    /// Returns the head of `POST /fps/licenses`, without the length of the body.
    func licenses(token: String?) -> HTTPRequestHead { post("/fps/licenses", "application/json", token) }

    private func post(_ path: String, _ type: String, _ token: String?) -> HTTPRequestHead {
        var headers: HTTPHeaders = ["host": authority, "content-type": type]
        if let token { headers.add(name: "authorization", value: "Bearer \(token)") }
        return HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: headers)
    }
}
