/// A tag whose value is an attribute list. Reading and writing stand side by side in the tag's file, below its grammar.
protocol AttributeTag: Hashable, Sendable {
    /// The tag.
    static var name: TagName { get }
    /// Takes the attributes. What is malformed or missing is the reader's to report; what stands in its place does not
    /// matter, since the tag is not used then.
    init(reading attributes: inout AttributeReader)
    /// Gives the attributes, in the order of the draft, the unknown ones last.
    func write(to attributes: inout AttributeWriter)
}

extension AttributeTag {
    func write(to playlist: inout PlaylistWriter) {
        playlist.tag(Self.name) { write(to: &$0) }
    }
}
