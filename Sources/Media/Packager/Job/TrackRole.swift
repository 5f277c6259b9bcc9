/// What a rendition is for. The words are those of DASH's role scheme (ISO/IEC 23009-1, 5.8.5.5), which other packagers
/// take as well.
public enum TrackRole: String, Hashable, Sendable, CaseIterable {
    /// What most people watch and hear.
    case main
    /// Something else instead, such as another camera.
    case alternate
    /// Somebody talks about the content.
    case commentary
    /// The language is not the one of the recording.
    case dub
    /// A voice describes what is to be seen.
    case description
    /// Subtitles that say what is to be heard beside speech, too.
    case caption
    /// A translation of what is said.
    case subtitle
    /// Subtitles that everybody needs, such as those of a foreign sign.
    case forcedSubtitle = "forced-subtitle"
    /// Subtitles in simple words.
    case easyReader = "easyreader"
}
