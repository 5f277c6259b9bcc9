import FPSCrypto
import SampleEncryption

/// Encrypts a whole segment as it is written to another output, as a single CBC chain.
final class EncryptedOutput: SegmentOutput {
    /// The number of bytes encrypted at a time, which fit in the CPU cache.
    private static let partSize = 64 << 10

    private let output: any SegmentOutput
    private var stream: SegmentStreamCipher?
    private var encrypted: [UInt8] = []
    /// The number of clear bytes written, so that the offsets of key frames refer to clear bytes.
    private(set) var count = 0

    init(_ output: any SegmentOutput, key: SecretBytes, iv: CipherIV) throws {
        self.output = output
        stream = try SegmentStreamCipher(.encrypt, key: key, iv: iv)
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

    /// Completes the segment with its padding. Nothing can be written afterwards.
    func finish() throws {
        encrypted.removeAll(keepingCapacity: true)
        if let stream = stream.take() { try stream.finish(to: &encrypted) }
        try output.write(encrypted)
    }
}
