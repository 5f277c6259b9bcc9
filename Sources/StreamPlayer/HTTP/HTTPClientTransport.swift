public import AsyncHTTPClient
public import ContentKeySession
import NIOCore
import NIOHTTP1

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

    private static let shared = HTTPClient(
        eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
        configuration: configuration
    )

    /// Sends a request and reads its whole answer within its time.
    public func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportAnswer {
        // The client's own deadline ends with the head, and a body may trickle for ever.
        try await withTaskGroup(of: Result<KeyTransportAnswer, KeyTransportError>?.self) { tasks in
            tasks.addTask { await exchange(request) }
            tasks.addTask {
                // Nil when it is cancelled, because the answer was there first or nobody waits any more.
                (try? await Task.sleep(for: request.timeout)).map { .failure(.deadline) }
            }
            defer { tasks.cancelAll() }
            for await result in tasks {
                if let result { return result }
            }
            return .failure(.cancelled)
        }.get()
    }

    private func exchange(_ request: KeyTransportRequest) async -> Result<KeyTransportAnswer, KeyTransportError> {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        if request.method == .post { outgoing.body = .bytes(request.body) }
        let response: HTTPClientResponse
        do {
            // The time is kept by who calls; this only has to be longer.
            let (seconds, _) = request.timeout.components
            let limit = TimeAmount.seconds(min(max(seconds, 0), 86_400) + 5)
            response = try await client.execute(outgoing, timeout: limit)
        } catch let error as HTTPClientError where Self.isAddressError(error) {
            return .failure(.badAddress)
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .noConnection)
        }
        do {
            let body = try await response.body.collect(upTo: request.maximumAnswer)
            return .success(
                KeyTransportAnswer(
                    status: Int(response.status.code),
                    headers: response.headers.map { KeyTransportHeader($0.name, $0.value) },
                    body: Array(buffer: body)
                )
            )
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge)
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .noConnection)
        }
    }

    private static func isAddressError(_ error: HTTPClientError) -> Bool {
        [.invalidURL, .emptyHost, .emptyScheme].contains(error) || "\(error)".contains("unsupportedScheme")
    }
}
