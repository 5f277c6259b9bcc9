import HTTPRequests

/// The client for HTTP requests that the server sends for authorization: with limits for time and size, and without
/// redirects.
///
/// A compromised service could use a redirect to send a viewer's token, or the request for verification keys, to
/// another server.
package struct OutgoingHTTP: Sendable {
    /// The client for the whole process, which is never shut down.
    package static let shared = OutgoingHTTP(connectTimeout: .seconds(2))

    private let http: BoundedHTTP

    /// Creates a client that exists as long as the process. Certificates are verified with the system's root
    /// certificates.
    package init(connectTimeout: Duration) {
        let configuration = BoundedHTTP.configuration(connectTimeout: connectTimeout, connectionsPerHost: 64)
        http = BoundedHTTP(BoundedHTTP.processClient(configuration))
    }

    /// Fetches a document.
    func get(
        _ url: OutgoingURL,
        limit: Int,
        timeout: Duration
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        var request = BoundedHTTP.Request(url.text, timeout: timeout, maximumResponseSize: limit)
        request.headers = Self.headers
        return try await http.send(request)
    }

    /// Posts JSON.
    func post(
        _ body: [UInt8],
        signature: String?,
        traceparent: String,
        to url: OutgoingURL,
        limit: Int,
        timeout: Duration
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        var request = BoundedHTTP.Request(url.text, timeout: timeout, maximumResponseSize: limit)
        request.method = "POST"
        request.body = body
        request.headers = Self.headers + [.init("content-type", "application/json"), .init("traceparent", traceparent)]
        if let signature { request.headers.append(.init(WebhookSignature.header, signature)) }
        return try await http.send(request)
    }

    private static let headers: [BoundedHTTP.Header] = [
        .init("accept", "application/json"), .init("user-agent", "keyway-server"),
    ]
}

extension BoundedHTTP.Answer {
    /// The value of all `Cache-Control` header fields.
    var cacheControl: String? {
        let values = headers.filter { $0.name.lowercased() == "cache-control" }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
