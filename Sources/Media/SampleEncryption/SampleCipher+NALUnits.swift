import ByteCoding
import MediaFormats

extension SampleCipher {
    /// Returns whether SAMPLE-AES encrypts a NAL unit, given with its header: types 1 and 5 with more than 48 bytes.
    ///
    /// In such a NAL unit all bytes are escaped once more, even if no block is encrypted.
    public static func encrypts(nalUnit: RawSpan) -> Bool {
        nalUnit.byteCount >= SampleAESRules.minimumNALUnitSize
            && SampleAESRules.isEncrypted(header: nalUnit.unsafeLoad(as: UInt8.self))
    }

    /// Encrypts or decrypts one H.264 NAL unit with SAMPLE-AES and appends the result to `output`.
    ///
    /// `nalUnit` has no start code and includes its emulation prevention bytes. Encryption processes these bytes and
    /// then escapes the result once more. Decryption removes the outer escaping first and keeps the inner one. NAL
    /// units that are not encrypted (types other than 1 and 5, or at most 48 bytes) are appended unchanged.
    ///
    /// - Throws: ``SampleEncryptionError/Code/unsupported`` if the scheme is not SAMPLE-AES for H.264;
    ///   ``SampleEncryptionError/Code/invalidIV`` if there is no constant IV.
    public func appendNALUnit(_ nalUnit: RawSpan, to output: inout [UInt8]) throws(SampleEncryptionError) {
        guard scheme == .sampleAES(.h264) else {
            throw SampleEncryptionError(
                .unsupported,
                reason: "single NAL units can be encrypted only with SAMPLE-AES for H.264"
            )
        }
        guard Self.encrypts(nalUnit: nalUnit) else {
            nalUnit.withUnsafeBytes { output.append(contentsOf: $0) }
            return
        }
        // The array is moved out of the object, so that `process` can access both exclusively.
        var unit: [UInt8] = []
        swap(&unit, &scratch)
        defer { swap(&unit, &scratch) }
        unit.removeAll(keepingCapacity: true)
        if direction == .encrypt {
            nalUnit.withUnsafeBytes { unit.append(contentsOf: $0) }
        } else {
            NALUnitEscaping.append(unescaping: nalUnit, to: &unit)
        }
        var batch = SampleBatch()
        batch.append(offset: 0, size: unit.count)
        try process(batch, in: &unit)
        if direction == .encrypt {
            NALUnitEscaping.append(escaping: unit.span.bytes, to: &output)
        } else {
            output.append(contentsOf: unit)
        }
    }
}

/// Appends bytes with emulation prevention bytes inserted or removed.
enum NALUnitEscaping {
    /// Appends `bytes` with emulation prevention bytes inserted.
    static func append(escaping bytes: RawSpan, to output: inout [UInt8]) {
        append(EmulationPrevention.maximumEscapedSize(of: bytes.byteCount), to: &output) { memory, start in
            EmulationPrevention.escape(bytes, into: &memory, at: start)
        }
    }

    /// Appends `bytes` with emulation prevention bytes removed.
    static func append(unescaping bytes: RawSpan, to output: inout [UInt8]) {
        append(bytes.byteCount, to: &output) { memory, start in
            EmulationPrevention.unescape(bytes, into: &memory, at: start)
        }
    }

    /// Reserves `count` bytes at the end of `output`, calls `write`, and removes the bytes that were not written.
    private static func append(
        _ count: Int,
        to output: inout [UInt8],
        _ write: (inout MutableRawSpan, Int) -> Int?
    ) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        var span = output.mutableSpan
        var memory = span.mutableBytes
        let written = write(&memory, start) ?? 0
        output.removeLast(count - written)
    }
}
