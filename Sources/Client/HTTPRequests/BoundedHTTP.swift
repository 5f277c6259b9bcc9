package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// An HTTP client over async-http-client, bounded in time and size. It does not retry, and follows redirects only if
/// its client is configured to. All requests of this package are sent through it.
package struct BoundedHTTP: Sendable {
    private let client: HTTPClient

    /// Creates a client. The owner shuts down the underlying client; use
    /// ``configuration(connectTimeout:connectionsPerHost:redirects:)`` for it.
    package init(_ client: HTTPClient) { self.client = client }

    /// The shared client for requests that must not follow redirects because they contain a token. Never shut down.
    package static let withoutRedirects = BoundedHTTP(processClient(configuration()))

    /// The shared client for media requests. It follows up to ten redirects. Never shut down.
    package static let followingRedirects = BoundedHTTP(
        processClient(configuration(connectionsPerHost: 64, redirects: 10))
    )

    /// Returns the configuration of a client; certificates are verified with the system's root certificates.
    ///
    /// - Parameters:
    ///   - connectTimeout: The timeout for a connection, including TLS.
    ///   - connectionsPerHost: The maximum number of concurrent connections to a host.
    ///   - redirects: The maximum number of redirects to follow; 0 returns the redirect itself.
    package static func configuration(
        connectTimeout: Duration = .seconds(5),
        connectionsPerHost: Int = 8,
        redirects: Int = 0
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: redirects > 0 ? .follow(max: redirects, allowCycles: false) : .disallow,
            timeout: .init(connect: amount(connectTimeout)),
            connectionPool: .init(
                idleTimeout: .seconds(30),
                concurrentHTTP1ConnectionsPerHostSoftLimit: connectionsPerHost
            ),
            decompression: .disabled
        )
        // The caller decides on retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A body of many megabytes costs less with larger reads than those of NIO, which are limited to 64 KiB.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 16 << 10, maximum: 256 << 10)
            )
        }
        return configuration
    }

    /// Returns a client that lives as long as the process, on the shared event loops.
    package static func processClient(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup), configuration: configuration)
    }

    /// Sends a request and reads the complete response before the timeout.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - shouldContinue: A function that is called four times per second during the download. Returning false ends the
    ///     exchange with ``Failure/Code/abandoned``.
    package func send(
        _ request: Request,
        while shouldContinue: (@Sendable (Progress) async -> Bool)? = nil
    ) async throws(Failure) -> Answer {
        let meter = DownloadMeter()
        guard let shouldContinue else { return try await exchange(request, meter).get() }
        return try await withTaskGroup(of: Result<Answer, Failure>?.self) { tasks in
            tasks.addTask { await exchange(request, meter) }
            tasks.addTask {
                // Nil if the task was cancelled, because the response arrived first or the caller was cancelled.
                while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                    guard await shouldContinue(meter.progress) else {
                        return .failure(Failure(.abandoned, "abandoned"))
                    }
                }
                return nil
            }
            defer { tasks.cancelAll() }
            for await result in tasks {
                if let result { return result }
            }
            return .failure(Failure(.cancelled, "cancelled"))
        }.get()
    }

    /// Sends a request and waits for the head of the response before the timeout. The caller limits the body, and can
    /// stop reading it at any point.
    package func open(_ request: Request) async throws(Failure) -> Head {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        if let body = request.body { outgoing.body = .bytes(body) }
        do {
            let response = try await client.execute(outgoing, timeout: Self.amount(request.timeout))
            return Head(
                status: Int(response.status.code),
                headers: response.headers.map { Header($0.name, $0.value) },
                url: response.url?.absoluteString ?? request.url,
                majorVersion: response.version.major,
                body: response.body
            )
        } catch {
            throw Failure(beforeAnswer: error)
        }
    }

    private func exchange(_ request: Request, _ meter: DownloadMeter) async -> Result<Answer, Failure> {
        let outgoing: HTTPClient.Request
        do {
            outgoing = try HTTPClient.Request(
                url: request.url,
                method: HTTPMethod(rawValue: request.method),
                headers: HTTPHeaders(request.headers.map { ($0.name, $0.value) }),
                body: request.body.map { .bytes($0) }
            )
        } catch {
            return .failure(Failure(beforeAnswer: error))
        }
        return await ResponseCollector(request, meter).run(outgoing, client)
    }

    /// Converts a duration for NIO, which counts nanoseconds in 64 bits.
    static func amount(_ time: Duration) -> TimeAmount {
        .milliseconds(Int64(min(max(time, .zero), .seconds(86_400)) / .milliseconds(1)))
    }
}
