/// What a player asks its app for because it cannot load it by itself: AVAssetResourceLoadingRequest as a value, so that
/// the answering can be written once and tested anywhere.
///
/// It may ask what the resource is, for bytes of it, or for both.
public struct ResourceRequest: Hashable, Sendable {
    /// What the resource is asked to say of itself.
    public struct ContentInformation: Hashable, Sendable {
        /// The types that the player takes; nil: it does not say.
        public var allowedContentTypes: [ResourceContentType]?

        /// Asks what the resource is.
        public init(allowedContentTypes: [ResourceContentType]? = nil) {
            self.allowedContentTypes = allowedContentTypes
        }
    }

    /// The bytes that are asked for.
    public struct DataRange: Hashable, Sendable {
        /// The first one.
        public var offset: UInt64
        /// How many; nil: all to the resource's end.
        public var length: UInt64?

        /// Asks for bytes; for all of them unless said otherwise.
        public init(offset: UInt64 = 0, length: UInt64? = nil) { (self.offset, self.length) = (offset, length) }
    }

    /// The address of the resource, of a scheme that the player does not know.
    public var url: String
    /// What is asked of the resource; nil: nothing.
    public var contentInformation: ContentInformation?
    /// The bytes that are asked for; nil: none.
    public var data: DataRange?

    /// Makes a request; for the whole resource unless said otherwise.
    public init(_ url: String, contentInformation: ContentInformation? = nil, data: DataRange? = DataRange()) {
        (self.url, self.contentInformation, self.data) = (url, contentInformation, data)
    }

    /// Whether a key that was stored may answer it. Apple's rule is to look before answering with one: over AirPlay the
    /// list has only ``ResourceContentType/contentKey``. A request without a list does not allow it.
    public var allowsPersistentKey: Bool {
        contentInformation?.allowedContentTypes?.contains(.persistentContentKey) ?? false
    }
}

/// The type of a resource: a uniform type identifier.
public struct ResourceContentType: RawRepresentable, Hashable, Sendable {
    /// The identifier.
    public let rawValue: String

    /// Makes a type of its identifier.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A CKC.
    public static let contentKey = Self(rawValue: "com.apple.streamingkeydelivery.contentkey")
    /// A key that was stored. Keys in the clear go as this, too.
    public static let persistentContentKey = Self(rawValue: "com.apple.streamingkeydelivery.persistentcontentkey")
    /// A playlist.
    public static let playlist = Self(rawValue: "public.m3u-playlist")
}
