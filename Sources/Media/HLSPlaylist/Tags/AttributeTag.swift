/// A tag whose value is an attribute list. The file of the tag contains its grammar, the reading and the writing.
protocol AttributeTag: Hashable, Sendable {
    /// The name of the tag.
    static var name: TagName { get }
    /// Reads the attributes. The reader reports malformed and missing attributes. Without a required one, the tag is
    /// not used, so any placeholder value is fine.
    init(reading attributes: inout AttributeReader)
    /// Writes the attributes in the order of the draft, and the unknown ones last.
    func write(to attributes: inout AttributeWriter)
}

extension AttributeTag {
    func write(to playlist: inout PlaylistWriter) {
        playlist.tag(Self.name) { write(to: &$0) }
    }
}
