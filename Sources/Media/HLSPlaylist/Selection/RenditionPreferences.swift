/// Which renditions are wanted.
public struct RenditionPreferences: Hashable, Sendable {
    /// When subtitles are shown.
    public enum Subtitles: String, Sendable, CaseIterable {
        /// Never, but for those that are needed to follow the content: FORCED=YES.
        case off
        /// When the playlist has a default among them, or the audio is in none of the languages that are wanted;
        /// otherwise as with ``off``.
        case automatic
        /// Always.
        case on
    }

    /// The languages, the most wanted first, as RFC 5646 writes them: what the system or the user has set.
    public var languages: [String]
    /// The languages of subtitles, if they are others than ``languages``.
    public var subtitleLanguages: [String]?
    /// Whether the user chose for this very content. If not, only renditions with AUTOSELECT=YES or DEFAULT=YES are
    /// chosen (section 4.4.6.1), as long as a group has any.
    public var isUserChoice: Bool
    /// The CHARACTERISTICS that are wanted, such as `public.accessibility.describes-video`.
    public var characteristics: Set<String>
    /// When subtitles are shown.
    public var subtitles: Subtitles

    /// Makes preferences: none, and subtitles as the playlist wants them.
    public init(
        languages: [String] = [],
        subtitleLanguages: [String]? = nil,
        isUserChoice: Bool = false,
        characteristics: Set<String> = [],
        subtitles: Subtitles = .automatic
    ) {
        self.languages = languages
        self.subtitleLanguages = subtitleLanguages
        self.isUserChoice = isUserChoice
        self.characteristics = characteristics
        self.subtitles = subtitles
    }
}

/// A rendition that was chosen.
public struct SelectedRendition: Hashable, Sendable {
    /// The rendition.
    public let rendition: MediaTag
    /// What speaks for it.
    public let reasons: [Reason]

    /// What speaks for a rendition.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// It has the language that is wanted: this one of the preferences.
        case language(String)
        /// It has these of the characteristics that are wanted.
        case characteristics([String])
        /// The playlist says DEFAULT=YES.
        case isDefault
        /// It is needed to follow the content: FORCED=YES.
        case forced
        /// Nothing sets it apart but its place.
        case first

        /// The reason in words.
        public var description: String {
            switch self {
            case .language(let range): "its language is wanted: \(LintText.quoted([range]))"
            case .characteristics(let tags): "it has the characteristics \(LintText.quoted(tags))"
            case .isDefault: "it is the default"
            case .forced: "it is needed to follow the content"
            case .first: "it is the first of its group"
            }
        }
    }
}

/// A rendition of a group of the chosen variant that was not chosen.
public struct RejectedRendition: Hashable, Sendable {
    /// The rendition.
    public let rendition: MediaTag
    /// Why.
    public let reason: Reason

    /// Why a rendition was not chosen.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// It has more channels than the player can play.
        case tooManyChannels(UInt64, maximum: UInt64)
        /// The player shows none of the text formats in CODECS.
        case formatsUnsupported([Codec])
        /// Neither AUTOSELECT nor DEFAULT is YES, and the user did not choose.
        case notAutoselected
        /// Another language comes first in the preferences; nil when it has none.
        case otherLanguage(String?)
        /// It lacks characteristics that are wanted and that the chosen one has.
        case fewerCharacteristics
        /// CHANNELS has parameters that the draft does not define (section 6.3.1).
        case unrecognizedChannels(String)
        /// Another one is the default.
        case notDefault
        /// It has characteristics that nobody asked for, such as a description of the video.
        case unwantedCharacteristics([String])
        /// The chosen one has more channels.
        case fewerChannels
        /// Subtitles or captions are not wanted now.
        case notWanted
        /// It only has what is needed to follow the content, and all subtitles are shown.
        case forced
        /// An equal one stands before it.
        case order

        /// The reason in words.
        public var description: String {
            switch self {
            case .tooManyChannels(let count, let maximum): "it has \(count) channels, and the player \(maximum)"
            case .formatsUnsupported(let codecs): "the player does not show \(LintText.quoted(codecs.map(\.text)))"
            case .notAutoselected: "it is only played when the user chooses it"
            case .otherLanguage(let language):
                language.map { "another language than \(LintText.quoted([$0])) is wanted" } ?? "it has no language"
            case .fewerCharacteristics: "it lacks characteristics that are wanted"
            case .unrecognizedChannels(let channels): "CHANNELS \(LintText.quoted([channels])) is not understood"
            case .notDefault: "another one is the default"
            case .unwantedCharacteristics(let tags): "nobody asked for \(LintText.quoted(tags))"
            case .fewerChannels: "the chosen one has more channels"
            case .notWanted: "it is not wanted now"
            case .forced: "it has only what is needed to follow the content"
            case .order: "an equal one stands before it"
            }
        }
    }
}
