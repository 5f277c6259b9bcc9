/// What a player can do at the moment, as far as it decides which variants it plays.
///
///     var abilities = PlayerAbilities(codecs: .ultraHighDefinition)
///     abilities.keySystems = [.fairPlay: ["AppleMain", "AppleBaseline", "Main", "Baseline"]]
///     abilities.hdcp = .type1
public struct PlayerAbilities: Sendable {
    /// How the output to the display is protected.
    public enum HDCPState: Int, Sendable, Comparable, CaseIterable {
        /// Not at all.
        case none
        /// HDCP Type 0, or as well.
        case type0
        /// HDCP Type 1, or as well: a built-in display counts as this.
        case type1

        /// The weaker before the stronger.
        public static func < (left: HDCPState, right: HDCPState) -> Bool { left.rawValue < right.rawValue }

        /// Whether a variant of a level may be loaded (section 4.4.6.2). An unknown level needs what nobody has.
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

    /// The measured throughput in bits per second; nil when nothing was measured, and no limit then.
    public var throughput: UInt64?
    /// The share of the throughput that a variant's peak may take, above 0 and at most 1: 0.8 leaves a fifth for
    /// variation.
    public var safetyFactor: Double
    /// The greatest peak in bits per second that the user or the app wants, whatever the throughput; nil means any.
    public var bandwidthCap: UInt64?
    /// The size of the video's place on the display in physical pixels; nil means any. Turning the device turns it, so
    /// that only the longer and the shorter side count.
    public var displaySize: Resolution?
    /// The formats that can be decoded.
    public var codecs: CodecAbilities
    /// The key formats that can be used, each with all content protection configuration labels that this device
    /// satisfies: a device of `AppleMain` lists `AppleBaseline` too. ``KeyFormat/identity`` has no labels.
    public var keySystems: [KeyFormat: Set<String>]
    /// How the output is protected.
    public var hdcp: HDCPState
    /// The video ranges that the display can show.
    public var videoRanges: Set<VideoRange>
    /// The specifiers of REQ-VIDEO-LAYOUT that can be rendered.
    public var videoLayouts: Set<VideoLayout.Specifier>
    /// The greatest number of audio channels that can be played, mixing down included; nil means any.
    public var maximumAudioChannels: UInt64?
    /// The pathway of content steering that is applied (section 7.5); nil means the one that EXT-X-CONTENT-STEERING
    /// starts with, if there is one with variants, and otherwise all.
    public var pathwayID: String?

    /// Makes abilities: no limit of bandwidth, size or channels; identity keys, no HDCP, standard dynamic range, flat
    /// video.
    public init(
        codecs: CodecAbilities,
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

    /// Whether pictures for the left and the right eye can be shown: ``videoLayouts`` has CH-STEREO.
    public var showsStereo: Bool {
        get { videoLayouts.contains(.stereo) }
        set {
            if newValue { videoLayouts.insert(.stereo) } else { videoLayouts.remove(.stereo) }
        }
    }

    /// What a variant's peak may be by the throughput, in bits per second.
    func available(throughput: UInt64?) -> Double? {
        throughput.map { Double($0) * (safetyFactor > 0 ? min(safetyFactor, 1) : 0) }
    }
}
