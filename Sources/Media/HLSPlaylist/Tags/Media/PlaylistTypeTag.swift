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
        guard !defined.contains(type) else { return type }
        let trimmed = context.source.withoutBlanks(value)
        let text = context.source.text(trimmed)
        // hls.js ignores the case of the letters.
        let known = defined.first { $0.rawValue == text.uppercased() }
        if let known, known.rawValue == text {
            context.reportBlanks(of: .playlistType, value, trimmed)
        } else {
            context.report(
                .malformedTagValue,
                at: trimmed.lowerBound,
                "\(TagName.playlistType.rawValue): the value must be EVENT or VOD"
            )
        }
        return known ?? type
    }

    func write(to playlist: inout PlaylistWriter) { playlist.tag(.playlistType, rawValue) }
}
