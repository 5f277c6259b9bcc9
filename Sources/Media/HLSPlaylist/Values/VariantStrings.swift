/// HDCP-LEVEL: which protection of the output a variant needs (section 4.4.6.2).
public struct HDCPLevel: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Makes a level.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// None is needed.
    public static let none: HDCPLevel = "NONE"
    /// HDCP Type 0.
    public static let type0: HDCPLevel = "TYPE-0"
    /// HDCP Type 1.
    public static let type1: HDCPLevel = "TYPE-1"
    /// The three of the draft.
    public static let defined: Set<HDCPLevel> = [.none, .type0, .type1]
}

/// VIDEO-RANGE: the transfer characteristics of a variant's video (section 4.4.6.2).
public struct VideoRange: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Makes a range.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Standard dynamic range.
    public static let sdr: VideoRange = "SDR"
    /// Hybrid log-gamma.
    public static let hlg: VideoRange = "HLG"
    /// Perceptual quantizer: HDR10 and Dolby Vision.
    public static let pq: VideoRange = "PQ"
    /// The three of the draft.
    public static let defined: Set<VideoRange> = [.sdr, .hlg, .pq]
}

/// ALLOWED-CPC: which classes of device may play a variant, by key format (section 4.4.6.2).
///
///     allowed-cpc = entry *( "," entry )
///     entry       = key-format ":" label *( "/" label )
///     label       = 1*( "A"-"Z" / DIGIT / "-" )
///
/// A key format may hold colons itself, as `urn:uuid:…` does: the last colon divides. FairPlay's labels have lower-case
/// letters, although the draft's grammar has none.
public struct AllowedCPC: Hashable, Sendable, CustomStringConvertible {
    /// What one key format allows.
    public struct Entry: Hashable, Sendable {
        /// The key format.
        public var keyFormat: KeyFormat
        /// Content protection configuration labels, such as `AppleMain`; a device that matches one of them may play.
        public var labels: [String]

        /// Makes an entry.
        public init(keyFormat: KeyFormat, labels: [String]) {
            self.keyFormat = keyFormat
            self.labels = labels
        }
    }

    /// The entries, in the order in which they are written.
    public var entries: [Entry]

    /// Makes a map.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Reads the attribute's value; nil when an entry has no colon, no key format or an empty label.
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

    /// The labels of a key format; nil when there is no entry for it, which means that every device may play.
    public subscript(keyFormat: KeyFormat) -> [String]? {
        let labels = entries.filter { $0.keyFormat == keyFormat }.flatMap(\.labels)
        return labels.isEmpty ? nil : labels
    }

    /// The attribute's value.
    public var description: String {
        entries.map { $0.keyFormat.rawValue + ":" + $0.labels.joined(separator: "/") }.joined(separator: ",")
    }
}

/// One entry of REQ-VIDEO-LAYOUT: how some of the video must be rendered (section 4.4.6.2).
///
///     layouts   = entry *( "," entry )
///     entry     = specifier *( "/" specifier )      one of CH-…, one of PROJ-…, in any order
public struct VideoLayout: Hashable, Sendable, CustomStringConvertible {
    /// One aspect of the rendering.
    public struct Specifier: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Makes a specifier.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Pictures for the left and the right eye.
        public static let stereo: Specifier = "CH-STEREO"
        /// One picture; what is meant when no channel is named.
        public static let mono: Specifier = "CH-MONO"
        /// No projection; what is meant when none is named.
        public static let rectilinear: Specifier = "PROJ-RECT"
        /// A sphere of 360 degrees.
        public static let equirectangular: Specifier = "PROJ-EQUI"
        /// A half sphere of 180 degrees.
        public static let halfEquirectangular: Specifier = "PROJ-HEQU"
        /// A spherical projection with parameters in the media.
        public static let parametric: Specifier = "PROJ-PRIM"
        /// The six of the draft.
        public static let defined: Set<Specifier> = [
            .stereo, .mono, .rectilinear, .equirectangular, .halfEquirectangular, .parametric,
        ]
    }

    /// The specifiers, as written; empty ones are kept.
    public let specifiers: [Specifier]

    /// Reads an entry.
    public init(_ text: String) {
        specifiers = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { Specifier(rawValue: String($0)) }
    }

    /// The entry.
    public var description: String { specifiers.map(\.rawValue).joined(separator: "/") }
}
