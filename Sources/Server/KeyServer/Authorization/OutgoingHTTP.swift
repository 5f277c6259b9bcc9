import HTTPRequests

/// Requests that the server makes for authorization: bounded in time and size, redirects not followed.
///
/// A redirect would send a viewer's token, or the request for verification keys, wherever a broken or captured service
/// says.
package struct OutgoingHTTP: Sendable {
    /// Sends every such request of the process, and is never shut down.
    package static let shared = OutgoingHTTP(connectTimeout: .seconds(2))

    private let http: BoundedHTTP

    /// Makes a client that lives as long as the process. Certificates are checked against the system's roots.
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
        var request = BoundedHTTP.Request(url.text, timeout: timeout, maximumAnswer: limit)
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
        var request = BoundedHTTP.Request(url.text, timeout: timeout, maximumAnswer: limit)
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
    /// Cache-Control, from all fields of that name.
    var cacheControl: String? {
        let values = headers.filter { $0.name.lowercased() == "cache-control" }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
