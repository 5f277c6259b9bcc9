/// Byte sequences that a NAL unit cannot contain (ITU-T H.264, 7.4.1; H.265, 7.4.2): three bytes 00 00 00, 00 00 01 or 00 00
/// 02, and a last byte of 0. In decrypted bytes they prove a wrong key; their absence proves nothing.
enum NALByteRuns {
    /// Returns whether a NAL unit, without its start code or length, contains such a sequence.
    static func isIllegal(_ unit: [UInt8]) -> Bool {
        // Trailing zeros between NAL units of a byte stream do not belong to the unit.
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte <= 2 { return true }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return unit.last == 0
    }
}
