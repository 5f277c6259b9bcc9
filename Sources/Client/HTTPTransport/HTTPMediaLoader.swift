package import HTTPRequests
package import StreamPlayer

/// A loader of media over HTTP and from `file:` URLs. It follows up to five redirects.
package struct HTTPMediaLoader: MediaLoader {
    private let http: any HTTPExchange
    private let timeout: Duration

    /// Creates a loader with a client that follows redirects.
    ///
    /// - Parameters:
    ///   - http: The HTTP client.
    ///   - timeout: The timeout for a whole resource.
    package init(_ http: any HTTPExchange = BoundedHTTP.followingRedirects, timeout: Duration = .seconds(20)) {
        (self.http, self.timeout) = (http, timeout)
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
        var request = BoundedHTTP.Request(resource.url, timeout: timeout, maximumResponseSize: resource.maximumSize)
        request.headers = [.init("User-Agent", "keyway")]
        if let range = resource.rangeField { request.headers.append(.init("Range", range)) }
        request.readsBody = { $0 == 200 || $0 == 206 }
        let answer: BoundedHTTP.Answer
        do {
            answer = try await http.send(request, while: shouldContinue)
        } catch {
            throw MediaLoadError(error, resource.url)
        }
        return try LoadedMedia(status: answer.status, body: answer.body, url: answer.url, for: resource)
    }
}

extension MediaLoadError {
    /// Creates the error for a failed request.
    init(_ failure: BoundedHTTP.Failure, _ url: String) {
        let code: Code =
            switch failure.code {
            case .noConnection, .brokenOff: .noConnection
            case .deadline: .deadline
            case .tooLarge: .tooLarge
            case .badAddress: .badAddress
            case .abandoned: .abandoned
            case .cancelled: .cancelled
            }
        self.init(code, url)
    }
}
