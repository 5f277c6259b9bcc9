import XMLDocuments

/// A DASH manifest, the Media Presentation Description (ISO/IEC 23009-1, 5.3.1), as far as a packager writes it and a
/// player of its output needs it.
///
///     MPD       profiles, type, mediaPresentationDuration, minBufferTime; of one that grows: availabilityStartTime,
///               publishTime, minimumUpdatePeriod, timeShiftBufferDepth, suggestedPresentationDelay, maxSegmentDuration
///       Period  (each)   see ``Period``
///
/// Elements and attributes that are not listed here are passed over when a manifest is read.
public struct MPD: Hashable, Sendable {
    /// What it conforms to.
    public enum Profile {
        /// Segments in files of their own (ISO/IEC 23009-1, 8.4).
        public static let live = "urn:mpeg:dash:profile:isoff-live:2011"
        /// A file for each representation (ISO/IEC 23009-1, 8.3).
        public static let onDemand = "urn:mpeg:dash:profile:isoff-on-demand:2011"
    }

    static let namespace = "urn:mpeg:dash:schema:mpd:2011"

    /// What it conforms to, in order.
    public var profiles: [String]
    /// `static`: all is there; `dynamic`: it grows.
    public var type: String
    /// How long the presentation is; nil: not said.
    public var duration: ManifestDuration?
    /// How much of a representation has to be there before playback at its bandwidth does not stop.
    public var minimumBufferTime: ManifestDuration
    /// From when on segments can be had; Periods begin so long after it as their start says. Nil: not said.
    public var availabilityStart: ManifestDate?
    /// When this state of the manifest was published; nil: not said.
    public var publishTime: ManifestDate?
    /// How long this state is good for at least; nil: it is the last one.
    public var minimumUpdatePeriod: ManifestDuration?
    /// How long segments can be had once they have been presented; nil: for ever.
    public var timeShiftBufferDepth: ManifestDuration?
    /// How far behind the newest segment players had best begin; nil: they choose.
    public var suggestedPresentationDelay: ManifestDuration?
    /// No segment is longer; nil: not said.
    public var maximumSegmentDuration: ManifestDuration?
    /// The periods, in order.
    public var periods: [Period]

    /// Makes a manifest of a presentation that is complete.
    public init(
        profiles: [String],
        duration: ManifestDuration?,
        minimumBufferTime: ManifestDuration = ManifestDuration(microseconds: 2_000_000),
        periods: [Period]
    ) {
        self.profiles = profiles
        type = "static"
        self.duration = duration
        self.minimumBufferTime = minimumBufferTime
        self.periods = periods
    }

    /// Reads a manifest of at most 16 MiB in UTF-8. Document types are never read.
    ///
    /// - Throws: ``ManifestError``. What can be read but is wrong is found by ``MPDChecker``.
    public init(_ bytes: [UInt8]) throws(ManifestError) {
        let root: XMLTree.Element
        do throws(XMLFailure) {
            root = try XMLTree(bytes).root
        } catch {
            throw ManifestError(.noManifest, error.place, error.reason)
        }
        guard root.name == "MPD", root.namespace == Self.namespace else {
            throw ManifestError(.noManifest, "line \(root.line)", "an MPD of the namespace \(Self.namespace) expected")
        }
        profiles = try root.required("profiles").split { $0 == "," || $0.isWhitespace }.map(String.init)
        type = root.attributes["type"] ?? "static"
        duration = try root.duration("mediaPresentationDuration")
        guard let buffer = try root.duration("minBufferTime") else {
            throw ManifestError(.missingAttribute, "line \(root.line)", "MPD has no minBufferTime")
        }
        minimumBufferTime = buffer
        availabilityStart = try root.date("availabilityStartTime")
        publishTime = try root.date("publishTime")
        minimumUpdatePeriod = try root.duration("minimumUpdatePeriod")
        timeShiftBufferDepth = try root.duration("timeShiftBufferDepth")
        suggestedPresentationDelay = try root.duration("suggestedPresentationDelay")
        maximumSegmentDuration = try root.duration("maxSegmentDuration")
        periods = []
        for element in root.children("Period") { periods.append(try Period(reading: element)) }
    }

    /// The manifest in UTF-8.
    public var bytes: [UInt8] {
        var writer = XMLWriter()
        let attributes: [(String, String?)] = [
            ("xmlns", Self.namespace), ("xmlns:cenc", "urn:mpeg:cenc:2013"), ("xmlns:mspr", "urn:microsoft:playready"),
            ("profiles", profiles.joined(separator: ",")), ("type", type),
            ("availabilityStartTime", availabilityStart?.description), ("publishTime", publishTime?.description),
            ("mediaPresentationDuration", duration?.description),
            ("minimumUpdatePeriod", minimumUpdatePeriod?.description),
            ("minBufferTime", minimumBufferTime.description),
            ("timeShiftBufferDepth", timeShiftBufferDepth?.description),
            ("suggestedPresentationDelay", suggestedPresentationDelay?.description),
            ("maxSegmentDuration", maximumSegmentDuration?.description),
        ]
        writer.element("MPD", attributes) { writer in
            for period in periods { period.write(to: &writer) }
        }
        return writer.bytes
    }
}
