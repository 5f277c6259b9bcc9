import TextCoding

/// The response to a ``ResourceRequest``. Its description contains the type and sizes, never the bytes, which may be a
/// key.
///
/// | Request | Response |
/// |---|---|
/// | content information, no list of types, or an empty one | the first of the resource's types |
/// | content information, some types allowed | its first allowed type; if none, ``ResourceError/Code/typeNotAllowed`` |
/// | bytes | the available bytes of the range |
/// | bytes after the end | ``ResourceError/Code/wrongRange`` |
/// | nothing | nothing |
public struct ResourceResponse: Equatable, Sendable {
    /// Information about a resource.
    public struct ContentInformation: Hashable, Sendable {
        /// The type of the resource.
        public let contentType: ResourceContentType
        /// The size of the whole resource, in bytes.
        public let contentLength: UInt64
        /// True if byte ranges can be requested: always true.
        public var isByteRangeAccessSupported: Bool { true }
    }

    /// The information about the resource; nil unless it was requested.
    public let contentInformation: ContentInformation?
    /// The requested bytes; nil unless bytes were requested.
    public let data: RedactedBytes?

    /// Creates the response to a request.
    ///
    /// - Parameters:
    ///   - bytes: The whole resource.
    ///   - types: The types that the resource can have, in order of preference.
    ///   - request: The request.
    /// - Throws: ``ResourceError`` as specified by the table.
    public init(
        _ bytes: [UInt8],
        as types: [ResourceContentType],
        for request: ResourceRequest
    ) throws(ResourceError) {
        if let asked = request.contentInformation {
            guard let type = types.first(where: asked.allows) else {
                throw ResourceError(.typeNotAllowed, request.url)
            }
            contentInformation = ContentInformation(contentType: type, contentLength: UInt64(bytes.count))
        } else {
            contentInformation = nil
        }
        guard let range = request.data else {
            data = nil
            return
        }
        guard let start = Int(exactly: range.offset), start <= bytes.count else {
            throw ResourceError(.wrongRange, request.url)
        }
        let length = range.length.map { Int(clamping: $0) } ?? bytes.count
        data = RedactedBytes(Array(bytes[start...].prefix(length)))
    }
}

extension ResourceResponse: CustomStringConvertible, CustomReflectable {
    /// The type and sizes.
    public var description: String {
        let information = contentInformation.map {
            "\($0.contentType.rawValue), \(counted($0.contentLength, "byte")) in total"
        }
        let size = data.map { counted($0.bytes.count, "byte") }
        return [information, size].compactMap(\.self).joined(separator: ": ")
    }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
