/// Which output protection a variant has: by the class of its track, unless it is named itself.
///
///     class   HDCP-LEVEL   ALLOWED-CPC of FairPlay
///     audio   NONE
///     SD      NONE         AppleBaseline/Baseline
///     HD      TYPE-0       AppleBaseline/Baseline
///     UHD     TYPE-1       AppleMain/Main
///
/// The levels are those of Apple's authoring specification, 13.5 and 13.6; the labels those of the guide's section 9.
public struct OutputProtectionRules: Hashable, Sendable {
    private var classes: [TrackClass: OutputProtection] = [:]
    private var variants: [String: Exception] = [:]

    /// What a variant has instead of what its class has; nil leaves the class's.
    private struct Exception: Hashable {
        var hdcp: HDCPRequirement?
        var labels: [CPCLabel]?
    }

    /// The rules of the table above.
    public static let standard: OutputProtectionRules = {
        var rules = OutputProtectionRules()
        let everyDevice: [ProtectionSystem: [CPCLabel]] = [.fairPlay: [.appleBaseline, .baseline]]
        rules.classes = [
            .audio: OutputProtection(hdcp: HDCPRequirement.none),
            .sd: OutputProtection(hdcp: HDCPRequirement.none, labels: everyDevice),
            .hd: OutputProtection(hdcp: .type0, labels: everyDevice),
            .uhd: OutputProtection(hdcp: .type1, labels: [.fairPlay: [.appleMain, .main]]),
        ]
        return rules
    }()

    /// Makes rules that ask for nothing.
    public init() {}

    /// What a class asks for.
    public subscript(trackClass: TrackClass) -> OutputProtection {
        get { classes[trackClass] ?? OutputProtection() }
        set { classes[trackClass] = newValue }
    }

    /// What a variant asks for.
    ///
    /// - Parameters:
    ///   - trackClass: The class of its video, or of its audio when there is no video.
    ///   - variant: Its name, as ``require(hdcp:)`` may have named it.
    public func protection(of trackClass: TrackClass, variant: String? = nil) -> OutputProtection {
        var protection = self[trackClass]
        guard let exception = variant.flatMap({ variants[$0] }) else { return protection }
        if let hdcp = exception.hdcp { protection.hdcp = hdcp }
        if let labels = exception.labels { protection.labels[.fairPlay] = labels }
        return protection
    }

    /// The variants that were named, in alphabetical order: one that does not exist is a mistake that only the caller
    /// can see.
    public var namedVariants: [String] { variants.keys.sorted() }

    /// Takes an exception for HDCP-LEVEL, such as `UHD=TYPE-0` or `video-1080=none`: a class or a variant's name, and
    /// what it has.
    ///
    /// - Throws: `invalid-output-protection`.
    public mutating func require(hdcp text: String) throws(SignalingError) {
        let (name, value) = try Self.divide(text, "HDCP-LEVEL", example: "UHD=TYPE-1")
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

    /// Takes an exception for FairPlay's part of ALLOWED-CPC, such as `UHD=AppleMain/Main` or `video-1080=none`: a class
    /// or a variant's name, and which devices may play it; `none` restricts nobody.
    ///
    /// - Throws: `invalid-output-protection`.
    public mutating func require(cpc text: String) throws(SignalingError) {
        let (name, value) = try Self.divide(text, "ALLOWED-CPC", example: "UHD=AppleMain/Main")
        var labels: [CPCLabel] = []
        for word in value.lowercased() == "none" ? [] : value.split(separator: "/", omittingEmptySubsequences: false) {
            guard let label = CPCLabel.fairPlay.first(where: { $0.rawValue.lowercased() == word.lowercased() }) else {
                let known = CPCLabel.fairPlay.map(\.rawValue).joined(separator: ", ")
                throw SignalingError(
                    .invalidOutputProtection,
                    "ALLOWED-CPC",
                    "FairPlay has no label “\(word)”; it has \(known), with / between several"
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

    private static func divide(
        _ text: String,
        _ subject: String,
        example: String
    ) throws(SignalingError) -> (name: String, value: Substring) {
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
            throw SignalingError(
                .invalidOutputProtection,
                subject,
                "write a class (audio, SD, HD, UHD) or a variant's name, an equals sign, and the value: \(example)"
            )
        }
        return (String(text[..<sign]), text[text.index(after: sign)...])
    }
}
