import FPSCrypto
import SampleEncryption

/// Encrypts a whole segment on its way to another output: one chain, as the bytes come.
final class EncryptedOutput: SegmentOutput {
    /// How much is encrypted at once: it stays in the cache.
    private static let partSize = 64 << 10

    private let output: any SegmentOutput
    private var stream: SegmentStream?
    private var encrypted: [UInt8] = []
    /// How many clear bytes came, so that key frames are counted in these.
    private(set) var count = 0

    init(_ output: any SegmentOutput, key: SecretBytes, iv: CipherIV) throws {
        self.output = output
        stream = try SegmentStream(.encrypt, key: key, iv: iv)
    }

    func write(_ bytes: RawSpan) throws {
        for start in stride(from: 0, to: bytes.byteCount, by: Self.partSize) {
            let end = min(start + Self.partSize, bytes.byteCount)
            encrypted.removeAll(keepingCapacity: true)
            try stream?.append(bytes.extracting(start..<end), to: &encrypted)
            try output.write(encrypted)
        }
        count += bytes.byteCount
    }

    /// Ends the segment with its padding. Nothing can be written after that.
    func finish() throws {
        encrypted.removeAll(keepingCapacity: true)
        if let stream = stream.take() { try stream.finish(to: &encrypted) }
        try output.write(encrypted)
    }
}
