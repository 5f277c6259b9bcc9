/// How numbers become colors: code points of ITU-T H.273, as the VUI of H.264 and HEVC and `colr` boxes carry them.
public struct ColorDescription: Hashable, Sendable {
    /// `colour_primaries`; 1 is BT.709, 9 BT.2020, 2 unspecified.
    public var primaries: UInt8
    /// `transfer_characteristics`; 1 is BT.709, 16 PQ, 18 HLG, 2 unspecified.
    public var transfer: UInt8
    /// `matrix_coefficients`; 1 is BT.709, 9 BT.2020, 2 unspecified.
    public var matrix: UInt8
    /// Whether samples take the full range of their bits.
    public var isFullRange: Bool

    /// Makes a description.
    public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// The dynamic range that the transfer characteristics mean; nil for those that HLS has no word for, 2
    /// (unspecified) among them.
    public var dynamicRange: DynamicRange? { DynamicRange(transfer: transfer) }
}

/// The dynamic range of video, in the words of the VIDEO-RANGE attribute (RFC 8216bis, 4.4.6.2).
public enum DynamicRange: String, Hashable, Sendable {
    /// Transfer characteristics 1, 6, 13, 14, 15.
    case sdr = "SDR"
    /// Transfer characteristics 18, HLG.
    case hlg = "HLG"
    /// Transfer characteristics 16, PQ.
    case pq = "PQ"

    /// The range of these transfer characteristics; nil where there is no word for it.
    public init?(transfer: UInt8) {
        switch transfer {
        case 1, 6, 13, 14, 15: self = .sdr
        case 16: self = .pq
        case 18: self = .hlg
        default: return nil
        }
    }

    /// The VIDEO-RANGE of a track.
    ///
    /// - Parameters:
    ///   - container: From the `colr` box, which goes before what the codec says (ISO/IEC 14496-12, 12.1.5).
    ///   - codec: From the VUI.
    ///   - alternativeTransfer: `preferred_transfer_characteristics` of SEI message 147. A stream whose VUI says SDR, so that
    ///     old players show it, says with this that it is HLG.
    /// - Returns: SDR where nothing is said, as players take it.
    public init(container: ColorDescription?, codec: ColorDescription?, alternativeTransfer: UInt8? = nil) {
        let said = [alternativeTransfer, container?.transfer, codec?.transfer].compactMap { $0 }
        self = said.lazy.compactMap { DynamicRange(transfer: $0) }.first ?? .sdr
    }
}
