/// EXT-X-PLAYLIST-TYPE: the type of a Media Playlist, which restricts its changes (section 4.4.3.5).
///
///     #EXT-X-PLAYLIST-TYPE:<type>      EVENT or VOD
public struct PlaylistType: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Creates a type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Segments are only added to the end.
    public static let event: PlaylistType = "EVENT"
    /// The playlist does not change.
    public static let vod: PlaylistType = "VOD"

    /// The two types of the draft.
    public static let defined: Set<PlaylistType> = [.event, .vod]

    static func read(_ context: ReadingContext, _ value: Range<Int>) -> PlaylistType {
        let type = PlaylistType(rawValue: context.source.text(value))
        if !defined.contains(type) {
            context.report(
                .malformedTagValue,
                at: value.lowerBound,
                "\(TagName.playlistType.rawValue): the value must be EVENT or VOD"
            )
        }
        return type
    }

    func write(to playlist: inout PlaylistWriter) { playlist.tag(.playlistType, rawValue) }
}
