package import ContentKeySession
package import HTTPRequests

/// A transport for a key loader. It neither retries nor follows redirects.
package struct HTTPClientTransport: KeyTransport {
    private let http: any HTTPExchange

    /// Creates a transport with a client that does not follow redirects.
    package init(_ http: any HTTPExchange = BoundedHTTP.withoutRedirects) { self.http = http }

    /// Sends a request and reads the complete response before the timeout.
    package func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        var outgoing = BoundedHTTP.Request(
            request.url,
            timeout: request.timeout,
            maximumResponseSize: request.maximumResponseSize
        )
        outgoing.method = request.method.rawValue
        outgoing.headers = request.headers.map { .init($0.name, $0.value) }
        if request.method == .post { outgoing.body = request.body }
        do {
            let answer = try await http.send(outgoing, while: nil)
            return KeyTransportResponse(
                status: answer.status,
                headers: answer.headers.map { KeyTransportHeader($0.name, $0.value) },
                body: Self.decoded(answer, limit: request.maximumResponseSize)
            )
        } catch {
            switch error.code {
            case .noConnection, .brokenOff, .untrusted: throw .noConnection
            case .deadline: throw .deadline
            case .tooLarge: throw .tooLarge
            case .badAddress, .redirects: throw .badAddress
            case .cancelled, .abandoned: throw .cancelled
            }
        }
    }

    /// Returns the body; the encoded body if it cannot be decoded, which is then not a valid response.
    private static func decoded(_ answer: BoundedHTTP.Answer, limit: Int) -> [UInt8] {
        guard let coding = try? ContentCoding.of(answer.header("Content-Encoding")) else { return answer.body }
        return (try? coding.decode(answer.body, limit: limit)) ?? answer.body
    }
}
