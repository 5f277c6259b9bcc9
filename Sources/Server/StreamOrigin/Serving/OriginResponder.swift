import HTTPListening
import HTTPTypes
package import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The context of a request.
package struct OriginRequestContext: RequestContext {
    /// Hummingbird's part.
    package var coreContext: CoreRequestContextStorage
    /// The client's address.
    let client: String

    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = source.channel.remoteAddress?.ipAddress ?? "-"
        channel = source.channel
    }

    /// Sends `100 Continue` if the client waits for it. Therefore the body of a request that is refused by its
    /// head is not sent (RFC 9110, section 10.1.1).
    func sendContinue() { channel.triggerUserOutboundEvent(BodyReadStarted(), promise: nil) }

    /// Waits until the event loop has taken the writes up to now. A write waits only if the loop has noticed that the
    /// client does not read; while the loop is busy, a fast writer would buffer a whole file.
    func settleWrites() async throws { try await channel.eventLoop.submit {}.get() }
}

/// Answers the requests of players and packagers.
package struct OriginResponder: HTTPResponder {
    package typealias Context = OriginRequestContext

    let channels: LiveChannels
    let files: FileResponder
    let playlists: PlaylistResponder
    let uploads: UploadResponder?
    let crossOrigin: CrossOriginPolicy
    let metrics: OriginMetrics
    /// Returns whether the server can serve: the folder exists, and the server is not ending.
    let isHealthy: @Sendable () -> Bool
    let clock: @Sendable () -> Duration
    let logger: Logger

    /// Answers a request, and logs it.
    package func respond(to request: Request, context: Context) async throws -> Response {
        let start = clock()
        var exchange = await answer(request, context)
        if request.method == .head { exchange.response = exchange.response.createHeadResponse() }
        metrics.request(exchange.resource, status: exchange.response.status.code)
        if exchange.resource != .upload, request.method != .options {
            crossOrigin.apply(request.headers[.origin], to: &exchange.response.headers)
        }
        let elapsed = clock() - start
        logger.info(
            "request",
            metadata: [
                "client": "\(context.client)", "method": "\(request.method.rawValue.prefix(16))",
                "path": "\(exchange.path == nil ? "-" : request.uri.path)", "query": "\(exchange.loggedQuery)",
                "status": "\(exchange.response.status.code)",
                "bytes": "\(exchange.response.body.contentLength.map(String.init) ?? "-")",
                "milliseconds":
                    "\(elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000)",
            ]
        )
        return exchange.response
    }

    private func answer(_ request: Request, _ context: Context) async -> Exchange {
        let target = request.uri.path
        if target == "/health", request.method == .get || request.method == .head { return health }
        guard let path = ChannelPath.path(ofTarget: target), MediaType.contentType(of: path) != nil else {
            return Exchange(.failure(.notFound, "There is no such file."))
        }
        switch request.method {
        case .get, .head:
            return ChannelPath.isPlaylist(path)
                ? await playlists.answer(request, path) : await files.answer(request, path, context)
        case .put, .delete:
            guard let uploads else { break }
            return Exchange(await uploads.answer(request, path, context), .upload, path)
        case .options:
            var response = Response(status: .noContent, headers: [.allow: allowed])
            crossOrigin.applyPreflight(request.headers[.origin], to: &response.headers)
            return Exchange(response, .other, path)
        default: break
        }
        var response = Response.failure(.methodNotAllowed, "The method is not supported.")
        response.headers[.allow] = allowed
        return Exchange(response, .other, path)
    }

    private var allowed: String { uploads == nil ? "GET, HEAD, OPTIONS" : "GET, HEAD, OPTIONS, PUT, DELETE" }

    private var health: Exchange {
        guard isHealthy() else {
            return Exchange(.failure(.serviceUnavailable, "The server cannot serve now.", cache: CachePolicy.none))
        }
        let body = ResponseBody(byteBuffer: ByteBuffer(string: "ok\n"))
        return Exchange(
            Response(
                status: .ok,
                headers: [.contentType: "text/plain", .cacheControl: CachePolicy.none],
                body: body
            )
        )
    }
}

/// A response, and what is logged and counted of its request.
struct Exchange: Sendable {
    var response: Response
    var resource: OriginMetrics.Resource
    /// The decoded path; nil for one that is not valid.
    var path: String?
    /// The delivery directives; nothing else of a query is logged.
    var loggedQuery = ""

    init(_ response: Response, _ resource: OriginMetrics.Resource = .other, _ path: String? = nil) {
        self.response = response
        self.resource = resource
        self.path = path
    }
}

extension Response {
    /// Creates a response with an error, whose body is a sentence.
    static func failure(_ status: HTTPResponse.Status, _ reason: String, cache: String = CachePolicy.error) -> Response
    {
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8", .cacheControl: cache]
        if status == .serviceUnavailable { headers[.retryAfter] = "1" }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: reason + "\n")))
    }
}
