import XMLDocuments

/// `Representation`: media that can be played (ISO/IEC 23009-1, 5.3.5).
///
///     Representation               id, mimeType, codecs, bandwidth, width, height, frameRate, audioSamplingRate
///       AudioChannelConfiguration  (each)   ┐
///       ContentProtection          (each)   │ in this order, which the schema asks for
///       BaseURL                             │
///       SegmentBase                         │
///       SegmentTemplate                     ┘
public struct Representation: Hashable, Sendable {
    /// Its name, which is the only one of its kind in the period and has no white space.
    public var id: String
    /// Its type; nil: that of the set.
    public var mimeType: String?
    /// As RFC 6381 has them; nil: those of the set.
    public var codecs: String?
    /// Bits per second that have to come in for playback not to stop after ``MPD/minimumBufferTime``.
    public var bandwidth: UInt64
    /// The width on display in pixels; nil unless it is video.
    public var width: UInt32?
    /// The height on display in pixels; nil unless it is video.
    public var height: UInt32?
    /// Frames per second, such as `25` or `30000/1001`; nil unless it is video.
    public var frameRate: String?
    /// Samples per second of audio; nil otherwise.
    public var audioSamplingRate: UInt32?
    /// The channels of audio.
    public var channels: [Descriptor]
    /// How it is encrypted, beside what its set says.
    public var protections: [ContentProtection]
    /// What its addresses are relative to, or its only file; nil: the manifest's.
    public var baseURL: String?
    /// Its single file; nil when it has several.
    public var base: SegmentBase?
    /// What its segments are called; nil: as its set says.
    public var template: SegmentTemplate?

    /// Makes a representation.
    public init(id: String, bandwidth: UInt64, codecs: String? = nil) {
        self.id = id
        self.bandwidth = bandwidth
        self.codecs = codecs
        channels = []
        protections = []
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        guard let bandwidth = try element.number("bandwidth", as: UInt64.self) else {
            throw ManifestError(.missingAttribute, "line \(element.line)", "Representation has no bandwidth")
        }
        self.init(id: try element.required("id"), bandwidth: bandwidth, codecs: element.attributes["codecs"])
        mimeType = element.attributes["mimeType"]
        width = try element.number("width")
        height = try element.number("height")
        frameRate = element.attributes["frameRate"]
        // Two numbers are the least and the most.
        audioSamplingRate = element.attributes["audioSamplingRate"].flatMap { UInt32($0) }
        channels = try Descriptor.all("AudioChannelConfiguration", in: element)
        for child in element.children("ContentProtection") { protections.append(try ContentProtection(reading: child)) }
        baseURL = element.child("BaseURL")?.trimmedText
        base = try element.child("SegmentBase").map { child throws(ManifestError) in try SegmentBase(reading: child) }
        if let child = element.child("SegmentTemplate") { template = try SegmentTemplate(reading: child) }
    }

    func write(to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [
            ("id", id), ("mimeType", mimeType), ("codecs", codecs), ("bandwidth", "\(bandwidth)"),
            ("width", width.map { "\($0)" }), ("height", height.map { "\($0)" }), ("frameRate", frameRate),
            ("audioSamplingRate", audioSamplingRate.map { "\($0)" }),
        ]
        writer.element("Representation", attributes) { writer in
            for descriptor in channels { descriptor.write(as: "AudioChannelConfiguration", to: &writer) }
            for protection in protections { protection.write(to: &writer) }
            if let baseURL { writer.element("BaseURL", text: baseURL) }
            base?.write(to: &writer)
            template?.write(to: &writer)
        }
    }
}
