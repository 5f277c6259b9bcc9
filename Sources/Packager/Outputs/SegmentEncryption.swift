import SampleEncryption

/// METHOD=AES-128 around any ``SegmentWriter``: what it writes passes through AES-128-CBC with PKCS #7 padding
/// (RFC 8216bis, 4.4.4.4).
final class SegmentEncryption {
    private let protection: TrackProtection

    init(_ protection: TrackProtection) throws {
        self.protection = protection
    }

    /// Begins a segment: its vector is the given one, or its Media Sequence Number.
    func begin(_ number: Int, to output: any SegmentOutput) throws -> EncryptedOutput {
        let iv = protection.iv ?? InitializationVector(mediaSequenceNumber: UInt64(number))
        return EncryptedOutput(
            try SegmentStream(.encrypt, key: protection.key, iv: iv),
            to: output
        )
    }
}

/// A segment that is encrypted on its way.
final class EncryptedOutput: SegmentOutput {
    private var stream: SegmentStream?
    private let output: any SegmentOutput
    private var buffer: [UInt8] = []
    private(set) var count = 0

    init(_ stream: consuming SegmentStream, to output: any SegmentOutput) {
        self.stream = consume stream
        self.output = output
    }

    func write(_ bytes: RawSpan) throws {
        count += bytes.byteCount
        var start = 0
        while start < bytes.byteCount {
            let end = min(bytes.byteCount, start + 128 << 10)
            buffer.removeAll(keepingCapacity: true)
            try stream?.append(bytes.extracting(start..<end), to: &buffer)
            try output.write(buffer)
            start = end
        }
    }

    /// Writes the padding.
    func finish() throws {
        buffer.removeAll(keepingCapacity: true)
        guard let stream = stream.take() else { return }
        try stream.finish(to: &buffer)
        try output.write(buffer)
    }
}
