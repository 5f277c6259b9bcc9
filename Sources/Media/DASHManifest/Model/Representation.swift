import XMLDocuments

/// `Representation`: an encoded version of the content of an AdaptationSet (ISO/IEC 23009-1, 5.3.5).
///
///     Representation               id, mimeType, codecs, bandwidth, width, height, frameRate, audioSamplingRate,
///                                  scte214:supplementalCodecs, scte214:supplementalProfiles
///       AudioChannelConfiguration  (each)   ┐
///       ContentProtection          (each)   │ in this order, which the schema requires
///       Resync                              │
///       BaseURL                             │
///       SegmentBase                         │
///       SegmentTemplate                     ┘
public struct Representation: Hashable, Sendable {
    /// The identifier, which is unique within the Period and has no white space.
    public var id: String
    /// The MIME type; nil means that of the AdaptationSet.
    public var mimeType: String?
    /// The codecs in the syntax of RFC 6381; nil means those of the AdaptationSet.
    public var codecs: String?
    /// The codecs of enhancements that players may ignore, such as `dvh1.08.06` for Dolby Vision (ANSI/SCTE 214-1,
    /// `supplementalCodecs`); nil if there are none.
    public var supplementalCodecs: String?
    /// The brands of these codecs, such as `db4h` (`supplementalProfiles`); nil if there are none.
    public var supplementalProfiles: String?
    /// The bandwidth in bits per second that is sufficient for continuous playback after buffering for
    /// ``MPD/minimumBufferTime``.
    public var bandwidth: UInt64
    /// The display width of video in pixels; nil for other media.
    public var width: UInt32?
    /// The display height of video in pixels; nil for other media.
    public var height: UInt32?
    /// The frame rate of video in frames per second, such as `25` or `30000/1001`; nil for other media.
    public var frameRate: String?
    /// The number of audio samples per second; nil for other media.
    public var audioSamplingRate: UInt32?
    /// The audio channel configurations.
    public var channels: [Descriptor]
    /// The ContentProtection elements in addition to those of the AdaptationSet.
    public var protections: [ContentProtection]
    /// The points within segments at which a client can begin to parse them; nil when there are none.
    public var resync: Resync?
    /// The base URL of the segments, or the URL of the only file; nil means the URL of the manifest.
    public var baseURL: String?
    /// The segment base of a single file; nil for several files.
    public var base: SegmentBase?
    /// The segment template; nil means that of the AdaptationSet.
    public var template: SegmentTemplate?

    /// Creates a Representation.
    public init(id: String, bandwidth: UInt64, codecs: String? = nil) {
        self.id = id
        self.bandwidth = bandwidth
        self.codecs = codecs
        channels = []
        protections = []
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        guard let bandwidth = try element.number("bandwidth", as: UInt64.self) else {
            throw ManifestError(
                .missingAttribute,
                "line \(element.line)",
                "Representation has no bandwidth attribute: add it"
            )
        }
        self.init(id: try element.required("id"), bandwidth: bandwidth, codecs: element.attributes["codecs"])
        mimeType = element.attributes["mimeType"]
        supplementalCodecs = element.attribute("supplementalCodecs")
        supplementalProfiles = element.attribute("supplementalProfiles")
        width = try element.number("width")
        height = try element.number("height")
        frameRate = element.attributes["frameRate"]
        // The attribute may also have two numbers, the minimum and the maximum, which are ignored.
        audioSamplingRate = element.attributes["audioSamplingRate"].flatMap { UInt32($0) }
        channels = try Descriptor.all("AudioChannelConfiguration", in: element)
        for child in element.children("ContentProtection") { protections.append(try ContentProtection(reading: child)) }
        resync = try element.child("Resync").map { child throws(ManifestError) in try Resync(reading: child) }
        baseURL = element.child("BaseURL")?.trimmedText
        base = try element.child("SegmentBase").map { child throws(ManifestError) in try SegmentBase(reading: child) }
        if let child = element.child("SegmentTemplate") { template = try SegmentTemplate(reading: child) }
    }

    func write(to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [
            ("id", id), ("mimeType", mimeType), ("codecs", codecs), ("bandwidth", "\(bandwidth)"),
            ("width", width.map { "\($0)" }), ("height", height.map { "\($0)" }), ("frameRate", frameRate),
            ("audioSamplingRate", audioSamplingRate.map { "\($0)" }),
            ("scte214:supplementalCodecs", supplementalCodecs), ("scte214:supplementalProfiles", supplementalProfiles),
        ]
        writer.element("Representation", attributes) { writer in
            for descriptor in channels { descriptor.write(as: "AudioChannelConfiguration", to: &writer) }
            for protection in protections { protection.write(to: &writer) }
            resync?.write(to: &writer)
            if let baseURL { writer.element("BaseURL", text: baseURL) }
            base?.write(to: &writer)
            template?.write(to: &writer)
        }
    }
}
