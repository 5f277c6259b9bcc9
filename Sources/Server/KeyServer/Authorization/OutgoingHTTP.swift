package import AsyncHTTPClient
import NIOCore

/// Requests that the server makes for authorisation: bounded in time and size, redirects not followed.
///
/// A redirect would send a viewer's token, or the question for keys, to wherever a broken or captured service says.
package struct OutgoingHTTP: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        /// `Cache-Control`.
        let cacheControl: String?
    }

    enum Failure: Error, Equatable {
        /// No connection, or it broke before an answer began.
        case connection
        /// There was no whole answer in time.
        case timeout
        /// The answer is larger than it may be.
        case tooLarge
        /// The answer broke off.
        case brokenOff
        /// Whoever asked no longer waits.
        case cancelled
    }

    /// For the whole process, and never shut down.
    package static let shared = OutgoingHTTP(
        HTTPClient(
            eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
            configuration: configuration
        )
    )

    /// How a client for such requests is configured; certificates are checked against the system's roots.
    package static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(2)),
            connectionPool: .init(idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 64),
            decompression: .disabled
        )
        // Who calls decides on retries, within a budget of its own.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private let client: HTTPClient

    /// Uses a client that somebody else shuts down; start from ``configuration``.
    package init(_ client: HTTPClient) { self.client = client }

    /// Asks for a document.
    func get(_ url: OutgoingURL, limit: Int, timeout: Duration) async throws(Failure) -> Answer {
        var request = HTTPClientRequest(url: url.text)
        request.headers = Self.headers()
        return try await send(request, limit: limit, timeout: timeout)
    }

    /// Posts JSON.
    func post(
        _ body: [UInt8],
        signature: String?,
        traceparent: String,
        to url: OutgoingURL,
        limit: Int,
        timeout: Duration
    ) async throws(Failure) -> Answer {
        var request = HTTPClientRequest(url: url.text)
        request.method = Self.method("POST") ?? request.method
        request.body = .bytes(body)
        let type = "application/json"
        request.headers =
            if let signature {
                Self.headers(contentType: type, traceparent: traceparent, signature: signature)
            } else {
                Self.headers(contentType: type, traceparent: traceparent)
            }
        return try await send(request, limit: limit, timeout: timeout)
    }

    /// Head and body within the time: the client's own deadline ends with the head, and a body may trickle for ever.
    private func send(
        _ request: HTTPClientRequest,
        limit: Int,
        timeout: Duration
    ) async throws(Failure) -> Answer {
        let result = await withTaskGroup(of: Result<Answer, Failure>?.self) { tasks in
            tasks.addTask { await exchange(request, limit: limit) }
            tasks.addTask {
                // Nil when it is cancelled, because the answer was there first or nobody waits any more.
                (try? await Task.sleep(for: timeout)).map { .failure(.timeout) }
            }
            defer { tasks.cancelAll() }
            for await result in tasks {
                if let result { return result }
            }
            return .failure(.cancelled)
        }
        return try result.get()
    }

    private func exchange(_ request: HTTPClientRequest, limit: Int) async -> Result<Answer, Failure> {
        let response: HTTPClientResponse
        do {
            // The time is kept elsewhere; this only has to be longer.
            response = try await client.execute(request, deadline: .now() + .seconds(60))
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .connection)
        }
        var cacheControl: String?
        for (name, value) in response.headers where name.lowercased() == "cache-control" {
            cacheControl = cacheControl.map { "\($0), \(value)" } ?? value
        }
        do {
            let body = try await response.body.collect(upTo: limit)
            return .success(
                Answer(
                    status: Int(String(describing: response.status).prefix(3)) ?? 0,
                    body: Array(buffer: body),
                    cacheControl: cacheControl
                )
            )
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge)
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .brokenOff)
        }
    }

    // The module of the client's methods and headers, NIOHTTP1, is not among those that this target may import. Their
    // protocols are enough for the little that is sent.

    private static func method<Method: RawRepresentable>(_ name: String) -> Method? where Method.RawValue == String {
        Method(rawValue: name)
    }

    private static func headers<Headers: ExpressibleByDictionaryLiteral>() -> Headers
    where Headers.Key == String, Headers.Value == String {
        ["accept": "application/json", "user-agent": "keyway-server"]
    }

    private static func headers<Headers: ExpressibleByDictionaryLiteral>(
        contentType: String,
        traceparent: String
    ) -> Headers
    where Headers.Key == String, Headers.Value == String {
        [
            "accept": "application/json", "user-agent": "keyway-server", "content-type": contentType,
            "traceparent": traceparent,
        ]
    }

    private static func headers<Headers: ExpressibleByDictionaryLiteral>(
        contentType: String,
        traceparent: String,
        signature: String
    ) -> Headers
    where Headers.Key == String, Headers.Value == String {
        [
            "accept": "application/json", "user-agent": "keyway-server", "content-type": contentType,
            "traceparent": traceparent, WebhookSignature.header: signature,
        ]
    }
}
