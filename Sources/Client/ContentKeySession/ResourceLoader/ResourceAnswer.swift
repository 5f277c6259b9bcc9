/// The answer to a ``ResourceRequest``. It prints its type and sizes, never its bytes, which may be a key.
///
/// | Asked for | Answered |
/// |---|---|
/// | what it is, of any type | the first of its types |
/// | what it is, of some types | the first of its types that is among them; if none is, ``ResourceError/Code/typeNotAllowed`` |
/// | bytes | those that there are of the range |
/// | bytes behind the end | ``ResourceError/Code/wrongRange`` |
/// | nothing | nothing |
public struct ResourceAnswer: Equatable, Sendable {
    /// What a resource says of itself.
    public struct ContentInformation: Hashable, Sendable {
        /// Its type.
        public let contentType: ResourceContentType
        /// The size of the whole, in bytes.
        public let contentLength: UInt64
        /// Whether any part of it may be asked for.
        public var isByteRangeAccessSupported: Bool { true }
    }

    /// What the resource is; nil unless that was asked.
    public let contentInformation: ContentInformation?
    /// The bytes that were asked for; nil if none were.
    public let data: RedactedBytes?

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - bytes: The whole resource.
    ///   - types: The types that it may go as, the best first.
    /// - Throws: ``ResourceError``, by the table.
    public init(
        _ bytes: [UInt8],
        as types: [ResourceContentType],
        for request: ResourceRequest
    ) throws(ResourceError) {
        if let asked = request.contentInformation {
            let allowed = asked.allowedContentTypes
            guard let type = types.first(where: { allowed?.contains($0) ?? true }) else {
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

extension ResourceAnswer: CustomStringConvertible, CustomReflectable {
    /// Type and sizes.
    public var description: String {
        let information = contentInformation.map { "\($0.contentType.rawValue), \($0.contentLength) bytes in all" }
        let size = data.map { "\($0.bytes.count) bytes" }
        return [information, size].compactMap(\.self).joined(separator: ": ")
    }
    /// Only what the description says.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
