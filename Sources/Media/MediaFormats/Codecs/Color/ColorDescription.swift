/// The color space of video: code points of ITU-T H.273, as in the VUI of H.264 and HEVC and in `colr` boxes.
public struct ColorDescription: Hashable, Sendable {
    /// The `colour_primaries` code: 1 is BT.709, 9 is BT.2020, 2 is unspecified.
    public var primaries: UInt8
    /// The `transfer_characteristics` code: 1 is BT.709, 16 is PQ, 18 is HLG, 2 is unspecified.
    public var transfer: UInt8
    /// The `matrix_coefficients` code: 1 is BT.709, 9 is BT.2020, 2 is unspecified.
    public var matrix: UInt8
    /// True if sample values use the full range of their bit depth (`video_full_range_flag`).
    public var isFullRange: Bool

    /// Creates a color description.
    public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// The dynamic range for the transfer characteristics; nil if HLS has no VIDEO-RANGE value for them, for example if
    /// they are unspecified (2).
    public var dynamicRange: DynamicRange? { DynamicRange(transfer: transfer) }
}

/// The dynamic range of video, as a value of the VIDEO-RANGE attribute (RFC 8216bis, 4.4.6.2).
public enum DynamicRange: String, Hashable, Sendable {
    /// Standard dynamic range: transfer characteristics 1, 6, 13, 14 and 15.
    case sdr = "SDR"
    /// Hybrid Log-Gamma (HLG): transfer characteristics 18.
    case hlg = "HLG"
    /// Perceptual Quantizer (PQ): transfer characteristics 16.
    case pq = "PQ"

    /// Creates the dynamic range for transfer characteristics. Returns nil if HLS has no VIDEO-RANGE value for them.
    public init?(transfer: UInt8) {
        switch transfer {
        case 1, 6, 13, 14, 15: self = .sdr
        case 16: self = .pq
        case 18: self = .hlg
        default: return nil
        }
    }

    /// Creates the VIDEO-RANGE value of a track.
    ///
    /// - Parameters:
    ///   - container: the color description of the `colr` box, which takes precedence over that of the codec (ISO/IEC
    ///     14496-12, 12.1.5).
    ///   - codec: the color description of the VUI.
    ///   - alternativeTransfer: the `preferred_transfer_characteristics` of SEI message 147. With it, an HLG stream can
    ///     specify SDR in its VUI for the sake of old players.
    ///
    /// If none of them specifies a dynamic range, the value is SDR, as players assume.
    public init(container: ColorDescription?, codec: ColorDescription?, alternativeTransfer: UInt8? = nil) {
        let specified = [alternativeTransfer, container?.transfer, codec?.transfer].compactMap { $0 }
        self = specified.lazy.compactMap { DynamicRange(transfer: $0) }.first ?? .sdr
    }
}
