import COpenSSL
import FPSCrypto
import Foundation
import Measuring
import SampleEncryption

/// An encryption of a player's segments, and the work of decrypting one.
private struct DecryptionCase {
    let name: String
    /// The number of bytes of media, and the number of encrypted bytes.
    let size: Int
    let encrypted: Int
    let run: () throws -> Void
}

/// Measures the decryption of a segment of 6 seconds relative to libcrypto's AES-128-CBC over the same number of
/// encrypted bytes, contiguous and with one IV: the minimum of work.
func benchDecryption(rounds: Int) throws {
    print("\nDecryption on one core, MB per second of its time; medians of \(rounds) rounds, alternating\n")
    let columns = [("", 26), ("media", 10), ("encrypted", 12), ("libcrypto", 12), ("ratio", 8), ("min", 8), ("max", 8)]
    print(columns.map { pad($0.0, $0.1) }.joined())
    for one in try decryptionCases() {
        let raw = RawCBC(size: one.encrypted)
        // 64 MB of encrypted bytes per round: tens of milliseconds.
        let times = max(1, 64_000_000 / one.encrypted)
        var pairs: [(ours: Double, raw: Double)] = []
        for round in 0...rounds {
            let begin = threadSeconds()
            for _ in 0..<times { try one.run() }
            let middle = threadSeconds()
            for _ in 0..<times { precondition(raw.decrypt()) }
            // The first round is a warm-up.
            if round > 0 { pairs.append((middle - begin, threadSeconds() - middle)) }
        }
        func rate(_ bytes: Int, _ seconds: [Double]) -> String {
            String(format: "%.0f", Double(bytes * times) / seconds.sorted()[rounds / 2] / 1e6)
        }
        let ratios = pairs.map { $0.raw / $0.ours }.sorted()
        let cells = [
            (one.name, 26), (rate(one.size, pairs.map(\.ours)), 10), (rate(one.encrypted, pairs.map(\.ours)), 12),
            (rate(one.encrypted, pairs.map(\.raw)), 12), (String(format: "%.2f", ratios[rounds / 2]), 8),
            (String(format: "%.2f", ratios[0]), 8), (String(format: "%.2f", ratios[rounds - 1]), 8),
        ]
        print(cells.map { pad($0.0, $0.1) }.joined())
    }
}

private func decryptionCases() throws -> [DecryptionCase] {
    let key = SecretBytes(copying: Array(0..<16))
    let iv = try CipherIV(Array(16..<32))
    return [
        // 25 frames per second at 4 Mbit/s, and 48 kHz AAC at 128 kbit/s.
        try samples("cbcs video, 1 block of 10", .cbcsVideo, count: 150, clear: 32, protected: 20_000, key, iv),
        try samples("cbcs audio", .cbcsAudio, count: 281, clear: 0, protected: 336, key, iv),
        try segment("AES-128", size: 3_000_000, key, iv),
    ]
}

private func samples(
    _ name: String,
    _ scheme: ProtectionScheme,
    count: Int,
    clear: Int,
    protected: Int,
    _ key: SecretBytes,
    _ iv: CipherIV
) throws -> DecryptionCase {
    let size = clear + protected
    var batch = SampleBatch()
    for index in 0..<count {
        let offset = index * size
        if clear > 0 {
            batch.append(offset: offset, size: size, subsamples: [Subsample(clear: clear, protected: protected)])
        } else {
            batch.append(offset: offset, size: size)
        }
    }
    let cipher = try SampleCipher(scheme, .decrypt, key: key, constantIV: iv)
    // The decrypted result takes the same time to decrypt again.
    var bytes = [UInt8](repeating: 0x5a, count: count * size)
    let before = bytes
    try cipher.process(batch, in: &bytes)
    // A clear byte is unchanged; an encrypted one is unchanged in one of 256 cases. So blocks are counted, not bytes.
    let blocks = (0..<count).reduce(0) { sum, index in
        let start = index * size + clear
        return sum
            + stride(from: start, to: start + protected / 16 * 16, by: 16).count {
                bytes[$0..<$0 + 16] != before[$0..<$0 + 16]
            }
    }
    return DecryptionCase(name: name, size: bytes.count, encrypted: blocks * 16) {
        try cipher.process(batch, in: &bytes)
    }
}

/// Makes a copy each time, because padding can be removed only once.
private func segment(
    _ name: String,
    size: Int,
    _ key: SecretBytes,
    _ iv: CipherIV
) throws -> DecryptionCase {
    let cipher = try SegmentCipher(key: key)
    var segments = [[UInt8](repeating: 0x47, count: size)]
    try cipher.encrypt(&segments, ivs: [iv])
    let encrypted = segments[0]
    return DecryptionCase(name: name, size: size, encrypted: encrypted.count) {
        var segment = encrypted
        try cipher.decrypt(&segment, iv: iv)
        precondition(segment.count == size)
    }
}

/// The lower bound: libcrypto's AES-128-CBC over contiguous bytes.
private final class RawCBC {
    private let context: OpaquePointer?
    private let key = [UInt8](0..<16)
    private let iv = [UInt8](16..<32)
    private var bytes: [UInt8]

    init(size: Int) {
        context = EVP_CIPHER_CTX_new()
        bytes = [UInt8](repeating: 0x5a, count: size)
        precondition(EVP_DecryptInit_ex(context, EVP_aes_128_cbc(), nil, key, iv) == 1)
        EVP_CIPHER_CTX_set_padding(context, 0)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func decrypt() -> Bool {
        var length: Int32 = 0
        return bytes.withUnsafeMutableBufferPointer { bytes in
            EVP_DecryptInit_ex(context, nil, nil, nil, iv) == 1
                && EVP_DecryptUpdate(context, bytes.baseAddress, &length, bytes.baseAddress, Int32(bytes.count)) == 1
        }
    }
}
