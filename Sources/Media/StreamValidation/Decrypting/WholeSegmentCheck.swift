import ByteCoding
import FPSCrypto
import MediaDecryption
import SampleEncryption

/// Opens a segment that is encrypted as a whole (METHOD=AES-128), and finds out whether the key and the vector are right.
struct WholeSegmentCheck {
    /// The result: the clear segment, if the key is right.
    struct Result {
        var verdict: MeasuredDecryption.Verdict
        var clear: [UInt8]?
        var opensWith: MeasuredDecryption.OtherKey?
        var opensWithIV: String?
    }

    let segment: [UInt8]

    /// Checks a key; nil if there is no key and the segment is not clear.
    func judge(
        key: SecretBytes?,
        iv: CipherIV?,
        vectors: [ExcerptJudge.Vector],
        candidates: [ExcerptJudge.Candidate]
    ) -> Result? {
        if SegmentContent.mismatch(segment.span.bytes) == nil { return Result(verdict: .notEncrypted, clear: segment) }
        guard let key else { return nil }
        guard let iv = iv ?? vectors.first?.iv else { return Result(verdict: .undecided) }
        if let clear = decrypted(key, iv) {
            if SegmentContent.mismatch(clear.span.bytes) == nil { return Result(verdict: .opened, clear: clear) }
            // A wrong vector damages the first 16 bytes only, which are those that identify the format.
            for vector in vectors {
                let start = [UInt8](zip(zip(clear.prefix(16), iv.bytes).map(^), vector.iv.bytes).map(^))
                let corrected = start + clear.dropFirst(16)
                guard SegmentContent.mismatch(corrected.span.bytes) == nil else { continue }
                return Result(verdict: .wrongIV, clear: corrected, opensWithIV: vector.source)
            }
            if Self.isMedia(withoutStart: clear) { return Result(verdict: .wrongIV) }
        }
        for candidate in candidates {
            guard let clear = decrypted(candidate.key, iv),
                SegmentContent.mismatch(clear.span.bytes) == nil || Self.isMedia(withoutStart: clear)
            else { continue }
            return Result(verdict: .wrongKey, opensWith: candidate.reason)
        }
        return Result(verdict: .wrongKey)
    }

    private func decrypted(_ key: SecretBytes, _ iv: CipherIV) -> [UInt8]? {
        try? RenditionDecryptor.decryptWhole(segment, DecryptionKey(key: key, iv: iv), name: "segment")
    }

    /// Returns whether bytes whose first 16 are damaged are media: transport packets, boxes, or an ID3 tag.
    static func isMedia(withoutStart bytes: [UInt8]) -> Bool {
        let packets = stride(from: 188, to: min(bytes.count, 188 * 6), by: 188)
        if bytes.count >= 188 * 4, packets.allSatisfy({ bytes[$0] == 0x47 }) { return true }
        let start = bytes.dropFirst(16).prefix(240)
        let marks = ["moof", "mfhd", "sidx", "mdat", "msdh", "msix", "moov", "com.apple.streaming"]
        let text = String(decoding: start.map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
        return marks.contains { text.contains($0) }
    }
}
