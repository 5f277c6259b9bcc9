/// HDCP-LEVEL: the output protection that a variant requires (section 4.4.6.2).
public struct HDCPLevel: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Creates a level.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// No output protection is required.
    public static let none: HDCPLevel = "NONE"
    /// HDCP Type 0.
    public static let type0: HDCPLevel = "TYPE-0"
    /// HDCP Type 1.
    public static let type1: HDCPLevel = "TYPE-1"
    /// The three levels of the draft.
    public static let defined: Set<HDCPLevel> = [.none, .type0, .type1]
}

/// VIDEO-RANGE: the transfer characteristics of a variant's video (section 4.4.6.2).
public struct VideoRange: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Creates a range.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Standard dynamic range.
    public static let sdr: VideoRange = "SDR"
    /// Hybrid log-gamma.
    public static let hlg: VideoRange = "HLG"
    /// Perceptual quantizer: HDR10 and Dolby Vision.
    public static let pq: VideoRange = "PQ"
    /// The three ranges of the draft.
    public static let defined: Set<VideoRange> = [.sdr, .hlg, .pq]
}

/// ALLOWED-CPC: the classes of devices that may play a variant, by key format (section 4.4.6.2).
///
///     allowed-cpc = entry *( "," entry )
///     entry       = key-format ":" label *( "/" label )
///     label       = 1*( "A"-"Z" / DIGIT / "-" )
///
/// The last colon of an entry is the separator, because a key format may contain colons, for example `urn:uuid:…`.
/// FairPlay's labels have lowercase letters, although the draft's grammar does not allow them.
public struct AllowedCPC: Hashable, Sendable, CustomStringConvertible {
    /// The labels for one key format.
    public struct Entry: Hashable, Sendable {
        /// The key format.
        public var keyFormat: KeyFormat
        /// The content protection configuration labels, such as `AppleMain`. A device that matches one of them may play
        /// the variant.
        public var labels: [String]

        /// Creates an entry.
        public init(keyFormat: KeyFormat, labels: [String]) {
            self.keyFormat = keyFormat
            self.labels = labels
        }
    }

    /// The entries, in the order of the attribute's value.
    public var entries: [Entry]

    /// Creates a value from entries.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Parses the attribute's value; nil when an entry has no colon, no key format or an empty label.
    public init?(_ text: String) {
        entries = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let colon = part.lastIndex(of: ":"), colon > part.startIndex else { return nil }
            let labels = part[part.index(after: colon)...].split(separator: "/", omittingEmptySubsequences: false)
            guard labels.allSatisfy({ !$0.isEmpty }) else { return nil }
            entries.append(
                Entry(keyFormat: KeyFormat(rawValue: String(part[..<colon])), labels: labels.map(String.init))
            )
        }
    }

    /// The labels for a key format; nil when there is no entry for it, which means that every device may play the
    /// variant.
    public subscript(keyFormat: KeyFormat) -> [String]? {
        let labels = entries.filter { $0.keyFormat == keyFormat }.flatMap(\.labels)
        return labels.isEmpty ? nil : labels
    }

    /// The value of the attribute.
    public var description: String {
        entries.map { $0.keyFormat.rawValue + ":" + $0.labels.joined(separator: "/") }.joined(separator: ",")
    }
}

/// One entry of REQ-VIDEO-LAYOUT: the rendering that part of the video requires (section 4.4.6.2).
///
///     layouts   = entry *( "," entry )
///     entry     = specifier *( "/" specifier )      at most one CH-… and one PROJ-…, in any order
public struct VideoLayout: Hashable, Sendable, CustomStringConvertible {
    /// One aspect of the rendering.
    public struct Specifier: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Creates a specifier.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Stereoscopic video: images for the left and the right eye.
        public static let stereo: Specifier = "CH-STEREO"
        /// Monoscopic video; the default when the entry has no CH- specifier.
        public static let mono: Specifier = "CH-MONO"
        /// No projection; the default when the entry has no PROJ- specifier.
        public static let rectilinear: Specifier = "PROJ-RECT"
        /// An equirectangular projection of a 360-degree sphere.
        public static let equirectangular: Specifier = "PROJ-EQUI"
        /// An equirectangular projection of a 180-degree hemisphere.
        public static let halfEquirectangular: Specifier = "PROJ-HEQU"
        /// A parametric projection, whose parameters are in the media.
        public static let parametric: Specifier = "PROJ-PRIM"
        /// The six specifiers of the draft.
        public static let defined: Set<Specifier> = [
            .stereo, .mono, .rectilinear, .equirectangular, .halfEquirectangular, .parametric,
        ]
    }

    /// The specifiers in the order of the entry, including empty ones.
    public let specifiers: [Specifier]

    /// Parses an entry.
    public init(_ text: String) {
        specifiers = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { Specifier(rawValue: String($0)) }
    }

    /// The text of the entry.
    public var description: String { specifiers.map(\.rawValue).joined(separator: "/") }
}
