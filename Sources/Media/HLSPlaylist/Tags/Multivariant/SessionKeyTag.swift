/// EXT-X-SESSION-KEY: a key of the Media Playlists that a client may preload (section 4.4.6.5).
///
///     #EXT-X-SESSION-KEY:<attribute-list>      the attributes of EXT-X-KEY; METHOD is not NONE
public struct SessionKeyTag: Hashable, Sendable {
    /// The attributes, which are those of EXT-X-KEY.
    public var key: KeyTag

    /// Creates a tag.
    public init(_ key: KeyTag) { self.key = key }
}

extension SessionKeyTag: AttributeTag {
    static let name = TagName.sessionKey

    init(reading attributes: inout AttributeReader) { key = KeyTag(reading: &attributes) }

    func write(to attributes: inout AttributeWriter) { key.write(to: &attributes) }
}
