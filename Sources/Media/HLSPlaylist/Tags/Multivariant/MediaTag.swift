/// EXT-X-MEDIA: a rendition (section 4.4.6.1).
///
///     #EXT-X-MEDIA:<attribute-list>
///
///     TYPE                  enumerated string   required   AUDIO, VIDEO, SUBTITLES, CLOSED-CAPTIONS
///     URI                   quoted string       required for SUBTITLES, forbidden for CLOSED-CAPTIONS
///     GROUP-ID              quoted string       required
///     LANGUAGE              quoted string       optional   RFC 5646
///     ASSOC-LANGUAGE        quoted string       optional   RFC 5646
///     NAME                  quoted string       required
///     STABLE-RENDITION-ID   quoted string       optional
///     DEFAULT               enumerated string   optional   YES or NO
///     AUTOSELECT            enumerated string   optional   YES or NO
///     FORCED                enumerated string   optional   YES or NO, SUBTITLES only
///     INSTREAM-ID           quoted string       required for CLOSED-CAPTIONS
///     BIT-DEPTH             decimal integer     optional   AUDIO only
///     SAMPLE-RATE           decimal integer     optional   AUDIO only, hertz
///     CHARACTERISTICS       quoted string       optional   comma-separated tags
///     CHANNELS              quoted string       optional   AUDIO only; count [ "/" coding [ "/" usage ] ]
public struct MediaTag: Hashable, Sendable {
    /// The media type of a rendition.
    public struct MediaType: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Creates a media type.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Audio.
        public static let audio: MediaType = "AUDIO"
        /// Video.
        public static let video: MediaType = "VIDEO"
        /// Subtitles in separate segments.
        public static let subtitles: MediaType = "SUBTITLES"
        /// Closed captions embedded in the video.
        public static let closedCaptions: MediaType = "CLOSED-CAPTIONS"
        /// The four media types of the draft.
        public static let defined: Set<MediaType> = [.audio, .video, .subtitles, .closedCaptions]
    }

    /// The media type (TYPE).
    public var type: MediaType
    /// The URI of the Media Playlist; nil when the rendition is included in the variant's Media Playlist.
    public var uri: String?
    /// The ID of the rendition group.
    public var groupID: String
    /// The language, an RFC 5646 language tag.
    public var language: String?
    /// A language that is associated with the rendition in another role, for example written instead of spoken.
    public var associatedLanguage: String?
    /// The human-readable name. If the tag that was read has no NAME, the language or the group ID.
    public var name: String
    /// The identifier of the rendition that is stable across reloads and pathways.
    public var stableRenditionID: String?
    /// True if the rendition is played unless the viewer selects another one; nil means false.
    public var isDefault: Bool?
    /// True if a client may select the rendition without a choice of the viewer; nil means false.
    public var autoselects: Bool?
    /// True if the subtitles are essential for understanding the content; nil means false.
    public var isForced: Bool?
    /// The identifier of the rendition within the segments, such as `CC1` or `SERVICE1`.
    public var instreamID: String?
    /// The number of bits per audio sample.
    public var bitDepth: UInt64?
    /// The number of audio samples per second.
    public var sampleRate: UInt64?
    /// The media characteristic tags, such as `public.accessibility.describes-video`.
    public var characteristics: [String]
    /// The text of CHANNELS. See ``channelCount``.
    public var channels: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(
        type: MediaType,
        uri: String? = nil,
        groupID: String,
        language: String? = nil,
        associatedLanguage: String? = nil,
        name: String,
        stableRenditionID: String? = nil,
        isDefault: Bool? = nil,
        autoselects: Bool? = nil,
        isForced: Bool? = nil,
        instreamID: String? = nil,
        bitDepth: UInt64? = nil,
        sampleRate: UInt64? = nil,
        characteristics: [String] = [],
        channels: String? = nil,
        otherAttributes: [Attribute] = []
    ) {
        self.type = type
        self.uri = uri
        self.groupID = groupID
        self.language = language
        self.associatedLanguage = associatedLanguage
        self.name = name
        self.stableRenditionID = stableRenditionID
        self.isDefault = isDefault
        self.autoselects = autoselects
        self.isForced = isForced
        self.instreamID = instreamID
        self.bitDepth = bitDepth
        self.sampleRate = sampleRate
        self.characteristics = characteristics
        self.channels = channels
        self.otherAttributes = otherAttributes
    }

    /// The number of audio channels, the first parameter of CHANNELS; nil when the attribute is absent or malformed.
    public var channelCount: UInt64? {
        channels.flatMap { UInt64($0.prefix { $0 != "/" }) }
    }
}

extension MediaTag: AttributeTag {
    static let name = TagName.media

    init(reading attributes: inout AttributeReader) {
        type = attributes.enumerated("TYPE", as: MediaType.self, required: true) ?? .audio
        uri = attributes.quotedString("URI")
        groupID = attributes.quotedString("GROUP-ID", required: true) ?? ""
        language = attributes.quotedString("LANGUAGE")
        associatedLanguage = attributes.quotedString("ASSOC-LANGUAGE")
        let name = attributes.quotedString("NAME")
        // Players play a rendition without a name.
        if name == nil { attributes.report(missing: "NAME") }
        self.name = name ?? language ?? groupID
        stableRenditionID = attributes.quotedString("STABLE-RENDITION-ID")
        isDefault = attributes.flag("DEFAULT")
        autoselects = attributes.flag("AUTOSELECT")
        isForced = attributes.flag("FORCED")
        instreamID = attributes.quotedString("INSTREAM-ID")
        bitDepth = attributes.integer("BIT-DEPTH")
        sampleRate = attributes.integer("SAMPLE-RATE")
        characteristics = attributes.list("CHARACTERISTICS")
        channels = attributes.quotedString("CHANNELS")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.enumerated("TYPE", type)
        attributes.quotedString("URI", uri)
        attributes.quotedString("GROUP-ID", groupID)
        attributes.quotedString("LANGUAGE", language)
        attributes.quotedString("ASSOC-LANGUAGE", associatedLanguage)
        attributes.quotedString("NAME", name)
        attributes.quotedString("STABLE-RENDITION-ID", stableRenditionID)
        attributes.flag("DEFAULT", isDefault)
        attributes.flag("AUTOSELECT", autoselects)
        attributes.flag("FORCED", isForced)
        attributes.quotedString("INSTREAM-ID", instreamID)
        attributes.integer("BIT-DEPTH", bitDepth)
        attributes.integer("SAMPLE-RATE", sampleRate)
        attributes.quotedString(
            "CHARACTERISTICS",
            characteristics.isEmpty ? nil : characteristics.joined(separator: ",")
        )
        attributes.quotedString("CHANNELS", channels)
        attributes.others(otherAttributes)
    }
}
