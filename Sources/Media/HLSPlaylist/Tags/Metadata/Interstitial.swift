import ByteCoding

/// An interstitial: other content, such as an advertisement, that an EXT-X-DATERANGE tag schedules in a presentation
/// (appendix D.2).
///
///     CLASS="com.apple.hls.interstitial"
///
///     X-ASSET-URI               quoted string                 exactly one of these two
///     X-ASSET-LIST              quoted string
///     X-RESUME-OFFSET           signed decimal, seconds       default: the interstitial's duration
///     X-PLAYOUT-LIMIT           decimal, seconds
///     X-SNAP                    enumerated string list        OUT, IN
///     X-RESTRICT                enumerated string list        SKIP, JUMP
///     X-CONTENT-MAY-VARY        quoted string                 YES (default), NO
///     X-TIMELINE-OCCUPIES       quoted string                 POINT (default), RANGE
///     X-TIMELINE-STYLE          quoted string                 HIGHLIGHT (default), PRIMARY
///     X-SKIP-CONTROL-OFFSET, X-SKIP-CONTROL-DURATION   decimal integer, seconds      appendix D.3
///     X-SKIP-CONTROL-LABEL-ID   quoted string
public struct Interstitial: Hashable, Sendable {
    /// The CLASS of interstitials.
    public static let rangeClass = "com.apple.hls.interstitial"

    /// The location of the content.
    public enum Asset: Hashable, Sendable {
        /// The absolute URI of one asset.
        case uri(String)
        /// The URI of a JSON list of assets.
        case list(String)
    }

    /// The location of the content.
    public var asset: Asset
    /// The position at which the presentation resumes, in seconds after the interstitial's start; nil means the
    /// interstitial's duration.
    public var resumeOffset: Double?
    /// The maximum playback time of the interstitial, in seconds.
    public var playoutLimit: Double?
    /// The ends that snap to a segment boundary: `OUT`, `IN`.
    public var snap: [String]
    /// The actions that are not allowed for the viewer: `SKIP`, `JUMP`.
    public var restrictions: [String]
    /// True if different players may receive different content.
    public var contentMayVary: Bool
    /// True if a timeline shows the interstitial as a range instead of a point.
    public var occupiesRange: Bool
    /// True if a timeline shows the interstitial in the same style as the primary presentation.
    public var isStyledAsPrimary: Bool
    /// The number of seconds after which a skip button appears; nil without a skip button.
    public var skipControlOffset: Double?
    /// The number of seconds for which the skip button is shown; nil means until the end.
    public var skipControlDuration: Double?
    /// The label ID of the skip button.
    public var skipControlLabelID: String?

    /// Creates an interstitial; times are in seconds.
    public init(
        asset: Asset,
        resumeOffset: Double? = nil,
        playoutLimit: Double? = nil,
        snap: [String] = [],
        restrictions: [String] = [],
        contentMayVary: Bool = true,
        occupiesRange: Bool = false,
        isStyledAsPrimary: Bool = false,
        skipControlOffset: Double? = nil,
        skipControlDuration: Double? = nil,
        skipControlLabelID: String? = nil
    ) {
        self.asset = asset
        self.resumeOffset = resumeOffset
        self.playoutLimit = playoutLimit
        self.snap = snap
        self.restrictions = restrictions
        self.contentMayVary = contentMayVary
        self.occupiesRange = occupiesRange
        self.isStyledAsPrimary = isStyledAsPrimary
        self.skipControlOffset = skipControlOffset
        self.skipControlDuration = skipControlDuration
        self.skipControlLabelID = skipControlLabelID
    }

    /// The attributes of the EXT-X-DATERANGE tag. Those with default values are left out.
    var attributes: [Attribute] {
        var result: [Attribute] = []
        func add(_ name: String, _ value: String?, isQuoted: Bool = true) {
            if let value { result.append(Attribute(name: name, value: value, isQuoted: isQuoted)) }
        }
        func add(_ name: String, _ number: Double?) { add(name, number.flatMap(Decimal.text), isQuoted: false) }
        switch asset {
        case .uri(let uri): add("X-ASSET-URI", uri)
        case .list(let uri): add("X-ASSET-LIST", uri)
        }
        add("X-RESUME-OFFSET", resumeOffset)
        add("X-PLAYOUT-LIMIT", playoutLimit)
        add("X-SNAP", snap.isEmpty ? nil : snap.joined(separator: ","))
        add("X-RESTRICT", restrictions.isEmpty ? nil : restrictions.joined(separator: ","))
        add("X-CONTENT-MAY-VARY", contentMayVary ? nil : "NO")
        add("X-TIMELINE-OCCUPIES", occupiesRange ? "RANGE" : nil)
        add("X-TIMELINE-STYLE", isStyledAsPrimary ? "PRIMARY" : nil)
        add("X-SKIP-CONTROL-OFFSET", skipControlOffset)
        add("X-SKIP-CONTROL-DURATION", skipControlDuration)
        add("X-SKIP-CONTROL-LABEL-ID", skipControlLabelID)
        return result
    }

    /// The names of all attributes.
    static let attributeNames: Set<String> = [
        "X-ASSET-URI", "X-ASSET-LIST", "X-RESUME-OFFSET", "X-PLAYOUT-LIMIT", "X-SNAP", "X-RESTRICT",
        "X-CONTENT-MAY-VARY", "X-TIMELINE-OCCUPIES", "X-TIMELINE-STYLE", "X-SKIP-CONTROL-OFFSET",
        "X-SKIP-CONTROL-DURATION", "X-SKIP-CONTROL-LABEL-ID",
    ]
}

extension DateRangeTag {
    /// The interstitial that this tag schedules; nil when the tag has another CLASS, or does not have exactly one of
    /// X-ASSET-URI and X-ASSET-LIST.
    ///
    /// Setting this property sets the CLASS and replaces the attributes of interstitials; other attributes stay. Nil
    /// removes them, and the CLASS if it is that of interstitials.
    public var interstitial: Interstitial? {
        get { readInterstitial() }
        set {
            otherAttributes.removeAll { Interstitial.attributeNames.contains($0.name) }
            // The order is that of writing: attributes that begin with X- first.
            otherAttributes = (newValue?.attributes ?? []) + otherAttributes
            if newValue != nil {
                rangeClass = Interstitial.rangeClass
            } else if rangeClass == Interstitial.rangeClass {
                rangeClass = nil
            }
        }
    }

    private func readInterstitial() -> Interstitial? {
        guard rangeClass == Interstitial.rangeClass else { return nil }
        let asset: Interstitial.Asset
        switch (self["X-ASSET-URI"], self["X-ASSET-LIST"]) {
        case (let uri?, nil): asset = .uri(uri)
        case (nil, let list?): asset = .list(list)
        default: return nil
        }
        func list(_ name: String) -> [String] { self[name]?.split(separator: ",").map(String.init) ?? [] }
        func number(_ name: String) -> Double? {
            guard let bytes = self[name].map({ Array($0.utf8) }) else { return nil }
            return Decimal.signedNumber(bytes.span.bytes, 0..<bytes.count)
        }
        return Interstitial(
            asset: asset,
            resumeOffset: number("X-RESUME-OFFSET"),
            playoutLimit: number("X-PLAYOUT-LIMIT"),
            snap: list("X-SNAP"),
            restrictions: list("X-RESTRICT"),
            contentMayVary: self["X-CONTENT-MAY-VARY"] != "NO",
            occupiesRange: self["X-TIMELINE-OCCUPIES"] == "RANGE",
            isStyledAsPrimary: self["X-TIMELINE-STYLE"] == "PRIMARY",
            skipControlOffset: number("X-SKIP-CONTROL-OFFSET"),
            skipControlDuration: number("X-SKIP-CONTROL-DURATION"),
            skipControlLabelID: self["X-SKIP-CONTROL-LABEL-ID"]
        )
    }
}
