import AsyncHTTPClient
import Foundation
import HTTPRequests
import NIOCore
import NIOHTTP1
import Synchronization

/// The HTTP client of the commands: bounded requests, through the proxies that the environment specifies.
enum CommandHTTP {
    /// The clients for each proxy and for direct connections. They are shared by the whole process, and never shut
    /// down.
    private static let clients = Mutex<[HTTPProxy?: HTTPClient]>([:])

    /// Sends a request, and returns the response. Redirects are not followed.
    ///
    /// - Parameter proxies: The proxies to use.
    static func send(
        _ request: BoundedHTTP.Request,
        proxies: HTTPProxies = .environment
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        guard let url = URL(string: request.url) else { throw .init(.badAddress, "the URL is invalid") }
        let proxy = try proxy(for: url, proxies)
        let client = clients.withLock { clients in
            if let client = clients[proxy] { return client }
            let client = BoundedHTTP.processClient(configuration(proxy: proxy))
            clients[proxy] = client
            return client
        }
        return try await send(request, to: url, by: proxy, client)
    }

    /// Sends a request with a separate client, whose configuration the caller can change, for example to set TLS
    /// options.
    static func send(
        _ request: BoundedHTTP.Request,
        configuring change: (inout HTTPClient.Configuration) -> Void,
        proxies: HTTPProxies = .environment
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        guard let url = URL(string: request.url) else { throw .init(.badAddress, "the URL is invalid") }
        let proxy = try proxy(for: url, proxies)
        var configuration = configuration(proxy: proxy)
        change(&configuration)
        let client = BoundedHTTP.processClient(configuration)
        let result: Result<BoundedHTTP.Answer, BoundedHTTP.Failure>
        do {
            result = .success(try await send(request, to: url, by: proxy, client))
        } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        return try result.get()
    }

    private static func proxy(for url: URL, _ proxies: HTTPProxies) throws(BoundedHTTP.Failure) -> HTTPProxy? {
        do {
            return try proxies.proxy(for: url)
        } catch {
            let advice = "give http://HOST:PORT or socks5://HOST:PORT, or add the server to no_proxy"
            throw .init(.badAddress, "the proxy in the variable \(error.name) cannot be used: \(advice)")
        }
    }

    private static func configuration(proxy: HTTPProxy?) -> HTTPClient.Configuration {
        var configuration = BoundedHTTP.configuration()
        guard let proxy else { return configuration }
        switch proxy.kind {
        case .socks5: configuration.proxy = .socksServer(host: proxy.host, port: proxy.port)
        case .http:
            let credentials = proxy.authorization.map { $0.dropFirst("Basic ".count) }
            configuration.proxy = .server(
                host: proxy.host,
                port: proxy.port,
                authorization: credentials.map { .basic(credentials: String($0)) }
            )
        }
        return configuration
    }

    private static func send(
        _ request: BoundedHTTP.Request,
        to url: URL,
        by proxy: HTTPProxy?,
        _ client: HTTPClient
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        guard let proxy else { return try await BoundedHTTP(client).send(request) }
        do {
            guard proxy.kind == .http, url.scheme?.lowercased() == "http" else {
                return try await BoundedHTTP(client).send(request)
            }
            return try await BoundedHTTP(forwarding).send(forwarded(request, to: url, by: proxy))
        } catch {
            throw .init(error.code, "\(error.reason) (via the proxy \(proxy.name))")
        }
    }

    // async-http-client opens a tunnel (CONNECT) through a proxy for http as well as for https, but many proxies refuse
    // tunnels to ports other than 443. Therefore, requests for http URLs are sent to the proxy with the complete URL in
    // the request line (RFC 9112, section 3.2.2).

    private static let forwarding: HTTPClient = {
        var configuration = BoundedHTTP.configuration()
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
                try pipeline.addHandler(AbsoluteFormHandler(), position: .after(encoder))
            }
        }
        return BoundedHTTP.processClient(configuration)
    }()

    private static func forwarded(_ request: BoundedHTTP.Request, to url: URL, by proxy: HTTPProxy)
        -> BoundedHTTP.Request
    {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        var request = request
        let host = proxy.host.contains(":") ? "[\(proxy.host)]" : proxy.host
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        request.url = "http://\(host):\(proxy.port)\(parts?.percentEncodedPath ?? "")\(query)"
        let port = url.port.map { ":\($0)" } ?? ""
        request.headers.append(.init("Host", "\(parts?.percentEncodedHost ?? "")\(port)"))
        if let authorization = proxy.authorization {
            request.headers.append(.init("Proxy-Authorization", authorization))
        }
        return request
    }
}

/// A handler that writes the complete URL into the request line, as proxies require.
private final class AbsoluteFormHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let host = head.headers.first(name: "Host") else {
            return context.write(data, promise: promise)
        }
        head.uri = "http://\(host)\(head.uri)"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
