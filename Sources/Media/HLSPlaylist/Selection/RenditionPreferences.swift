import TextCoding

/// The preferences of the user for renditions.
public struct RenditionPreferences: Hashable, Sendable {
    /// The conditions for showing subtitles.
    public enum Subtitles: String, Sendable, CaseIterable {
        /// Only subtitles that are essential for understanding the content are shown (FORCED=YES).
        case off
        /// Subtitles are shown if one of them is the default, or if the language of the audio is not a preferred
        /// language; otherwise the same as ``off``.
        case automatic
        /// Subtitles are always shown.
        case on
    }

    /// The preferred languages of the system or the user as RFC 5646 language tags, the most preferred first.
    public var languages: [String]
    /// The preferred languages of subtitles; nil means ``languages``.
    public var subtitleLanguages: [String]?
    /// True if the user made the choice for this particular content. Otherwise, only renditions with AUTOSELECT=YES or
    /// DEFAULT=YES are selected (section 4.4.6.1), if a group has any.
    public var isUserChoice: Bool
    /// The preferred CHARACTERISTICS, such as `public.accessibility.describes-video`.
    public var characteristics: Set<String>
    /// The condition for showing subtitles.
    public var subtitles: Subtitles

    /// Creates preferences. The defaults are no preferences, and ``Subtitles/automatic``.
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

/// A selected rendition.
public struct SelectedRendition: Hashable, Sendable {
    /// The rendition.
    public let rendition: MediaTag
    /// The reasons for the selection.
    public let reasons: [Reason]

    /// A reason for the selection of a rendition.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// The rendition matches the associated language of the preferences.
        case language(String)
        /// The rendition has the associated preferred characteristics.
        case characteristics([String])
        /// The rendition has DEFAULT=YES.
        case isDefault
        /// The rendition is essential for understanding the content (FORCED=YES).
        case forced
        /// The rendition is the first of its group, and no other reason applies.
        case first

        /// The description of the reason.
        public var description: String {
            switch self {
            case .language(let range): "it matches the preferred language \(LintText.quoted([range]))"
            case .characteristics(let tags): "it has the preferred characteristics \(LintText.quoted(tags))"
            case .isDefault: "it is the default"
            case .forced: "it is essential for understanding the content"
            case .first: "it is the first of its group"
            }
        }
    }
}

/// A rendition in a group of the selected variant that was not selected.
public struct RejectedRendition: Hashable, Sendable {
    /// The rendition.
    public let rendition: MediaTag
    /// The reason for the rejection.
    public let reason: Reason

    /// A reason for the rejection of a rendition.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// The rendition has more channels than the player supports.
        case tooManyChannels(UInt64, maximum: UInt64)
        /// The player does not support any of the text formats in CODECS.
        case formatsUnsupported([Codec])
        /// The rendition has neither AUTOSELECT=YES nor DEFAULT=YES, and the user did not choose it.
        case notAutoselected
        /// Another language is preferred. The associated value is the language of the rendition, if it has one.
        case otherLanguage(String?)
        /// The rendition lacks preferred characteristics that the selected one has.
        case fewerCharacteristics
        /// CHANNELS has parameters that the draft does not define (section 6.3.1).
        case unrecognizedChannels(String)
        /// Another rendition is the default.
        case notDefault
        /// The rendition has characteristics that are not preferred, such as audio description.
        case otherCharacteristics([String])
        /// The selected rendition has more channels.
        case fewerChannels
        /// The preferences do not require these subtitles or closed captions.
        case notRequired
        /// The rendition contains only forced subtitles, and full subtitles are shown.
        case forced
        /// An equivalent rendition precedes this one.
        case order

        /// The description of the reason.
        public var description: String {
            switch self {
            case .tooManyChannels(let count, let maximum):
                "it has \(counted(count, "channel")), but the player supports only \(maximum)"
            case .formatsUnsupported(let codecs): "the player does not support \(LintText.quoted(codecs.map(\.text)))"
            case .notAutoselected: "it is only played if the user selects it"
            case .otherLanguage(let language):
                language.map { "another language than \(LintText.quoted([$0])) is preferred" } ?? "it has no language"
            case .fewerCharacteristics: "it lacks preferred characteristics"
            case .unrecognizedChannels(let channels):
                "CHANNELS \(LintText.quoted([channels])) has unknown parameters"
            case .notDefault: "another rendition is the default"
            case .otherCharacteristics(let tags):
                "the characteristics \(LintText.quoted(tags)) are not preferred"
            case .fewerChannels: "the selected rendition has more channels"
            case .notRequired: "the preferences do not require it"
            case .forced: "it contains only forced subtitles, and full subtitles are shown"
            case .order: "an equivalent rendition precedes it"
            }
        }
    }
}
