import ByteCoding
import FPSCrypto
import HLSPlaylist
import MediaDecryption
import SampleEncryption

/// Opens a segment that is encrypted as a whole, and finds out whether the key and the vector are right.
///
/// For METHOD=AES-256-GCM (RFC 8216bis, 4.4.4.4), the usual arrangement is assumed: a nonce of 12 bytes before the ciphertext,
/// and a tag of 16 bytes after it. The tag proves which key is right; without proof there is no verdict, because the segment
/// could be arranged in another way.
struct WholeSegmentCheck {
    /// The encryption of a segment.
    enum Method {
        /// AES-128 in cipher block chaining mode (METHOD=AES-128).
        case aes128CBC
        /// AES-256 in Galois/Counter Mode (METHOD=AES-256-GCM).
        case aes256GCM

        /// The method of a tag; nil if its segments are not encrypted as a whole.
        init?(_ tag: KeyTag) {
            switch tag.method {
            case .aes128: self = .aes128CBC
            case .aes256GCM: self = .aes256GCM
            default: return nil
            }
        }

        /// The evidence of a verdict, as a part of a sentence.
        var evidence: String {
            switch self {
            case .aes128CBC: "the format of the segment"
            case .aes256GCM: "the authentication tag of the segment"
            }
        }
    }

    /// The result: the clear segment, if the key is right.
    struct Result {
        var verdict: MeasuredDecryption.Verdict
        var clear: [UInt8]?
        var opensWith: MeasuredDecryption.OtherKey?
        var opensWithIV: String?
    }

    let segment: [UInt8]
    var method = Method.aes128CBC

    /// Checks a key; nil if there is no key and the segment is not clear.
    func judge(
        key: SecretBytes?,
        iv: CipherIV?,
        vectors: [ExcerptJudge.Vector],
        candidates: [ExcerptJudge.Candidate]
    ) -> Result? {
        if SegmentContent.mismatch(segment.span.bytes) == nil { return Result(verdict: .notEncrypted, clear: segment) }
        guard let key else { return nil }
        if method == .aes256GCM { return judge(key, candidates) }
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

    /// Checks a key for AES-256-GCM.
    private func judge(_ key: SecretBytes, _ candidates: [ExcerptJudge.Candidate]) -> Result {
        if let clear = Self.opened(segment, key: key) { return Result(verdict: .opened, clear: clear) }
        guard let other = candidates.first(where: { Self.opened(segment, key: $0.key) != nil }) else {
            return Result(verdict: key.count == AES256GCM.keySize ? .undecided : .wrongKey)
        }
        return Result(verdict: .wrongKey, opensWith: other.reason)
    }

    /// Returns the clear bytes of a segment or an init segment with AES-256-GCM; nil if the key does not open it.
    static func opened(_ segment: [UInt8], key: SecretBytes) -> [UInt8]? {
        guard key.count == AES256GCM.keySize else { return nil }
        return (try? AES256GCM.open(segment, key: key))?.reveal()
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
