/// A request of a player to its app for a resource that the player cannot load itself: AVAssetResourceLoadingRequest as
/// a value, so that it can be handled by shared code and tested on any platform.
///
/// It requests content information, bytes, or both.
public struct ResourceRequest: Hashable, Sendable {
    /// A request for information about the resource.
    public struct ContentInformation: Hashable, Sendable {
        /// The types that the player accepts; nil or empty if not specified.
        public var allowedContentTypes: [ResourceContentType]?

        /// Creates a request for content information.
        public init(allowedContentTypes: [ResourceContentType]? = nil) {
            self.allowedContentTypes = allowedContentTypes
        }

        /// Returns whether the player accepts a type.
        public func allows(_ type: ResourceContentType) -> Bool {
            guard let allowedContentTypes, !allowedContentTypes.isEmpty else { return true }
            return allowedContentTypes.contains(type)
        }
    }

    /// A requested byte range.
    public struct DataRange: Hashable, Sendable {
        /// The offset of the first byte.
        public var offset: UInt64
        /// The number of bytes; nil means all bytes until the end.
        public var length: UInt64?

        /// Creates a byte range; the default is the whole resource.
        public init(offset: UInt64 = 0, length: UInt64? = nil) { (self.offset, self.length) = (offset, length) }
    }

    /// The address of the resource, with a scheme that the player does not support.
    public var url: String
    /// The requested content information; nil if not requested.
    public var contentInformation: ContentInformation?
    /// The requested bytes; nil if not requested.
    public var data: DataRange?

    /// Creates a request; the default is for the whole resource.
    public init(_ url: String, contentInformation: ContentInformation? = nil, data: DataRange? = DataRange()) {
        (self.url, self.contentInformation, self.data) = (url, contentInformation, data)
    }

    /// True if a persistent key may answer the request. Apple requires this check before answering with one: over
    /// AirPlay, the list contains only ``ResourceContentType/contentKey``. A request without content information does
    /// not allow it, because the response could not specify its type.
    public var allowsPersistentKey: Bool { contentInformation?.allows(.persistentContentKey) ?? false }
}

/// The type of a resource: a uniform type identifier.
public struct ResourceContentType: RawRepresentable, Hashable, Sendable {
    /// The uniform type identifier.
    public let rawValue: String

    /// Creates a type from its identifier.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A CKC.
    public static let contentKey = Self(rawValue: "com.apple.streamingkeydelivery.contentkey")
    /// A persistent key. Clear keys are also returned with this type.
    public static let persistentContentKey = Self(rawValue: "com.apple.streamingkeydelivery.persistentcontentkey")
    /// A playlist.
    public static let playlist = Self(rawValue: "public.m3u-playlist")
}
