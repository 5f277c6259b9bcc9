import XMLDocuments

/// A DASH manifest, the Media Presentation Description (ISO/IEC 23009-1, 5.3.1): the subset that the packager writes
/// and that a player of its output requires.
///
///     MPD       profiles, type, mediaPresentationDuration, minBufferTime; if dynamic: availabilityStartTime,
///               publishTime, minimumUpdatePeriod, timeShiftBufferDepth, suggestedPresentationDelay, maxSegmentDuration
///       ServiceDescription
///       Period      (each)   see ``Period``
///       UTCTiming   (each)
///
/// Elements and attributes that are not listed here are ignored when a manifest is parsed.
public struct MPD: Hashable, Sendable {
    /// The profiles to which a manifest can conform.
    public enum Profile {
        /// The live profile, with separate segment files (ISO/IEC 23009-1, 8.4).
        public static let live = "urn:mpeg:dash:profile:isoff-live:2011"
        /// The on-demand profile, with a single file for each Representation (ISO/IEC 23009-1, 8.3).
        public static let onDemand = "urn:mpeg:dash:profile:isoff-on-demand:2011"
    }

    static let namespace = "urn:mpeg:dash:schema:mpd:2011"

    /// The profiles to which the manifest conforms, in order.
    public var profiles: [String]
    /// The type: `static` for a complete presentation, `dynamic` for one that may be updated.
    public var type: String
    /// The duration of the presentation; nil when the attribute is absent.
    public var duration: ManifestDuration?
    /// The media duration that a player has to buffer for continuous playback of a Representation at its bandwidth.
    public var minimumBufferTime: ManifestDuration
    /// The wall-clock time from which segments are available, to which the starts of the Periods are relative; nil when
    /// the attribute is absent.
    public var availabilityStart: ManifestDate?
    /// The wall-clock time at which this version of the manifest was published; nil when the attribute is absent.
    public var publishTime: ManifestDate?
    /// The minimum time between changes of the manifest; nil means that the manifest will not change.
    public var minimumUpdatePeriod: ManifestDuration?
    /// The duration for which past segments remain available; nil means no limit.
    public var timeShiftBufferDepth: ManifestDuration?
    /// The suggested delay of playback relative to the live edge; nil means that players choose the delay.
    public var suggestedPresentationDelay: ManifestDuration?
    /// The maximum duration of segments; nil when the attribute is absent.
    public var maximumSegmentDuration: ManifestDuration?
    /// The latency that the provider of a live presentation intends; nil if it states no intent.
    public var serviceDescription: ServiceDescription?
    /// The Periods, in order.
    public var periods: [Period]
    /// The sources of the wall-clock time, the preferred one first (ISO/IEC 23009-1, 5.8.4.11).
    public var clocks: [Descriptor] = []

    /// Creates a static manifest.
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

    /// Parses a manifest of at most 16 MiB in UTF-8. Document type declarations are not processed.
    ///
    /// - Throws: ``ManifestError``. Other errors in a manifest are found by ``MPDChecker``.
    public init(_ bytes: [UInt8]) throws(ManifestError) {
        let root: XMLTree.Element
        do throws(XMLDocumentError) {
            root = try XMLTree(bytes).root
        } catch {
            throw ManifestError(.noManifest, error.place, error.reason)
        }
        guard root.name == "MPD", root.namespace == Self.namespace else {
            throw ManifestError(
                .noManifest,
                "line \(root.line)",
                "the root element must be MPD in the namespace \(Self.namespace)"
            )
        }
        profiles = try root.required("profiles").split { $0 == "," || $0.isWhitespace }.map(String.init)
        type = root.attributes["type"] ?? "static"
        duration = try root.duration("mediaPresentationDuration")
        guard let buffer = try root.duration("minBufferTime") else {
            throw ManifestError(.missingAttribute, "line \(root.line)", "MPD has no minBufferTime attribute: add it")
        }
        minimumBufferTime = buffer
        availabilityStart = try root.date("availabilityStartTime")
        publishTime = try root.date("publishTime")
        minimumUpdatePeriod = try root.duration("minimumUpdatePeriod")
        timeShiftBufferDepth = try root.duration("timeShiftBufferDepth")
        suggestedPresentationDelay = try root.duration("suggestedPresentationDelay")
        maximumSegmentDuration = try root.duration("maxSegmentDuration")
        serviceDescription = try root.child("ServiceDescription").map { child throws(ManifestError) in
            try ServiceDescription(reading: child)
        }
        clocks = try Descriptor.all("UTCTiming", in: root)
        periods = []
        for element in root.children("Period") { periods.append(try Period(reading: element)) }
    }

    private var hasSupplementalCodecs: Bool {
        periods.contains { period in
            period.adaptationSets.contains { $0.representations.contains { $0.supplementalCodecs != nil } }
        }
    }

    private var hasDASHIFElements: Bool {
        periods.contains { period in
            period.adaptationSets.contains { set in
                set.protections.contains(where: \.usesDASHIFNamespace)
            }
        }
    }

    /// The manifest as UTF-8 XML.
    public var bytes: [UInt8] {
        var writer = XMLWriter()
        let attributes: [(String, String?)] = [
            ("xmlns", Self.namespace), ("xmlns:cenc", "urn:mpeg:cenc:2013"), ("xmlns:mspr", "urn:microsoft:playready"),
            ("xmlns:scte214", hasSupplementalCodecs ? "urn:scte:dash:scte214-extensions" : nil),
            ("xmlns:dashif", hasDASHIFElements ? ContentProtection.dashIFNamespace : nil),
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
            serviceDescription?.write(to: &writer)
            for period in periods { period.write(to: &writer) }
            for clock in clocks { clock.write(as: "UTCTiming", to: &writer) }
        }
        return writer.bytes
    }
}
