/// EXT-X-PLAYLIST-TYPE: how a Media Playlist may change (section 4.4.3.5).
///
///     #EXT-X-PLAYLIST-TYPE:<type>      EVENT or VOD
public struct PlaylistType: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Makes a type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Segments are only added at the end.
    public static let event: PlaylistType = "EVENT"
    /// The playlist does not change.
    public static let vod: PlaylistType = "VOD"

    /// The two of the draft.
    public static let defined: Set<PlaylistType> = [.event, .vod]

    static func read(_ context: ReadingContext, _ value: Range<Int>) -> PlaylistType {
        let type = PlaylistType(rawValue: context.source.text(value))
        if !defined.contains(type) {
            context.report(
                .malformedTagValue,
                at: value.lowerBound,
                "\(TagName.playlistType.rawValue): neither EVENT nor VOD"
            )
        }
        return type
    }

    func write(to playlist: inout PlaylistWriter) { playlist.tag(.playlistType, rawValue) }
}
