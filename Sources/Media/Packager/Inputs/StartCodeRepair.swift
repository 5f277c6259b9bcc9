import ByteCoding
import MediaFormats

/// Corrects the samples of a video track that contain start codes, as in a byte stream, although MP4 requires a length
/// before each NAL unit. Either start codes take the place of the lengths, or several NAL units with start codes between
/// them follow one length. Such files play in few players, and nothing would be encrypted: the slices are not found.
///
/// The first sample decides: a track in which its slices are found is not inspected any further.
struct StartCodeRepair {
    private enum State {
        case undecided
        case correct
        /// Samples are byte streams.
        case startCodes
        /// A byte stream follows each length; only its first NAL unit has no start code.
        case startCodesAfterLengths
    }

    private let isHEVC: Bool
    private let lengthSize: Int
    private var state: State

    /// Creates a repair for a track. Only video needs one.
    init(_ format: MediaTrack.Format) {
        switch format {
        case .h264(let configuration): (isHEVC, lengthSize, state) = (false, configuration.lengthSize, .undecided)
        case .hevc(let configuration): (isHEVC, lengthSize, state) = (true, configuration.lengthSize, .undecided)
        case .aac, .ac3, .enhancedAC3, .webVTT: (isHEVC, lengthSize, state) = (false, 4, .correct)
        }
    }

    /// True unless the samples are known to be correct.
    var isNeeded: Bool { state != .correct }

    /// True if samples are corrected.
    var isActive: Bool { state == .startCodes || state == .startCodesAfterLengths }

    /// The warning about corrected samples.
    static let warning =
        "the samples of the video contain start codes, where MP4 requires lengths; they are split at the start codes"

    /// Returns the sample with a length before each NAL unit.
    ///
    /// - Throws: ``InputFailure`` if the sample differs from the first one, so that it cannot be corrected.
    mutating func repaired(_ sample: MediaSample, of name: String) throws -> MediaSample {
        guard isNeeded, sample.size > 0 else { return sample }
        if state == .undecided { state = sample.withBytes { firstState($0) } }
        let bytes: [UInt8]?
        switch state {
        case .undecided, .correct: return sample
        case .startCodes: bytes = sample.withBytes { Self.startsWithCode($0) ? Self.lengthPrefixed($0) : nil }
        case .startCodesAfterLengths: bytes = sample.withBytes { try? splitUnits($0) }
        }
        guard let bytes else {
            throw InputFailure(
                name,
                "the video sample at byte \(sample.offset) has no start codes like the first one, and no valid lengths; "
                    + Conversion.remux
            )
        }
        var repaired = sample
        repaired.bytes = BufferedBytes(bytes)
        repaired.offset = 0
        repaired.size = bytes.count
        return repaired
    }

    /// Decides from the first sample.
    private func firstState(_ sample: RawSpan) -> State {
        // Lengths of other sizes are rare, and start codes could not be told from them.
        guard lengthSize == 4 else { return .correct }
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        var hasCode = false
        do {
            while let range = try units.next(sample) {
                guard !range.isEmpty else { continue }
                if isSlice(sample.extracting(range)) { return .correct }
                hasCode = hasCode || StartCode.next(in: sample.extracting(range)) != nil
            }
        } catch {
            return Self.startsWithCode(sample) ? .startCodes : .correct
        }
        return Self.startsWithCode(sample) ? .startCodes : hasCode ? .startCodesAfterLengths : .correct
    }

    private static func startsWithCode(_ sample: RawSpan) -> Bool {
        guard let first = StartCode.next(in: sample.extracting(0..<min(4, sample.byteCount))) else { return false }
        return first <= 1
    }

    private func isSlice(_ unit: RawSpan) -> Bool {
        if isHEVC { return HEVCNALHeader(unit)?.type.isSlice ?? false }
        return H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type.isSlice
    }

    /// Returns the NAL units after lengths, split at the start codes in them.
    private func splitUnits(_ sample: RawSpan) throws(ParseError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sample.byteCount + 16)
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        while let range = try units.next(sample) {
            let unit = sample.extracting(range)
            // The zeros before a start code belong to it.
            var end = StartCode.next(in: unit) ?? unit.byteCount
            while end > 0, unit.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self) == 0 { end -= 1 }
            Self.append(unit.extracting(0..<end), to: &bytes)
            bytes += Self.lengthPrefixed(unit)
        }
        return bytes
    }

    /// Returns the NAL units of a byte stream after lengths.
    private static func lengthPrefixed(_ stream: RawSpan) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(stream.byteCount + 16)
        var units = AnnexBNALUnits()
        while let range = units.next(stream) { append(stream.extracting(range), to: &bytes) }
        return bytes
    }

    private static func append(_ unit: RawSpan, to bytes: inout [UInt8]) {
        guard !unit.isEmpty else { return }
        withUnsafeBytes(of: UInt32(unit.byteCount).bigEndian) { bytes.append(contentsOf: $0) }
        unit.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
}
