// The handling of ranges and statuses that all HTTP loaders share.

extension MediaResource {
    /// The value of the Range header field (RFC 9110, section 14.2); nil if the whole resource is requested.
    public var rangeField: String? {
        range.flatMap { $0.isEmpty ? nil : "bytes=\($0.lowerBound)-\($0.upperBound - 1)" }
    }
}

extension LoadedMedia {
    /// Extracts the requested bytes from an HTTP response. A server that does not support ranges responds with 200 and
    /// the whole resource, from which the range is extracted.
    ///
    /// - Parameters:
    ///   - status: The status code of the response.
    ///   - body: The whole body of the response.
    ///   - url: The URL of the response, after redirects.
    ///   - resource: The requested resource; ``MediaResource/rangeField`` was sent with the request.
    ///   - retryAfter: The delay of the Retry-After field, if there is one.
    /// - Throws: ``MediaLoadError`` `not-found`, `status`, `too-large`, or `wrong-range` if other bytes were returned.
    public init(
        status: Int,
        body: [UInt8],
        url: String,
        for resource: MediaResource,
        retryAfter: Duration? = nil
    ) throws(MediaLoadError) {
        switch status {
        case 200, 206: break
        case 404, 410: throw MediaLoadError(.notFound, resource.url, status: status, retryAfter: retryAfter)
        default: throw MediaLoadError(.status, resource.url, status: status, retryAfter: retryAfter)
        }
        guard body.count <= resource.maximumSize else { throw MediaLoadError(.tooLarge, resource.url) }
        guard let range = resource.range else {
            guard status == 200 else { throw MediaLoadError(.wrongRange, resource.url, status: status) }
            self.init(bytes: body, url: url)
            return
        }
        var bytes = body
        if status == 200 {
            guard range.upperBound <= UInt64(body.count) else {
                throw MediaLoadError(.wrongRange, resource.url, status: status)
            }
            bytes = Array(body[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        guard !range.isEmpty, UInt64(bytes.count) == range.upperBound - range.lowerBound else {
            throw MediaLoadError(.wrongRange, resource.url, status: status)
        }
        self.init(bytes: bytes, url: url)
    }
}
