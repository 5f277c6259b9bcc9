/// The attributes that both EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF have (section 4.4.6.2).
///
///     BANDWIDTH             decimal integer          required   peak bits per second
///     AVERAGE-BANDWIDTH     decimal integer          optional   bits per second
///     SCORE                 decimal floating point   optional
///     CODECS                quoted string            optional   comma-separated RFC 6381 formats
///     SUPPLEMENTAL-CODECS   quoted string            optional   comma-separated format *( "/" brand )
///     RESOLUTION            decimal resolution       optional
///     FRAME-RATE            decimal floating point   optional   not for I-frames
///     HDCP-LEVEL            enumerated string        optional   TYPE-0, TYPE-1, NONE
///     ALLOWED-CPC           quoted string            optional   the grammar of ``AllowedCPC``
///     VIDEO-RANGE           enumerated string        optional   SDR, HLG, PQ
///     REQ-VIDEO-LAYOUT      quoted string            optional   comma-separated entries of slash-separated specifiers
///     STABLE-VARIANT-ID     quoted string            optional
///     AUDIO                 quoted string            optional   not for I-frames
///     VIDEO                 quoted string            optional
///     SUBTITLES             quoted string            optional   not for I-frames
///     CLOSED-CAPTIONS       quoted string or NONE    optional   not for I-frames
///     PATHWAY-ID            quoted string            optional
public struct VariantAttributes: Hashable, Sendable {
    /// The peak segment bit rate, in bits per second. If the tag that was read has no valid BANDWIDTH, the average bit
    /// rate; 0 without either.
    public var bandwidth: UInt64
    /// The average segment bit rate, in bits per second.
    public var averageBandwidth: UInt64?
    /// The preference for the variant relative to the others; a higher score is preferred.
    public var score: Double?
    /// The formats of the samples in the syntax of RFC 6381.
    public var codecs: [String]
    /// The formats of enhancement layers, each followed by its compatibility brands after slashes.
    public var supplementalCodecs: [String]
    /// The optimal size at which to display the video.
    public var resolution: Resolution?
    /// The maximum frame rate in frames per second. Only for EXT-X-STREAM-INF.
    public var frameRate: Double?
    /// The output protection that the variant requires.
    public var hdcpLevel: HDCPLevel?
    /// The classes of devices that may play the variant. A malformed value is preserved in ``otherAttributes``.
    public var allowedCPC: AllowedCPC?
    /// The transfer characteristics; nil means SDR.
    public var videoRange: VideoRange?
    /// The rendering that the video requires: entries such as `CH-STEREO/PROJ-HEQU`.
    public var requiredVideoLayout: [String]
    /// The identifier of the variant that is stable across reloads and pathways.
    public var stableVariantID: String?
    /// The group ID of the video renditions.
    public var video: String?
    /// The content steering pathway of the variant; nil means `.`.
    public var pathwayID: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates attributes; bandwidths are in bits per second.
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

    /// Reads all attributes except the unknown ones, which are known only after the tag has read its own attributes.
    init(reading attributes: inout AttributeReader) {
        let malformed: [Attribute]
        let peak = attributes.integer("BANDWIDTH")
        let average = attributes.integer("AVERAGE-BANDWIDTH")
        // Players play a variant whose bit rate is unknown.
        if peak == nil, !attributes.hasProblem { attributes.report(missing: "BANDWIDTH") }
        bandwidth = peak ?? average ?? 0
        averageBandwidth = average
        score = attributes.decimal("SCORE")
        codecs = attributes.list("CODECS")
        supplementalCodecs = attributes.list("SUPPLEMENTAL-CODECS")
        resolution = attributes.resolution("RESOLUTION")
        hdcpLevel = attributes.enumerated("HDCP-LEVEL", as: HDCPLevel.self)
        let cpc = attributes.quotedString("ALLOWED-CPC")
        let parsed = cpc.flatMap { AllowedCPC($0) }
        allowedCPC = parsed
        malformed = parsed == nil ? cpc.map { [Attribute(name: "ALLOWED-CPC", value: $0, isQuoted: true)] } ?? [] : []
        videoRange = attributes.enumerated("VIDEO-RANGE", as: VideoRange.self)
        requiredVideoLayout = attributes.list("REQ-VIDEO-LAYOUT")
        stableVariantID = attributes.quotedString("STABLE-VARIANT-ID")
        video = attributes.quotedString("VIDEO")
        pathwayID = attributes.quotedString("PATHWAY-ID")
        otherAttributes = malformed
    }

    /// Writes the attributes before the rendition groups, in the order of the draft.
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

/// EXT-X-STREAM-INF: a variant. The URI of its Media Playlist is on the next line (section 4.4.6.2).
///
///     #EXT-X-STREAM-INF:<attribute-list>
///     <URI>
///
/// The attributes are those of ``VariantAttributes``.
@dynamicMemberLookup
public struct StreamInfTag: Hashable, Sendable {
    /// The value of CLOSED-CAPTIONS.
    public enum ClosedCaptions: Hashable, Sendable {
        /// The keyword NONE: no variant has closed captions.
        case none
        /// The group ID of the closed captions.
        case group(String)
    }

    /// The attributes that I-frame variants have too.
    public var attributes: VariantAttributes
    /// The group ID of the audio renditions.
    public var audio: String?
    /// The group ID of the subtitles.
    public var subtitles: String?
    /// The closed captions; nil when the attribute is absent.
    public var closedCaptions: ClosedCaptions?

    /// Creates a tag.
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

    /// Accesses the attributes that I-frame variants have too.
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

/// EXT-X-I-FRAME-STREAM-INF: an I-frame playlist for trick play (section 4.4.6.3).
///
///     #EXT-X-I-FRAME-STREAM-INF:<attribute-list>
///
///     URI   quoted string   required
///
/// and the attributes of ``VariantAttributes`` except FRAME-RATE.
@dynamicMemberLookup
public struct IFrameStreamInfTag: Hashable, Sendable {
    /// The attributes that other variants have too.
    public var attributes: VariantAttributes
    /// The URI of the I-frame playlist.
    public var uri: String

    /// Creates a tag.
    public init(_ attributes: VariantAttributes, uri: String) {
        self.attributes = attributes
        self.uri = uri
    }

    /// Accesses the attributes that other variants have too.
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
