/// What EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF have in common (section 4.4.6.2).
///
///     BANDWIDTH             decimal integer          required   peak bits per second
///     AVERAGE-BANDWIDTH     decimal integer          optional   bits per second
///     SCORE                 decimal floating point   optional
///     CODECS                quoted string            optional   RFC 6381 formats between commas
///     SUPPLEMENTAL-CODECS   quoted string            optional   format *( "/" brand ) between commas
///     RESOLUTION            decimal resolution       optional
///     FRAME-RATE            decimal floating point   optional   not for I-frames
///     HDCP-LEVEL            enumerated string        optional   TYPE-0, TYPE-1, NONE
///     ALLOWED-CPC           quoted string            optional   the grammar of ``AllowedCPC``
///     VIDEO-RANGE           enumerated string        optional   SDR, HLG, PQ
///     REQ-VIDEO-LAYOUT      quoted string            optional   specifiers between slashes, entries between commas
///     STABLE-VARIANT-ID     quoted string            optional
///     AUDIO                 quoted string            optional   not for I-frames
///     VIDEO                 quoted string            optional
///     SUBTITLES             quoted string            optional   not for I-frames
///     CLOSED-CAPTIONS       quoted string or NONE    optional   not for I-frames
///     PATHWAY-ID            quoted string            optional
public struct VariantAttributes: Hashable, Sendable {
    /// The peak segment bit rate, in bits per second.
    public var bandwidth: UInt64
    /// The average segment bit rate, in bits per second.
    public var averageBandwidth: UInt64?
    /// How desirable the variant is, compared with the others.
    public var score: Double?
    /// The formats of the samples, as RFC 6381 writes them.
    public var codecs: [String]
    /// Enhancement layers: each a format, and brands after slashes.
    public var supplementalCodecs: [String]
    /// The size at which to show the video.
    public var resolution: Resolution?
    /// The greatest number of frames per second. Only for EXT-X-STREAM-INF.
    public var frameRate: Double?
    /// Which protection the output needs.
    public var hdcpLevel: HDCPLevel?
    /// Which classes of device may play it. A malformed value is kept among ``otherAttributes``.
    public var allowedCPC: AllowedCPC?
    /// The transfer characteristics; nil means SDR.
    public var videoRange: VideoRange?
    /// How the video must be rendered: entries such as `CH-STEREO/PROJ-HEQU`.
    public var requiredVideoLayout: [String]
    /// What identifies the variant across downloads and pathways.
    public var stableVariantID: String?
    /// The group of its video renditions.
    public var video: String?
    /// The pathway of content steering to which it belongs; nil means `.`.
    public var pathwayID: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes attributes; bandwidths are in bits per second.
    public init(
        bandwidth: UInt64,
        averageBandwidth: UInt64? = nil,
        score: Double? = nil,
        codecs: [String] = [],
        supplementalCodecs: [String] = [],
        resolution: Resolution? = nil,
        frameRate: Double? = nil,
        hdcpLevel: HDCPLevel? = nil,
        allowedCPC: AllowedCPC? = nil,
        videoRange: VideoRange? = nil,
        requiredVideoLayout: [String] = [],
        stableVariantID: String? = nil,
        video: String? = nil,
        pathwayID: String? = nil,
        otherAttributes: [Attribute] = []
    ) {
        self.bandwidth = bandwidth
        self.averageBandwidth = averageBandwidth
        self.score = score
        self.codecs = codecs
        self.supplementalCodecs = supplementalCodecs
        self.resolution = resolution
        self.frameRate = frameRate
        self.hdcpLevel = hdcpLevel
        self.allowedCPC = allowedCPC
        self.videoRange = videoRange
        self.requiredVideoLayout = requiredVideoLayout
        self.stableVariantID = stableVariantID
        self.video = video
        self.pathwayID = pathwayID
        self.otherAttributes = otherAttributes
    }

    /// All but the unknown attributes, which are only known when the tag has taken its own.
    init(reading attributes: inout AttributeReader) {
        let malformed: [Attribute]
        bandwidth = attributes.integer("BANDWIDTH", required: true) ?? 0
        averageBandwidth = attributes.integer("AVERAGE-BANDWIDTH")
        score = attributes.decimal("SCORE")
        codecs = attributes.list("CODECS")
        supplementalCodecs = attributes.list("SUPPLEMENTAL-CODECS")
        resolution = attributes.resolution("RESOLUTION")
        hdcpLevel = attributes.enumerated("HDCP-LEVEL", as: HDCPLevel.self)
        let cpc = attributes.quotedString("ALLOWED-CPC")
        let parsed = cpc.flatMap { AllowedCPC($0) }
        allowedCPC = parsed
        malformed = parsed == nil ? cpc.map { [Attribute(name: "ALLOWED-CPC", value: $0, isQuoted: true)] } ?? [] : []
        videoRange = attributes.enumerated("VIDEO-RANGE", as: VideoRange.self, keepsUnknown: true)
        requiredVideoLayout = attributes.list("REQ-VIDEO-LAYOUT")
        stableVariantID = attributes.quotedString("STABLE-VARIANT-ID")
        video = attributes.quotedString("VIDEO")
        pathwayID = attributes.quotedString("PATHWAY-ID")
        otherAttributes = malformed
    }

    /// Those before the groups, in the order of the draft.
    func writeFirst(to attributes: inout AttributeWriter) {
        attributes.integer("BANDWIDTH", bandwidth)
        attributes.integer("AVERAGE-BANDWIDTH", averageBandwidth)
        attributes.decimal("SCORE", score)
        attributes.list("CODECS", codecs)
        attributes.list("SUPPLEMENTAL-CODECS", supplementalCodecs)
        if let resolution { attributes.enumerated("RESOLUTION", resolution.description) }
        attributes.decimal("FRAME-RATE", frameRate)
        attributes.enumerated("HDCP-LEVEL", hdcpLevel)
        attributes.quotedString("ALLOWED-CPC", allowedCPC?.description)
        attributes.enumerated("VIDEO-RANGE", videoRange)
        attributes.list("REQ-VIDEO-LAYOUT", requiredVideoLayout)
        attributes.quotedString("STABLE-VARIANT-ID", stableVariantID)
    }
}

/// EXT-X-STREAM-INF: a variant stream. The URI of its Media Playlist stands on the next line (section 4.4.6.2).
///
///     #EXT-X-STREAM-INF:<attribute-list>
///     <URI>
///
/// The attributes are those of ``VariantAttributes``.
@dynamicMemberLookup
public struct StreamInfTag: Hashable, Sendable {
    /// CLOSED-CAPTIONS.
    public enum ClosedCaptions: Hashable, Sendable {
        /// No variant has closed captions.
        case none
        /// The group of its closed captions.
        case group(String)
    }

    /// What it shares with I-frame variants.
    public var attributes: VariantAttributes
    /// The group of its audio renditions.
    public var audio: String?
    /// The group of its subtitles.
    public var subtitles: String?
    /// Its closed captions; nil when nothing is said of them.
    public var closedCaptions: ClosedCaptions?

    /// Makes a tag.
    public init(
        _ attributes: VariantAttributes,
        audio: String? = nil,
        subtitles: String? = nil,
        closedCaptions: ClosedCaptions? = nil
    ) {
        self.attributes = attributes
        self.audio = audio
        self.subtitles = subtitles
        self.closedCaptions = closedCaptions
    }

    /// What it shares with I-frame variants.
    public subscript<Value>(dynamicMember member: WritableKeyPath<VariantAttributes, Value>) -> Value {
        get { attributes[keyPath: member] }
        set { attributes[keyPath: member] = newValue }
    }
}

extension StreamInfTag: AttributeTag {
    static let name = TagName.streamInf

    init(reading reader: inout AttributeReader) {
        attributes = VariantAttributes(reading: &reader)
        attributes.frameRate = reader.decimal("FRAME-RATE")
        audio = reader.quotedString("AUDIO")
        subtitles = reader.quotedString("SUBTITLES")
        closedCaptions = reader.closedCaptions("CLOSED-CAPTIONS")
        attributes.otherAttributes += reader.remaining()
    }

    func write(to writer: inout AttributeWriter) {
        attributes.writeFirst(to: &writer)
        writer.quotedString("AUDIO", audio)
        writer.quotedString("VIDEO", attributes.video)
        writer.quotedString("SUBTITLES", subtitles)
        switch closedCaptions {
        case .group(let group)?: writer.quotedString("CLOSED-CAPTIONS", group)
        case .some(.none): writer.enumerated("CLOSED-CAPTIONS", "NONE")
        case nil: break
        }
        writer.quotedString("PATHWAY-ID", attributes.pathwayID)
        writer.others(attributes.otherAttributes)
    }
}

/// EXT-X-I-FRAME-STREAM-INF: a Media Playlist of I-frames, for trick play (section 4.4.6.3).
///
///     #EXT-X-I-FRAME-STREAM-INF:<attribute-list>
///
///     URI   quoted string   required
///
/// and the attributes of ``VariantAttributes`` but FRAME-RATE.
@dynamicMemberLookup
public struct IFrameStreamInfTag: Hashable, Sendable {
    /// What it shares with other variants.
    public var attributes: VariantAttributes
    /// The Media Playlist of I-frames.
    public var uri: String

    /// Makes a tag.
    public init(_ attributes: VariantAttributes, uri: String) {
        self.attributes = attributes
        self.uri = uri
    }

    /// What it shares with other variants.
    public subscript<Value>(dynamicMember member: WritableKeyPath<VariantAttributes, Value>) -> Value {
        get { attributes[keyPath: member] }
        set { attributes[keyPath: member] = newValue }
    }
}

extension IFrameStreamInfTag: AttributeTag {
    static let name = TagName.iFrameStreamInf

    init(reading reader: inout AttributeReader) {
        attributes = VariantAttributes(reading: &reader)
        uri = reader.quotedString("URI", required: true) ?? ""
        attributes.otherAttributes += reader.remaining()
    }

    func write(to writer: inout AttributeWriter) {
        attributes.writeFirst(to: &writer)
        writer.quotedString("VIDEO", attributes.video)
        writer.quotedString("PATHWAY-ID", attributes.pathwayID)
        writer.quotedString("URI", uri)
        writer.others(attributes.otherAttributes)
    }
}
