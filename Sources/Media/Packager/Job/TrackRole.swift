/// The role of a rendition. The values are those of the DASH role scheme (ISO/IEC 23009-1, 5.8.5.5), which other
/// packagers also use.
public enum TrackRole: String, Hashable, Sendable, CaseIterable {
    /// The main content.
    case main
    /// An alternative to the main content, such as another camera angle.
    case alternate
    /// Commentary about the content.
    case commentary
    /// Audio dubbed into another language.
    case dub
    /// Audio description: a voice describes the visual content.
    case description
    /// Audio whose speech is easier to understand, for listeners with impaired hearing.
    case enhancedAudioIntelligibility = "enhanced-audio-intelligibility"
    /// Captions: subtitles that also describe sounds other than speech.
    case caption
    /// Subtitles: a translation of the dialog.
    case subtitle
    /// Forced subtitles: subtitles for all viewers, such as the translation of a foreign sign.
    case forcedSubtitle = "forced-subtitle"
    /// Subtitles in simplified language.
    case easyReader = "easyreader"
}
