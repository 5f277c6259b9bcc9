/// The rules for the output protection of variants: by track class, with exceptions for individual variants.
///
///     class   HDCP-LEVEL   ALLOWED-CPC of FairPlay
///     audio   NONE
///     SD      NONE         AppleBaseline/Baseline
///     HD      TYPE-0       AppleBaseline/Baseline
///     UHD     TYPE-1       AppleMain/Main
///
/// The levels are from Apple's HLS Authoring Specification, 13.5 and 13.6; the labels from section 9 of the FairPlay
/// Streaming guide.
public struct OutputProtectionRules: Hashable, Sendable {
    private var classes: [TrackClass: OutputProtection] = [:]
    private var variants: [String: Exception] = [:]

    /// The values of a variant that differ from its class; nil to use the value of the class.
    private struct Exception: Hashable {
        var hdcp: HDCPRequirement?
        var labels: [CPCLabel]?
    }

    /// The rules of the table above.
    public static let standard: OutputProtectionRules = {
        var rules = OutputProtectionRules()
        let allDevices: [ProtectionSystem: [CPCLabel]] = [.fairPlay: [.appleBaseline, .baseline]]
        rules.classes = [
            .audio: OutputProtection(hdcp: HDCPRequirement.none),
            .sd: OutputProtection(hdcp: HDCPRequirement.none, labels: allDevices),
            .hd: OutputProtection(hdcp: .type0, labels: allDevices),
            .uhd: OutputProtection(hdcp: .type1, labels: [.fairPlay: [.appleMain, .main]]),
        ]
        return rules
    }()

    /// Creates rules without any requirements.
    public init() {}

    /// The output protection of a class.
    public subscript(trackClass: TrackClass) -> OutputProtection {
        get { classes[trackClass] ?? OutputProtection() }
        set { classes[trackClass] = newValue }
    }

    /// Returns the output protection of a variant.
    ///
    /// - Parameters:
    ///   - trackClass: The class of its video, or of its audio if it has no video.
    ///   - variant: The name of the variant, for exceptions added by ``require(hdcp:)``.
    public func protection(of trackClass: TrackClass, variant: String? = nil) -> OutputProtection {
        var protection = self[trackClass]
        guard let exception = variant.flatMap({ variants[$0] }) else { return protection }
        if let hdcp = exception.hdcp { protection.hdcp = hdcp }
        if let labels = exception.labels { protection.labels[.fairPlay] = labels }
        return protection
    }

    /// Adds the output protection that a key server requires for the key of a class. The stricter HDCP-LEVEL applies.
    /// The labels of the server replace those of ``standard``, but not others.
    public mutating func require(_ protection: OutputProtection, of trackClass: TrackClass) {
        let standard = Self.standard[trackClass].labels
        self[trackClass].hdcp = [self[trackClass].hdcp, protection.hdcp].compactMap { $0 }.max()
        for (system, labels) in protection.labels where self[trackClass].labels[system] == standard[system] {
            self[trackClass].labels[system] = labels
        }
    }

    /// The names of the variants with exceptions, in alphabetical order. The caller must check that they exist.
    public var namedVariants: [String] { variants.keys.sorted() }

    /// Adds an exception for HDCP-LEVEL, such as `UHD=TYPE-0` or `video-1080=none`: a class or the name of a variant,
    /// and its level.
    ///
    /// - Throws: `invalid-output-protection`.
    public mutating func require(hdcp text: String) throws(SignalingError) {
        let (name, value) = try Self.split(text, "HDCP-LEVEL", example: "UHD=TYPE-1")
        guard let level = HDCPRequirement(parsing: value) else {
            let known = HDCPRequirement.allCases.map(\.rawValue).joined(separator: ", ")
            throw SignalingError(.invalidOutputProtection, "HDCP-LEVEL", "“\(value)” is not one of \(known)")
        }
        if let trackClass = TrackClass(parsing: name) {
            self[trackClass].hdcp = level
        } else {
            variants[name, default: Exception()].hdcp = level
        }
    }

    /// Adds an exception for the FairPlay labels in ALLOWED-CPC, such as `UHD=AppleMain/Main` or `video-1080=none`: a
    /// class or the name of a variant, and the device classes that may play it; `none` removes the restriction.
    ///
    /// - Throws: `invalid-output-protection`.
    public mutating func require(cpc text: String) throws(SignalingError) {
        let (name, value) = try Self.split(text, "ALLOWED-CPC", example: "UHD=AppleMain/Main")
        var labels: [CPCLabel] = []
        for word in value.lowercased() == "none" ? [] : value.split(separator: "/", omittingEmptySubsequences: false) {
            guard let label = CPCLabel.fairPlay.first(where: { $0.rawValue.lowercased() == word.lowercased() }) else {
                let known = CPCLabel.fairPlay.map(\.rawValue).joined(separator: ", ")
                throw SignalingError(
                    .invalidOutputProtection,
                    "ALLOWED-CPC",
                    "“\(word)” is not a FairPlay label: use \(known), separated by /"
                )
            }
            if !labels.contains(label) { labels.append(label) }
        }
        if let trackClass = TrackClass(parsing: name) {
            self[trackClass].labels[.fairPlay] = labels
        } else {
            variants[name, default: Exception()].labels = labels
        }
    }

    private static func split(
        _ text: String,
        _ subject: String,
        example: String
    ) throws(SignalingError) -> (name: String, value: Substring) {
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
            throw SignalingError(
                .invalidOutputProtection,
                subject,
                "expected a class (audio, SD, HD, UHD) or the name of a variant, an equals sign, and the value: "
                    + "\(example)"
            )
        }
        return (String(text[..<sign]), text[text.index(after: sign)...])
    }
}
