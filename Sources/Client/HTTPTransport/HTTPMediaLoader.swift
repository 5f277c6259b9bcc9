package import HTTPRequests
package import StreamPlayer

/// A loader of media over HTTP and from `file:` URLs. It follows up to ten redirects, and decodes gzip and br.
package struct HTTPMediaLoader: MediaLoader {
    private let http: any HTTPExchange
    private let idleTimeout: Duration

    /// The maximum time of a whole response. A slow response is not ended while it makes progress, but not even a
    /// server that sends a byte per second can occupy the loader for ever.
    private static let timeout = Duration.seconds(6 * 3600)

    /// Creates a loader with a client that follows redirects.
    ///
    /// - Parameters:
    ///   - http: The HTTP client.
    ///   - idleTimeout: The maximum time without progress, for resources that do not specify it.
    package init(_ http: any HTTPExchange = BoundedHTTP.followingRedirects, idleTimeout: Duration = .seconds(20)) {
        (self.http, self.idleTimeout) = (http, idleTimeout)
    }

    /// Loads a resource.
    package func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        try await fetch(resource, while: nil)
    }

    /// Loads a resource with a callback, called every quarter of a second, that can abandon the download.
    package func load(
        _ resource: MediaResource,
        shouldContinue: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia {
        try await fetch(resource) { await shouldContinue(MediaProgress(received: $0.received, expected: $0.expected)) }
    }

    private func fetch(
        _ resource: MediaResource,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(MediaLoadError) -> LoadedMedia {
        if resource.url.lowercased().hasPrefix("file:") { return try await FileMediaLoader().load(resource) }
        guard resource.range?.isEmpty != true else { throw MediaLoadError(.wrongRange, resource.url) }
        var request = BoundedHTTP.Request(
            resource.url,
            timeout: Self.timeout,
            maximumResponseSize: resource.maximumSize
        )
        request.idleTimeout = resource.idleTimeout ?? idleTimeout
        // A range of an encoded response is a range of the encoded bytes.
        let encodings = resource.isText && resource.range == nil ? ContentCoding.accepted : "identity"
        request.headers = [.init("User-Agent", "keyway"), .init("Accept-Encoding", encodings)]
        if let range = resource.rangeField { request.headers.append(.init("Range", range)) }
        request.readsBody = { $0 == 200 || $0 == 206 }
        let answer: BoundedHTTP.Answer
        do {
            answer = try await http.send(request, while: shouldContinue)
        } catch {
            throw MediaLoadError(error, resource.url)
        }
        return try LoadedMedia(
            status: answer.status,
            body: try Self.body(answer, resource),
            url: answer.url,
            for: resource,
            retryAfter: BoundedHTTP.retryAfter { answer.header($0) }
        )
    }

    /// Returns the decoded body of a response.
    private static func body(
        _ answer: BoundedHTTP.Answer,
        _ resource: MediaResource
    ) throws(MediaLoadError) -> [UInt8] {
        guard answer.status == 200 || answer.status == 206 else { return [] }
        do throws(ContentCodingError) {
            guard let coding = try ContentCoding.of(answer.header("Content-Encoding")), !answer.body.isEmpty else {
                return answer.body
            }
            guard answer.status == 200 else { throw .encodedRange }
            return try coding.decode(answer.body, limit: resource.maximumSize)
        } catch {
            throw MediaLoadError(error, resource.url)
        }
    }
}
