/// The current capabilities of a player that determine which variants it can play.
///
///     var abilities = PlayerCapabilities(codecs: .ultraHighDefinition)
///     abilities.keySystems = [.fairPlay: ["AppleMain", "AppleBaseline", "Main", "Baseline"]]
///     abilities.hdcp = .type1
public struct PlayerCapabilities: Sendable {
    /// The protection of the output to the display.
    public enum HDCPState: Int, Sendable, Comparable, CaseIterable {
        /// No protection.
        case none
        /// HDCP Type 0 or equivalent protection.
        case type0
        /// HDCP Type 1 or equivalent protection, such as a built-in display.
        case type1

        /// Orders weaker protection before stronger protection.
        public static func < (left: HDCPState, right: HDCPState) -> Bool { left.rawValue < right.rawValue }

        /// Returns whether a variant with a level may be loaded (section 4.4.6.2). An unknown level is never satisfied.
        public func satisfies(_ level: HDCPLevel?) -> Bool {
            guard let level else { return true }
            return switch level {
            case .none: true
            case .type0: self >= .type0
            case .type1: self == .type1
            default: false
            }
        }
    }

    /// The measured throughput in bits per second; nil, which means no limit, when it is unknown.
    public var throughput: UInt64?
    /// The fraction of the throughput that a variant's peak bit rate may use, above 0 and at most 1: 0.8 reserves a
    /// fifth for variation.
    public var safetyFactor: Double
    /// The maximum peak bit rate in bits per second that the user or the app allows, regardless of the throughput; nil
    /// means no limit.
    public var bandwidthCap: UInt64?
    /// The size of the video on the display in physical pixels; nil means no limit. Only the longer and the shorter
    /// side are compared, because the device may be rotated.
    public var displaySize: Resolution?
    /// The supported codecs.
    public var codecs: CodecSupport
    /// The supported key formats, each with all content protection configuration labels that the device satisfies. For
    /// example, a device that satisfies `AppleMain` also lists `AppleBaseline`. ``KeyFormat/identity`` has no labels.
    public var keySystems: [KeyFormat: Set<String>]
    /// The protection of the output.
    public var hdcp: HDCPState
    /// The video ranges that the display supports.
    public var videoRanges: Set<VideoRange>
    /// The specifiers of REQ-VIDEO-LAYOUT that the player can render.
    public var videoLayouts: Set<VideoLayout.Specifier>
    /// The maximum number of audio channels that the player can play, including by downmixing; nil means no limit.
    public var maximumAudioChannels: UInt64?
    /// The content steering pathway that is applied (section 7.5). Nil means the initial pathway of
    /// EXT-X-CONTENT-STEERING if it has variants; otherwise all pathways.
    public var pathwayID: String?

    /// Creates capabilities. The defaults are no limits of bandwidth, size and channels, identity keys, no HDCP,
    /// standard dynamic range, and monoscopic video without projection.
    public init(
        codecs: CodecSupport,
        throughput: UInt64? = nil,
        safetyFactor: Double = 0.8,
        bandwidthCap: UInt64? = nil,
        displaySize: Resolution? = nil,
        keySystems: [KeyFormat: Set<String>] = [.identity: []],
        hdcp: HDCPState = .none,
        videoRanges: Set<VideoRange> = [.sdr],
        videoLayouts: Set<VideoLayout.Specifier> = [.mono, .rectilinear],
        maximumAudioChannels: UInt64? = nil,
        pathwayID: String? = nil
    ) {
        self.codecs = codecs
        self.throughput = throughput
        self.safetyFactor = safetyFactor
        self.bandwidthCap = bandwidthCap
        self.displaySize = displaySize
        self.keySystems = keySystems
        self.hdcp = hdcp
        self.videoRanges = videoRanges
        self.videoLayouts = videoLayouts
        self.maximumAudioChannels = maximumAudioChannels
        self.pathwayID = pathwayID
    }

    /// True if the player can show stereoscopic video: ``videoLayouts`` contains CH-STEREO.
    public var showsStereo: Bool {
        get { videoLayouts.contains(.stereo) }
        set {
            if newValue { videoLayouts.insert(.stereo) } else { videoLayouts.remove(.stereo) }
        }
    }

    /// Returns the maximum peak bit rate of a variant for a throughput, in bits per second.
    func available(throughput: UInt64?) -> Double? {
        throughput.map { Double($0) * (safetyFactor > 0 ? min(safetyFactor, 1) : 0) }
    }
}
