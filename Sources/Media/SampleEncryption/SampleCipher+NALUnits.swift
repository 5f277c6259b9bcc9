import ByteCoding
import MediaFormats

extension SampleCipher {
    /// Whether SAMPLE-AES encrypts a NAL unit, header included: types 1 and 5 of more than 48 bytes.
    ///
    /// Of those that are, all bytes are escaped once more, even when no block is encrypted.
    public static func encrypts(nalUnit: RawSpan) -> Bool {
        nalUnit.byteCount >= SampleAESRules.shortestNALUnit
            && SampleAESRules.isEncrypted(header: nalUnit.unsafeLoad(as: UInt8.self))
    }

    /// Encrypts or decrypts one H.264 NAL unit of SAMPLE-AES and appends it to `output`.
    ///
    /// The NAL unit comes without start code and with its emulation prevention bytes. Encryption works on these bytes
    /// and then escapes all of them once more; decryption takes that outer layer off first, so that the inner one is
    /// left. NAL units that are not encrypted (other types than 1 and 5, or 48 bytes and less) are appended as they
    /// are.
    ///
    /// - Throws: ``SampleEncryptionError/Code/unsupported`` when the scheme is another one;
    ///   ``SampleEncryptionError/Code/invalidIV`` without a constant IV.
    public func appendNALUnit(_ nalUnit: RawSpan, to output: inout [UInt8]) throws(SampleEncryptionError) {
        guard scheme == .sampleAES(.h264) else {
            throw SampleEncryptionError(.unsupported, reason: "NAL units are encrypted one by one in SAMPLE-AES alone")
        }
        guard Self.encrypts(nalUnit: nalUnit) else {
            nalUnit.withUnsafeBytes { output.append(contentsOf: $0) }
            return
        }
        // Taken out of the object, so that it can be lent while the object works on it.
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

/// Appends what the kernels of `MediaFormats` write to a caller's memory.
enum NALUnitEscaping {
    /// Appends `bytes` with emulation prevention bytes put in.
    static func append(escaping bytes: RawSpan, to output: inout [UInt8]) {
        append(EmulationPrevention.maximumEscapedSize(of: bytes.byteCount), to: &output) { memory, start in
            EmulationPrevention.escape(bytes, into: &memory, at: start)
        }
    }

    /// Appends `bytes` with emulation prevention bytes taken out.
    static func append(unescaping bytes: RawSpan, to output: inout [UInt8]) {
        append(bytes.byteCount, to: &output) { memory, start in
            EmulationPrevention.unescape(bytes, into: &memory, at: start)
        }
    }

    /// Makes room for `count` bytes, and takes back what was not written.
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
