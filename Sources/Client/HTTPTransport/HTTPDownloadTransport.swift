import AsyncHTTPClient
package import HTTPRequests
import NIOCore
package import OfflineAssets
package import StreamPlayer

/// A transport for downloads. It follows up to five redirects.
package struct HTTPDownloadTransport: DownloadTransport {
    private let http: any HTTPExchange

    /// Creates a transport with a client that follows redirects.
    package init(_ http: any HTTPExchange = BoundedHTTP.followingRedirects) { self.http = http }

    /// Sends a request, and waits for the head of the response.
    package func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
        // The download limits the body, part by part.
        var outgoing = BoundedHTTP.Request(request.url, timeout: request.headTimeout, maximumResponseSize: .max)
        outgoing.headers = [.init("User-Agent", "keyway")] + request.headers.map { .init($0.name, $0.value) }
        let head: BoundedHTTP.Head
        do {
            head = try await http.open(outgoing)
        } catch {
            throw MediaLoadError(error, request.url)
        }
        let body = Body(head.body.makeAsyncIterator(), url: request.url)
        return DownloadResponse(
            status: head.status,
            url: head.url,
            header: { head.header($0) },
            body: { () async throws(MediaLoadError) in try await body.next() }
        )
    }

    /// The body of a response. Its only reader requests the parts sequentially, which the compiler cannot see; the
    /// iterator is not shared otherwise.
    private final class Body: @unchecked Sendable {
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private let url: String

        init(_ iterator: HTTPClientResponse.Body.AsyncIterator, url: String) {
            (self.iterator, self.url) = (iterator, url)
        }

        func next() async throws(MediaLoadError) -> [UInt8]? {
            do {
                return try await iterator.next().map { Array(buffer: $0) }
            } catch {
                throw MediaLoadError(BoundedHTTP.Failure(withinAnswer: error), url)
            }
        }
    }
}
