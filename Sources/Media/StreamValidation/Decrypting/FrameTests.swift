import ByteCoding
import MediaFormats

/// The tests that tell from decrypted frames whether the key and the initialization vector were right.
///
/// Headers that stay clear prove nothing, because they can be parsed with any key. The tests only use bytes that were
/// encrypted, and each has a known share of random bytes that pass it.
struct FrameTests {
    /// The conclusion from the frames.
    enum Outcome: Hashable {
        /// The key and the vector are right.
        case passed
        /// The key is right; the vector is not known to be.
        case passedExceptVector
        /// The key is right, and the vector is wrong: only the first block of each chain is damaged.
        case damagedFirstBlock
        /// The key is wrong.
        case failed
        /// Too few frames, or no test applies.
        case unknown
    }

    /// The least numbers of frames that decide: with fewer, random bytes could pass, or an encoder's habit could fail.
    enum Least {
        static let elements = 6
        static let failures = 8
        static let ends = 12
        static let calibration = 20
        static let constants = 12
        static let remainders = 3
    }

    /// The number of frames whose encrypted ends were tested, and how many are as expected.
    struct Ends: Hashable, Sendable {
        var count = 0
        var passed = 0

        /// True if the ends prove that the key is right, whatever the vector is.
        var prove: Bool { count >= Least.ends && passed == count }
    }

    /// The name of a test by an external decoder, which cannot tell a wrong key from a wrong vector.
    static let decoding = "decoding"

    let excerpt: EncryptedExcerpt
    /// The number of the frames that the last test used.
    private(set) var frameCount = 0
    /// The encrypted ends of AAC frames; none if the encoder does not end frames as expected.
    private(set) var ends = Ends()
    /// The name of the last test, as a part of a sentence.
    private(set) var name = "no test applies"

    init(_ excerpt: EncryptedExcerpt) { self.excerpt = excerpt }

    /// Records a test that is not one of these.
    mutating func record(_ name: String, _ count: Int) { (self.name, frameCount) = (name, count) }

    /// Tests decrypted frames.
    mutating func outcome(_ frames: [EncryptedExcerpt.Frame]) -> Outcome {
        frameCount = frames.count
        switch excerpt.format {
        case .ac3: return checksums(frames)
        case .aac(let syntax): return elements(frames.map { $0[0] }, syntax)
        case .adts: return testEnds(frames.map { $0[0] })
        case .h264, .hevc: return units(frames)
        case .other: return .unknown
        }
    }

    /// Tests the NAL units of pictures.
    private mutating func units(_ frames: [EncryptedExcerpt.Frame]) -> Outcome {
        name = "lengths of NAL units"
        if frames.contains(where: \.isEmpty) { return .failed }
        name = "byte sequences in NAL units"
        if frames.contains(where: { $0.contains(where: NALByteRuns.isIllegal) }) { return .failed }
        guard excerpt.format == .hevc else { return .unknown }
        let slices = HEVCSliceTest(frames, parameterSets: excerpt.parameterSets)
        guard slices.count > 0 else { return .unknown }
        name = "ends of intra slices"
        if slices.passed == slices.count { return .passed }
        return slices.passed == 0 ? .failed : .unknown
    }

    /// Returns the parts without repetitions: the frames of silence are equal, and equal frames prove no more than one.
    private static func distinct(_ parts: some Sequence<ArraySlice<UInt8>>) -> [[UInt8]] {
        var known: Set<ArraySlice<UInt8>> = []
        return parts.filter { known.insert($0).inserted }.map { Array($0) }
    }

    // MARK: AC-3

    private mutating func checksums(_ frames: [EncryptedExcerpt.Frame]) -> Outcome {
        name = "checksums of frames"
        guard !frames.isEmpty else { return .unknown }
        let intact = frames.count { $0.allSatisfy(Self.isIntact) }
        if intact * 10 >= frames.count * 9 { return .passed }
        guard excerpt.hasConstantIV else { return .failed }
        let firsts = Self.distinct(frames.compactMap { $0.first.map { $0[...] } })
        let tails = firsts.count { AC3Checksum.isTailIntact($0) }
        if firsts.count >= Least.remainders, tails * 10 >= firsts.count * 9 { return .damagedFirstBlock }
        let groups = Dictionary(grouping: firsts, by: \.count).values.filter { $0.count >= Least.remainders }
        let isConstant = groups.contains { group in Set(group.map(AC3Checksum.remainder)).count == 1 }
        return isConstant ? .damagedFirstBlock : .failed
    }

    private static func isIntact(_ frame: [UInt8]) -> Bool {
        guard let header = try? AC3Syncframe(frame.span.bytes), header.size == frame.count else { return false }
        return AC3Checksum.remainder(frame) == 0
    }

    // MARK: AAC

    /// Tests raw data blocks, whose first block is encrypted.
    private mutating func elements(_ blocks: [[UInt8]], _ syntax: AACBlockSyntax) -> Outcome {
        name = "syntax of AAC frames"
        var known: Set<ArraySlice<UInt8>> = []
        let blocks = blocks.filter { known.insert($0.prefix(16)).inserted }
        frameCount = blocks.count
        guard blocks.count >= Least.elements else { return .unknown }
        let count = blocks.count { syntax.matches($0) }
        if count * 10 >= blocks.count * 9 { return .passed }
        guard blocks.count >= Least.failures, count * 2 < blocks.count else { return .unknown }
        // The first bytes of all frames are nearly equal, and stay so with a wrong constant vector.
        let firsts = Dictionary(grouping: blocks.compactMap(\.first), by: \.self).values.map(\.count).max() ?? 0
        guard excerpt.hasConstantIV, blocks.count >= Least.constants, firsts * 10 >= blocks.count * 6 else {
            return .failed
        }
        // Frames that begin with an unexpected program_config_element look the same.
        return blocks.first?.first.map { $0 >> 5 } == 5 ? .unknown : .damagedFirstBlock
    }

    /// Tests the ends of ADTS frames, whose first 16 bytes are clear. The end of a frame is encrypted if no partial block
    /// follows; the clear ends of the other frames show whether the encoder ends frames as expected.
    private mutating func testEnds(_ frames: [[UInt8]]) -> Outcome {
        name = "ends of AAC frames"
        var encrypted = Ends()
        var clear = (count: 0, passed: 0)
        var known: Set<ArraySlice<UInt8>> = []
        for frame in frames {
            guard let header = try? ADTSHeader(frame.span.bytes), header.blockCount == 1, !header.hasChecksum else {
                continue
            }
            let payload = frame.count - header.size
            guard payload >= 16 + 2 * 16, known.insert(frame.suffix(16)).inserted else { continue }
            let hasEnd = AACBlockSyntax.hasEnd(frame)
            switch payload % 16 {
            case 0: encrypted = Ends(count: encrypted.count + 1, passed: encrypted.passed + (hasEnd ? 1 : 0))
            case 1: break
            default: clear = (clear.count + 1, clear.passed + (hasEnd ? 1 : 0))
            }
        }
        frameCount = encrypted.count
        guard clear.count >= Least.calibration, clear.passed * 100 >= clear.count * 98 else { return .unknown }
        ends = encrypted
        if encrypted.prove { return .passedExceptVector }
        return encrypted.count >= Least.failures && encrypted.passed * 10 <= encrypted.count * 6 ? .failed : .unknown
    }
}
