package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Sends HTTP requests with async-http-client, bounded in time and size. It does not retry, and follows redirects only
/// where its client is configured to. Everything in this package that makes a request makes it here.
package struct BoundedHTTP: Sendable {
    private let client: HTTPClient

    /// Uses a client that its owner shuts down; start from ``configuration(connectTimeout:connectionsPerHost:redirects:)``.
    package init(_ client: HTTPClient) { self.client = client }

    /// Sends every request of the process that may not follow redirects: those that carry a token. Never shut down.
    package static let withoutRedirects = BoundedHTTP(processClient(configuration()))

    /// Sends every request of the process that fetches media. Never shut down.
    package static let followingRedirects = BoundedHTTP(
        processClient(configuration(connectionsPerHost: 64, redirects: 5))
    )

    /// The configuration of a client; certificates are checked against the system's roots.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long a connection may take to be made, TLS included.
    ///   - connectionsPerHost: How many connections to one host are used at once.
    ///   - redirects: How many redirects of one request are followed; 0 returns the redirect itself.
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

    /// A client that lives as long as the process, on the threads that all such clients share.
    package static func processClient(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup), configuration: configuration)
    }

    /// Sends a request and reads its whole answer within its time.
    ///
    /// - Parameter goesOn: Asked four times a second while the answer is on its way. False ends the exchange as
    ///   ``Failure/Code/abandoned``.
    package func send(
        _ request: Request,
        while goesOn: (@Sendable (Progress) async -> Bool)? = nil
    ) async throws(Failure) -> Answer {
        let meter = DownloadMeter()
        // The client's own deadline ends with the head of the answer, and a body may trickle forever.
        return try await withTaskGroup(of: Result<Answer, Failure>?.self) { tasks in
            tasks.addTask { await exchange(request, meter) }
            tasks.addTask {
                // Nil when it is cancelled, because the answer was there first or the caller was cancelled.
                (try? await Task.sleep(for: request.timeout)).map {
                    .failure(Failure(.deadline, "there was no whole answer in time"))
                }
            }
            if let goesOn {
                tasks.addTask {
                    while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                        guard await goesOn(meter.progress) else { return .failure(Failure(.abandoned, "abandoned")) }
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

    /// Sends a request and waits for the head of its answer within its time. The caller bounds the body, and may stop
    /// reading it at any point.
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
                body: response.body
            )
        } catch {
            throw Failure(beforeAnswer: error)
        }
    }

    private func exchange(_ request: Request, _ meter: DownloadMeter) async -> Result<Answer, Failure> {
        var opening = request
        // Another task keeps the time; the client's limit only has to be longer.
        opening.timeout += .seconds(5)
        let head: Head
        do {
            head = try await open(opening)
        } catch {
            return .failure(error)
        }
        var answer = Answer(status: head.status, headers: head.headers, url: head.url)
        guard request.readsBody(head.status) else { return .success(answer) }
        let expected = head.header("Content-Length").flatMap { UInt64($0) }
        meter.begin(expecting: expected)
        let tooLarge = Failure(.tooLarge, "the answer is longer than \(request.maximumAnswer) bytes")
        guard request.method == "HEAD" || expected ?? 0 <= UInt64(clamping: request.maximumAnswer) else {
            return .failure(tooLarge)
        }
        do {
            for try await chunk in head.body {
                guard chunk.readableBytes <= request.maximumAnswer - answer.body.count else {
                    return .failure(tooLarge)
                }
                answer.body.append(contentsOf: chunk.readableBytesView)
                meter.note(received: answer.body.count)
            }
            return .success(answer)
        } catch {
            return .failure(Failure(withinAnswer: error))
        }
    }

    /// A time for NIO, which counts nanoseconds in 64 bits.
    private static func amount(_ time: Duration) -> TimeAmount {
        .milliseconds(Int64(min(max(time, .zero), .seconds(86_400)) / .milliseconds(1)))
    }
}
