public import AsyncHTTPClient
public import ContentKeySession
import NIOCore

/// Sends a key loader's requests by async-http-client. It neither retries nor follows redirects.
public struct HTTPClientTransport: KeyTransport {
    /// How a client for keys is configured; certificates are checked against the system's roots.
    public static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5)),
            connectionPool: .init(idleTimeout: .seconds(60)),
            decompression: .disabled
        )
        // The key loader decides on retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private let client: HTTPClient

    /// Uses a client that somebody else shuts down; start from ``configuration``.
    public init(_ client: HTTPClient) { self.client = client }

    /// Uses a client for the whole process, which is never shut down.
    public init() { self.init(Self.shared) }

    static let shared = HTTPClient(
        eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
        configuration: configuration
    )

    /// Sends a request and reads its whole answer within its time.
    public func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportAnswer {
        var outgoing = BoundedHTTP.Request(
            request.url,
            timeout: request.timeout,
            maximumAnswer: request.maximumAnswer
        )
        outgoing.method = request.method.rawValue
        outgoing.headers = request.headers
        if request.method == .post { outgoing.body = request.body }
        do {
            return try await BoundedHTTP(client).send(outgoing)
        } catch {
            throw error.code
        }
    }
}
