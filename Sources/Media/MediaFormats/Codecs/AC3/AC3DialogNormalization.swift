import ByteCoding

extension AC3Syncframe {
    /// The number of bytes of a syncframe that contain `dialnorm`. SAMPLE-AES leaves 16 bytes clear.
    public static let dialogNormalizationSize = 8

    /// Returns the `dialnorm` of a syncframe: the level of the dialog is that many decibels below full scale, 1 to 31; 0 is
    /// reserved (ETSI TS 102 366, 4.4.2.8 and E.1.2.2).
    ///
    ///     AC-3:     5 bits after lfeon
    ///     E-AC-3:   5 bits after bsid
    ///
    /// - Returns: nil if the bytes are not the start of a syncframe, or fewer than ``dialogNormalizationSize``.
    public static func dialogNormalization(_ bytes: RawSpan) -> UInt8? {
        guard bytes.byteCount >= dialogNormalizationSize, let header = try? AC3Syncframe(bytes) else { return nil }
        // Both begin within the sixth to the eighth byte.
        let word = bytes.load(4, as: UInt32.self)
        var position = 13
        if !header.isEnhanced {
            // acmod and lfeon.
            position = 16 + 4
            if header.codingMode & 1 == 1, header.codingMode != 1 { position += 2 }
            if header.codingMode & 4 != 0 { position += 2 }
            if header.codingMode == 2 { position += 2 }
        }
        return UInt8(word >> UInt32(32 - position - 5) & 31)
    }
}
