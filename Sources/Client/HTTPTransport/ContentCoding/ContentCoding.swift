/// A content coding of a response (RFC 9110, section 8.4.1).
enum ContentCoding: Sendable, Hashable {
    /// gzip (RFC 1952).
    case gzip
    /// Brotli (RFC 7932): `br`.
    case brotli

    /// The value of Accept-Encoding that requests these codings.
    static let accepted = "gzip, br"

    /// Codings that clients use and that cannot be decoded here.
    private static let unsupported: Set<String> = ["compress", "x-compress", "deflate", "zstd", "dcb", "dcz"]

    /// Returns the coding of a response.
    ///
    /// - Parameter field: The value of the Content-Encoding header field; nil if there is none.
    /// - Returns: Nil if the body is not encoded. Values that are not codings, such as `utf-8` or `aws-chunked`, are
    ///   ignored, as browsers do.
    /// - Throws: ``ContentCodingError/unsupported(_:)`` or ``ContentCodingError/severalCodings``.
    static func of(_ field: String?) throws(ContentCodingError) -> ContentCoding? {
        var coding: ContentCoding?
        for word in (field ?? "").split(separator: ",") {
            let name = word.filter { $0 != " " && $0 != "\t" }.lowercased()
            let next: ContentCoding
            switch name {
            case "gzip", "x-gzip": next = .gzip
            case "br": next = .brotli
            case _ where unsupported.contains(name): throw .unsupported(name)
            default: continue
            }
            // Each further coding would multiply the size that a small response can decode to.
            guard coding == nil else { throw .severalCodings }
            coding = next
        }
        return coding
    }

    /// Returns a decoder of one response, whose output has at most `limit` bytes.
    func decoder(limit: Int) throws(ContentCodingError) -> any ContentDecoder {
        switch self {
        case .gzip: try GzipDecoder(limit: limit)
        case .brotli: try BrotliDecoder(limit: limit)
        }
    }

    /// Decodes a whole body.
    ///
    /// - Parameter limit: The maximum size of the result, in bytes.
    func decode(_ body: [UInt8], limit: Int) throws(ContentCodingError) -> [UInt8] {
        let decoder = try decoder(limit: limit)
        let result = try decoder.decode(body)
        try decoder.finish()
        return result
    }
}

/// A decoder of one response, whose body is passed in parts. The total size of its output is limited, so that a small
/// response cannot fill the memory.
protocol ContentDecoder: AnyObject {
    /// Decodes the next part of the body.
    func decode(_ part: [UInt8]) throws(ContentCodingError) -> [UInt8]
    /// Checks that the body was complete.
    func finish() throws(ContentCodingError)
}

/// An error of a content coding.
enum ContentCodingError: Error, Hashable {
    /// The coding is not supported; the value is its name.
    case unsupported(String)
    /// The body is encoded more than once.
    case severalCodings
    /// The response is a byte range of an encoded body, which cannot be decoded alone.
    case encodedRange
    /// The body is not valid in its coding, or is incomplete; the value is the name of the coding.
    case damaged(String)
    /// The decoded body exceeds the limit.
    case tooLarge
    /// There is not enough memory for the decoder.
    case noMemory
}
