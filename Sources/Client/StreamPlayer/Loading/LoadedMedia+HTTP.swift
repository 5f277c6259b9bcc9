// What every loader over HTTP does with a range and with an answer's status, written once.

extension MediaResource {
    /// The value of the Range header field (RFC 9110, section 14.2); nil when all bytes are wanted.
    public var rangeField: String? {
        range.flatMap { $0.isEmpty ? nil : "bytes=\($0.lowerBound)-\($0.upperBound - 1)" }
    }
}

extension LoadedMedia {
    /// Takes what was asked for from an HTTP answer. A server without ranges answers 200 with everything, of which the
    /// range is taken.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - body: The whole body of the answer.
    ///   - url: The URL that answered, after redirects.
    ///   - resource: What was asked for; ``MediaResource/rangeField`` was sent with it.
    /// - Throws: ``MediaLoadError`` `not-found`, `status`, `too-large`, or `wrong-range` when other bytes came.
    public init(status: Int, body: [UInt8], url: String, for resource: MediaResource) throws(MediaLoadError) {
        switch status {
        case 200, 206: break
        case 404, 410: throw MediaLoadError(.notFound, resource.url, status: status)
        default: throw MediaLoadError(.status, resource.url, status: status)
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
