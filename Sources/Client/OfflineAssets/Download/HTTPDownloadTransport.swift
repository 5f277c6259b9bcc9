import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StreamPlayer

/// Asks web servers with async-http-client. Up to five redirects are followed, but not from https: to http:.
struct HTTPDownloadTransport: DownloadTransport {
    private let client: HTTPClient
    private let headTimeout: Duration

    init(headTimeout: Duration) {
        (client, self.headTimeout) = (Self.shared, headTimeout)
    }

    /// For the whole process, never shut down.
    private static let shared: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .follow(max: 5, allowCycles: false),
            timeout: .init(connect: .seconds(10)),
            connectionPool: .init(idleTimeout: .seconds(60), concurrentHTTP1ConnectionsPerHostSoftLimit: 64),
            decompression: .disabled
        )
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(
            eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
            configuration: configuration
        )
    }()

    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadAnswer {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.headers.add(name: "User-Agent", value: "keyway")
        // A checksum is of the bytes that are kept.
        outgoing.headers.add(name: "Accept-Encoding", value: "identity")
        if let range = request.range {
            outgoing.headers.add(name: "Range", value: range)
            if let validator = request.ifRange { outgoing.headers.add(name: "If-Range", value: validator) }
        }
        let response: HTTPClientResponse
        do {
            let limit = TimeAmount.milliseconds(Int64(headTimeout / .milliseconds(1)))
            response = try await client.execute(outgoing, deadline: .now() + limit)
        } catch {
            throw Self.failure(error, request.url)
        }
        let url = response.history.last?.request.url ?? request.url
        if request.url.lowercased().hasPrefix("https:"), !url.lowercased().hasPrefix("https:") {
            throw MediaLoadError(.badAddress, url)
        }
        let headers = response.headers
        let body = Body(response.body.makeAsyncIterator(), url: request.url)
        return DownloadAnswer(
            status: Int(response.status.code),
            url: url,
            validators: Validators(
                etag: headers.first(name: "ETag"),
                lastModified: headers.first(name: "Last-Modified")
            ),
            length: headers.first(name: "Content-Length").flatMap { UInt64($0) },
            part: headers.first(name: "Content-Range").flatMap { DownloadAnswer.Part($0) },
            retryAfter: headers.first(name: "Retry-After").flatMap { UInt64($0) }.map { .seconds(min($0, 86_400)) },
            body: { () async throws(MediaLoadError) in try await body.next() }
        )
    }

    static func failure(_ error: any Error, _ url: String) -> MediaLoadError {
        if Task.isCancelled || error is CancellationError { return MediaLoadError(.cancelled, url) }
        guard let error = error as? HTTPClientError else { return MediaLoadError(.noConnection, url) }
        if [.invalidURL, .emptyHost, .emptyScheme, .redirectLimitReached, .redirectCycleDetected].contains(error)
            || "\(error)".contains("unsupportedScheme")
        {
            return MediaLoadError(.badAddress, url)
        }
        if [.deadlineExceeded, .readTimeout, .connectTimeout].contains(error) { return MediaLoadError(.deadline, url) }
        return MediaLoadError(.noConnection, url)
    }

    /// The body of one answer. Its one reader asks for one part after the other, which the compiler cannot see; the
    /// iterator is not shared otherwise.
    private final class Body: @unchecked Sendable {
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private let url: String

        init(_ iterator: HTTPClientResponse.Body.AsyncIterator, url: String) {
            (self.iterator, self.url) = (iterator, url)
        }

        func next() async throws(MediaLoadError) -> ByteBuffer? {
            do {
                return try await iterator.next()
            } catch {
                throw HTTPDownloadTransport.failure(error, url)
            }
        }
    }
}
