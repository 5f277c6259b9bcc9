import FPSCrypto
import MediaFormats
import SampleEncryption

/// Finds out whether a key opens an excerpt, and if not, what does.
struct ExcerptJudge {
    /// An initialization vector to try, with its source as a part of a sentence.
    struct Vector {
        var source: String
        var iv: CipherIV
    }

    /// A key to try if the right one does not open the excerpt.
    struct Candidate {
        var key: SecretBytes
        /// The vector that was delivered with it.
        var iv: CipherIV?
        var reason: MeasuredDecryption.OtherKey
    }

    /// The result for an excerpt.
    struct Result {
        var verdict: MeasuredDecryption.Verdict
        var frameCount: Int
        var evidence: String
        var opensWith: MeasuredDecryption.OtherKey?
        var opensWithIV: String?
        var ends = FrameTests.Ends()
    }

    let excerpt: EncryptedExcerpt
    /// The decoder; nil if it is not used for this excerpt.
    let decoder: (any ExternalDecoder)?
    /// The decrypted pictures from the last key frame to the excerpt, as a byte stream without parameter sets, for a decoder; empty
    /// if the excerpt starts at a key frame, or they are not known.
    var precedingPictures: [UInt8] = []
    /// True if the decoder has found errors with a wrong key in an earlier excerpt of the track, so that none is a proof.
    var trustsDecoder = false
    /// The number of errors that the decoder finds with a key that is certainly wrong; nil if it is not known yet.
    private var control: Int?

    /// Creates a judge of one excerpt.
    init(excerpt: EncryptedExcerpt, decoder: (any ExternalDecoder)?) {
        (self.excerpt, self.decoder) = (excerpt, decoder)
    }

    /// Judges a key; nil if there is no key and the excerpt is not clear.
    ///
    /// - Parameters:
    ///   - key: The key that the playlist refers to; nil without a key.
    ///   - delivered: The vector for media that contain none.
    ///   - vectors: Other vectors to try.
    ///   - candidates: Other keys to try.
    mutating func judge(
        key: SecretBytes?,
        delivered: CipherIV?,
        vectors: [Vector],
        candidates: [Candidate]
    ) async -> Result? {
        guard let key else {
            let (outcome, tests) = await test(excerpt.undecrypted(), mayDecode: false)
            return outcome == .passed ? result(.notEncrypted, tests) : nil
        }
        let vector = excerpt.mediaIV == nil ? delivered : nil
        guard let frames = excerpt.decrypted(key: key, iv: vector) else {
            let hasVector = excerpt.mediaIV != nil || delivered != nil
            let reason = hasVector ? "it cannot be decrypted" : "there is no initialization vector"
            return Result(verdict: .undecided, frameCount: 0, evidence: reason)
        }
        let (outcome, tests) = await test(frames)
        switch outcome {
        case .passed: return result(.opened, tests)
        case .damagedFirstBlock:
            var result = result(.wrongIV, tests)
            result.opensWithIV = await working(vectors, key)
            return result
        case .passedExceptVector:
            var result = result(.undecided, tests)
            result.evidence += ", which do not depend on the initialization vector"
            return result
        case .unknown:
            // A clear segment is certain only by the tests themselves.
            let (raw, rawTests) = await test(excerpt.undecrypted(), mayDecode: false)
            if raw == .passed { return result(.notEncrypted, rawTests) }
            guard let source = await working(vectors, key) else { return result(.undecided, tests) }
            var result = result(.wrongIV, tests)
            result.opensWithIV = source
            return result
        case .failed: break
        }
        if await test(excerpt.undecrypted()).outcome == .passed { return result(.notEncrypted, tests) }
        if let source = await working(vectors, key) {
            var result = result(.wrongIV, tests)
            result.opensWithIV = source
            return result
        }
        var result = result(.wrongKey, tests)
        for candidate in candidates {
            let vector = excerpt.mediaIV == nil ? candidate.iv : nil
            guard let frames = excerpt.decrypted(key: candidate.key, iv: vector) else { continue }
            switch await test(frames).outcome {
            case .passed, .passedExceptVector, .damagedFirstBlock:
                result.opensWith = candidate.reason
                return result
            case .failed, .unknown: continue
            }
        }
        return result
    }

    private func result(_ verdict: MeasuredDecryption.Verdict, _ tests: FrameTests) -> Result {
        Result(verdict: verdict, frameCount: tests.frameCount, evidence: tests.name, ends: tests.ends)
    }

    /// Returns the source of the first vector with which the key opens the excerpt.
    private mutating func working(_ vectors: [Vector], _ key: SecretBytes) async -> String? {
        for vector in vectors {
            guard let frames = excerpt.decrypted(key: key, iv: vector.iv) else { continue }
            if await test(frames).outcome == .passed { return vector.source }
        }
        return nil
    }

    // MARK: Tests

    private typealias Tested = (outcome: FrameTests.Outcome, tests: FrameTests)

    private mutating func test(_ frames: [EncryptedExcerpt.Frame], mayDecode: Bool = true) async -> Tested {
        var tests = FrameTests(excerpt)
        let outcome = tests.outcome(frames)
        guard mayDecode, outcome == .unknown || outcome == .passedExceptVector,
            let decoded = await decode(frames)
        else { return (outcome, tests) }
        tests.record(FrameTests.decoding, frames.count)
        guard decoded.errorCount > 0 || decoded.frameCount > 0 else { return (outcome, tests) }
        if decoded.errorCount == 0, trustsDecoder { return (.passed, tests) }
        // The result of a key that is certainly wrong shows whether the decoder can tell at all.
        let least = if let control { control } else { await controlErrorCount }
        control = least
        trustsDecoder = least > 0
        guard least > 0 else { return (outcome, tests) }
        if decoded.errorCount == 0 { return (.passed, tests) }
        // A key that was right by a test which does not depend on the vector leaves only the vector.
        if outcome == .passedExceptVector { return (.damagedFirstBlock, tests) }
        return (decoded.errorCount * 4 >= least ? .failed : .unknown, tests)
    }

    /// The number of errors that the decoder finds with a key that is certainly wrong, a constant that no content has; 0 if it
    /// cannot tell.
    private var controlErrorCount: Int {
        get async {
            let key = SecretBytes(copying: Array("no content's key".utf8))
            let iv = excerpt.mediaIV == nil ? CipherIV(mediaSequenceNumber: .max) : nil
            guard let frames = excerpt.decrypted(key: key, iv: iv) else { return 0 }
            // Without NAL units there is nothing to decode, which is an error too.
            if frames.contains(where: \.isEmpty) { return 1 }
            return await decode(frames)?.errorCount ?? 0
        }
    }

    /// Returns NAL units as a byte stream (ITU-T H.264, annex B).
    static func byteStream(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

    private func decode(_ frames: [EncryptedExcerpt.Frame]) async -> ExternalDecoderResult? {
        guard let decoder, !frames.isEmpty else { return nil }
        switch excerpt.format {
        case .h264, .hevc:
            guard excerpt.startsAtKeyFrame || !precedingPictures.isEmpty else { return nil }
            let pictures = precedingPictures + Self.byteStream(frames.flatMap(\.self))
            let stream = Self.byteStream(excerpt.parameterSets) + pictures
            return await decoder.decode(stream, as: excerpt.format == .h264 ? .h264 : .hevc)
        case .adts: return await decoder.decode(frames.flatMap { $0.flatMap(\.self) }, as: .aac)
        case .aac, .ac3, .other: return nil
        }
    }
}
