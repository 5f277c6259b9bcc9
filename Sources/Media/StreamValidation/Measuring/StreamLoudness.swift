import ByteCoding
import MediaFormats

/// The loudness that audio frames declare, counted over the inspected frames of a track.
///
/// The values of AC-3 are certain. Those of AAC come from the elements around the channels, which are found without decoding:
/// about one of 500 frames seems to have metadata that it does not have. So a value counts if enough frames have it.
public struct StreamLoudness: Hashable, Sendable {
    /// The answer to whether a stream declares its loudness.
    public enum Presence: Hashable, Sendable {
        /// It does.
        case present
        /// It does not.
        case absent
        /// It cannot be seen.
        case unknown
    }

    /// The number of AAC frames that are inspected in each segment. A segment starts with what a decoder needs.
    static let framesPerSegment = 64

    /// The number of inspected frames.
    public private(set) var frameCount = 0
    /// False if elements between the channels of AAC were not inspected.
    private var isConclusive = true
    /// The numbers of frames by `dialnorm`.
    private var dialogLevels: [UInt8: Int] = [:]
    /// The numbers of frames by `prog_ref_level`.
    private var programLevels: [UInt8: Int] = [:]
    /// The number of frames with `loudnessInfo()`.
    private var informationCount = 0

    /// Creates the metadata before any frame was inspected.
    public init() {}

    /// Adds the `dialnorm` of an access unit of AC-3 or E-AC-3.
    mutating func add(dialogNormalization value: UInt8) {
        frameCount += 1
        dialogLevels[value, default: 0] += 1
    }

    /// Adds the metadata of a raw data block of AAC.
    mutating func add(_ metadata: AACLoudness) {
        frameCount += 1
        if !metadata.isConclusive { isConclusive = false }
        if let level = metadata.programLevel { programLevels[level, default: 0] += 1 }
        if metadata.hasInformation { informationCount += 1 }
    }

    /// Adds the frames of another part of the track.
    mutating func add(_ other: StreamLoudness) {
        frameCount += other.frameCount
        isConclusive = isConclusive && other.isConclusive
        dialogLevels.merge(other.dialogLevels, uniquingKeysWith: +)
        programLevels.merge(other.programLevels, uniquingKeysWith: +)
        informationCount += other.informationCount
    }

    // MARK: Values

    /// The level of the dialog below full scale in dB, from 1 to 31; nil if it is not set, or changes.
    public var dialogNormalization: Int? {
        guard dialogLevels.count == 1, let value = dialogLevels.keys.first, value > 0 else { return nil }
        return Int(value)
    }

    /// The `prog_ref_level` of AAC, in quarters of a decibel below full scale; nil if it is absent.
    public var programReferenceLevel: Int? {
        guard let most = programLevels.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value >= sufficient
        else { return nil }
        return Int(most.key)
    }

    /// True if the stream has `loudnessInfo()`.
    public var hasInformation: Bool { informationCount >= sufficient }

    /// Whether the stream declares its loudness.
    public var presence: Presence {
        guard frameCount > 0 else { return .unknown }
        guard dialogLevels.isEmpty else { return dialogLevels.keys.contains { $0 > 0 } ? .present : .absent }
        if hasInformation || programReferenceLevel != nil { return .present }
        let found = informationCount + programLevels.values.reduce(0, +)
        return isConclusive && found <= frameCount / 250 ? .absent : .unknown
    }

    /// The number of frames with metadata of AAC that is not accidental.
    private var sufficient: Int { max(2, frameCount / 100) }
}

extension StreamLoudness {
    /// Inspects an access unit of AC-3 or E-AC-3, which can be encrypted after its first 16 bytes.
    mutating func inspect(ac3 frame: RawSpan) {
        if let value = AC3Syncframe.dialogNormalization(frame) { add(dialogNormalization: value) }
    }

    /// Inspects a raw data block of AAC-LC or HE-AAC.
    mutating func inspect(aac block: RawSpan, channelConfiguration: UInt8) {
        guard frameCount < Self.framesPerSegment else { return }
        add(AACLoudness(block, channelConfiguration: channelConfiguration))
    }

    /// Inspects an ADTS frame. A frame of several blocks is left out.
    mutating func inspect(adts frame: RawSpan) {
        guard let header = try? ADTSHeader(frame), header.blockCount == 1, header.frameLength <= frame.byteCount else {
            return
        }
        inspect(aac: frame.extracting(header.payload), channelConfiguration: header.channelConfiguration)
    }
}
