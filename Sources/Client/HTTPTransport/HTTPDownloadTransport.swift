import AsyncHTTPClient
package import HTTPRequests
import NIOCore
package import OfflineAssets
package import StreamPlayer

/// A transport for downloads. It follows up to ten redirects, and decodes gzip and br if a server uses them although
/// they are not requested.
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
        let body = Body(head.body.makeAsyncIterator(), url: request.url, decoder: try decoder(of: head, request.url))
        // The offsets and the validators of an encoded response are those of the encoded bytes, so a download cannot be
        // resumed with them.
        let hidden: Set<String> = body.isDecoded ? ["content-length", "etag", "last-modified"] : []
        return DownloadResponse(
            status: head.status,
            url: head.url,
            header: { name in
                let name = name.lowercased()
                // A date is converted to seconds by the clock of the server.
                if name == "retry-after" {
                    return BoundedHTTP.retryAfter { head.header($0) }.map { "\($0.components.seconds)" }
                }
                return hidden.contains(name) ? nil : head.header(name)
            },
            body: { () async throws(MediaLoadError) in try await body.next() }
        )
    }

    private func decoder(of head: BoundedHTTP.Head, _ url: String) throws(MediaLoadError) -> (any ContentDecoder)? {
        guard head.status == 200 || head.status == 206 else { return nil }
        do throws(ContentCodingError) {
            guard let coding = try ContentCoding.of(head.header("Content-Encoding")) else { return nil }
            guard head.status == 200 else { throw .encodedRange }
            return try coding.decoder(limit: Self.maximumDecodedSize)
        } catch {
            throw MediaLoadError(error, url)
        }
    }

    /// The maximum size of a decoded body, in bytes. The download has its own limits; this one stops a small body that
    /// decodes to a huge one.
    private static let maximumDecodedSize = 8 << 30

    /// The body of a response. Its only reader requests the parts sequentially, which the compiler cannot see; the
    /// iterator is not shared otherwise.
    private final class Body: @unchecked Sendable {
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private let url: String
        private let decoder: (any ContentDecoder)?
        private var hasBytes = false

        var isDecoded: Bool { decoder != nil }

        init(
            _ iterator: HTTPClientResponse.Body.AsyncIterator,
            url: String,
            decoder: (any ContentDecoder)?
        ) {
            (self.iterator, self.url, self.decoder) = (iterator, url, decoder)
        }

        func next() async throws(MediaLoadError) -> [UInt8]? {
            let part: [UInt8]?
            do {
                part = try await iterator.next().map { Array(buffer: $0) }
            } catch {
                throw MediaLoadError(BoundedHTTP.Failure(withinAnswer: error), url)
            }
            guard let decoder else { return part }
            do throws(ContentCodingError) {
                if let part {
                    hasBytes = hasBytes || !part.isEmpty
                    return try decoder.decode(part)
                }
                if hasBytes { try decoder.finish() }
                return nil
            } catch {
                throw MediaLoadError(error, url)
            }
        }
    }
}
