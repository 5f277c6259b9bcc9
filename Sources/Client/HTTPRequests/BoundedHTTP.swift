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
        // The client's own deadline ends with the head of the response, and a body may arrive arbitrarily slowly.
        return try await withTaskGroup(of: Result<Answer, Failure>?.self) { tasks in
            tasks.addTask { await exchange(request, meter) }
            tasks.addTask {
                // Nil if the task was cancelled, because the response arrived first or the caller was cancelled.
                (try? await Task.sleep(for: request.timeout)).map {
                    .failure(Failure(.deadline, "the response was not complete in time"))
                }
            }
            if let idleTimeout = request.idleTimeout {
                tasks.addTask { await Self.idleFailure(meter, idleTimeout).map { .failure($0) } }
            }
            if let shouldContinue {
                tasks.addTask {
                    while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                        guard await shouldContinue(meter.progress) else {
                            return .failure(Failure(.abandoned, "abandoned"))
                        }
                    }
                    return nil
                }
            }
            defer { tasks.cancelAll() }
            for await result in tasks {
                if let result { return result }
            }
            return .failure(Failure(.cancelled, "cancelled"))
        }.get()
    }

    /// Returns a failure when a response has made no progress for some time; nil if the task is cancelled before.
    private static func idleFailure(_ meter: DownloadMeter, _ timeout: Duration) async -> Failure? {
        while true {
            let end = meter.lastActivity + timeout
            guard end > .now else {
                return Failure(.deadline, "the server did not respond in time, or stopped sending")
            }
            guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return nil }
        }
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
        var opening = request
        // Another task enforces the timeout; the client's timeout only has to be longer.
        opening.timeout += .seconds(5)
        let head: Head
        do {
            head = try await open(opening)
        } catch {
            return .failure(error)
        }
        var answer = Answer(status: head.status, headers: head.headers, url: head.url, majorVersion: head.majorVersion)
        guard request.readsBody(head.status) else { return .success(answer) }
        let expected = head.header("Content-Length").flatMap { UInt64($0) }
        meter.start(expecting: expected)
        let tooLarge = Failure(.tooLarge, "the response is longer than \(request.maximumResponseSize) bytes")
        guard request.method == "HEAD" || expected ?? 0 <= UInt64(clamping: request.maximumResponseSize) else {
            return .failure(tooLarge)
        }
        // Whatever size the server claims, no more than this is allocated before bytes arrive.
        if request.method != "HEAD" { answer.body.reserveCapacity(Int(clamping: min(expected ?? 0, 64 << 20))) }
        do {
            for try await chunk in head.body {
                guard chunk.readableBytes <= request.maximumResponseSize - answer.body.count else {
                    return .failure(tooLarge)
                }
                answer.body.append(contentsOf: chunk.readableBytesView)
                meter.update(received: answer.body.count)
            }
            return .success(answer)
        } catch {
            return .failure(Failure(withinAnswer: error))
        }
    }

    /// Converts a duration for NIO, which counts nanoseconds in 64 bits.
    private static func amount(_ time: Duration) -> TimeAmount {
        .milliseconds(Int64(min(max(time, .zero), .seconds(86_400)) / .milliseconds(1)))
    }
}
