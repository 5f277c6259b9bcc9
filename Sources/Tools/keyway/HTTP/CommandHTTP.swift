import AsyncHTTPClient
import Foundation
import HTTPRequests
import NIOCore
import NIOHTTP1
import NIOSSL
import StreamValidation
import Synchronization

/// The HTTP client of the commands: bounded requests, through proxies.
final class CommandHTTP: Sendable {
    /// The client with the proxies that the environment specifies.
    static let shared = CommandHTTP()

    private let proxies: HTTPProxies
    private let tls: TLSConfiguration?
    /// The clients for each proxy and for direct connections.
    private let clients = Mutex<[HTTPProxy?: HTTPClient]>([:])

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - proxies: The proxies to use.
    ///   - tls: The TLS options; nil for the defaults.
    init(proxies: HTTPProxies = .environment, tls: TLSConfiguration? = nil) {
        (self.proxies, self.tls) = (proxies, tls)
    }

    /// Sends a request with the shared client, and returns the response. Redirects are not followed.
    static func send(_ request: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        guard let url = URL(string: request.url) else { throw .init(.badAddress, "the URL is invalid") }
        return try await shared.send(request, to: url, while: nil)
    }

    /// Closes the connections. A client that is not needed until the end of the process has to be shut down.
    func shutdown() async {
        let clients = clients.withLock { clients in
            defer { clients = [:] }
            return clients
        }
        for client in clients.values { try? await client.shutdown() }
    }

    private static let untilTheEnd = Mutex<[CommandHTTP]>([])

    /// Returns a client that exists until the end of the process.
    static func permanent(proxies: HTTPProxies, tls: TLSConfiguration?) -> CommandHTTP {
        let http = CommandHTTP(proxies: proxies, tls: tls)
        untilTheEnd.withLock { $0.append(http) }
        return http
    }

    /// Sends a request, and returns the response. Redirects are not followed.
    func send(
        _ request: BoundedHTTP.Request,
        to url: URL,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        try await exchange(request, to: url) { http, request throws(BoundedHTTP.Failure) in
            try await http.send(request, while: shouldContinue)
        }
    }

    /// Sends a request, and waits for the head of the response.
    func open(_ request: BoundedHTTP.Request, to url: URL) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head {
        try await exchange(request, to: url) { http, request throws(BoundedHTTP.Failure) in
            try await http.open(request)
        }
    }

    /// Observes the TLS of a host; nil if it cannot be reached directly.
    func observeTLS(of host: TLSHost) async -> TLSObservation? {
        guard let url = URL(string: "https://\(host)/"), let tls = tls ?? (try? TrustedAuthorities.configuration())
        else { return nil }
        do {
            guard try proxy(for: url) == nil else { return nil }
        } catch {
            return nil
        }
        return await TLSProbe.observe(host, tls)
    }

    private func exchange<Response>(
        _ request: BoundedHTTP.Request,
        to url: URL,
        _ send: (BoundedHTTP, BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> Response
    ) async throws(BoundedHTTP.Failure) -> Response {
        let proxy = try proxy(for: url)
        guard let proxy else { return try await send(BoundedHTTP(client(nil)), request) }
        do {
            guard proxy.kind == .http, url.scheme?.lowercased() == "http" else {
                return try await send(BoundedHTTP(client(proxy)), request)
            }
            return try await send(BoundedHTTP(Self.forwarding), Self.forwarded(request, to: url, by: proxy))
        } catch {
            throw .init(error.code, "\(error.reason) (via the proxy \(proxy.name))")
        }
    }

    private func client(_ proxy: HTTPProxy?) -> HTTPClient {
        clients.withLock { clients in
            if let client = clients[proxy] { return client }
            let client = BoundedHTTP.processClient(configuration(proxy: proxy))
            clients[proxy] = client
            return client
        }
    }

    private func proxy(for url: URL) throws(BoundedHTTP.Failure) -> HTTPProxy? {
        do {
            return try proxies.proxy(for: url)
        } catch {
            let advice = "give http://HOST:PORT or socks5://HOST:PORT, or add the server to no_proxy"
            throw .init(.badAddress, "the proxy in the variable \(error.name) cannot be used: \(advice)")
        }
    }

    private func configuration(proxy: HTTPProxy?) -> HTTPClient.Configuration {
        var configuration = BoundedHTTP.configuration(connectionsPerHost: 64)
        // A file that cannot be read has been reported by the options, or leaves the authorities of the system.
        configuration.tlsConfiguration = tls ?? (try? TrustedAuthorities.configuration())
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

    // async-http-client opens a tunnel (CONNECT) through a proxy for http as well as for https, but many proxies refuse
    // tunnels to ports other than 443. Therefore, requests for http URLs are sent to the proxy with the complete URL in
    // the request line (RFC 9112, section 3.2.2).

    private static let forwarding: HTTPClient = {
        var configuration = BoundedHTTP.configuration(connectionsPerHost: 64)
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
