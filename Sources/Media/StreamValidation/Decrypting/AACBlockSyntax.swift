import ByteCoding
import MediaFormats

/// The syntax of the first elements of an AAC raw data block, which a wrong key changes (ISO/IEC 14496-3, 4.4.2).
///
///     id_syn_ele              3 bits   0 SCE, 1 CPE, 2 CCE, 3 LFE, 4 DSE, 5 PCE, 6 FIL, 7 END
///     element_instance_tag    4 bits   all but FIL and END
///     common_window           1 bit    CPE
///     global_gain             8 bits   SCE, LFE, and CPE without a common window
///     ics_reserved_bit        1 bit    0
///     window_sequence         2 bits
///     window_shape            1 bit
///     max_sfb                 4 or 6 bits
///     scale_factor_grouping   7 bits   eight short windows
///     predictor_data_present  1 bit    otherwise; 0 in AAC-LC
///     ms_mask_present         2 bits   CPE with a common window; not 3
///     sect_cb, sect_len_incr  ...      AAC-LC: the sections have max_sfb bands together
///
/// Random bytes have this form in about 1 of 100 cases. With a wrong vector, which changes the first bytes of all frames in
/// the same way, the sections decide: they differ from frame to frame.
struct AACBlockSyntax: Hashable, Sendable {
    /// The numbers of scale factor bands of long and short windows by the index of the sample rate (tables 4.129 to
    /// 4.147).
    private static let bandCounts: [(long: Int, short: Int)] = [
        (41, 12), (41, 12), (47, 12), (49, 14), (49, 14), (51, 14), (47, 15), (47, 15), (43, 15), (43, 15), (43, 15),
        (40, 15), (40, 15),
    ]

    /// The audio object type: 1 to 4.
    let objectType: UInt8
    /// The index of the sample rate.
    let frequencyIndex: Int
    /// The channel configuration; 0 if a program_config_element specifies the channels.
    let channelConfiguration: Int

    /// Creates the syntax of blocks; nil for object types with another syntax.
    init?(objectType: UInt8, frequencyIndex: UInt8, channelConfiguration: UInt8) {
        guard (1...4).contains(objectType), Int(frequencyIndex) < Self.bandCounts.count else { return nil }
        self.objectType = objectType
        self.frequencyIndex = Int(frequencyIndex)
        self.channelConfiguration = Int(channelConfiguration)
    }

    /// Returns whether a block begins with the elements that its configuration requires.
    func matches(_ block: [UInt8]) -> Bool {
        var reader = BitReader(block.span.bytes, emulationPrevention: false)
        return (try? matches(&reader)) ?? false
    }

    private func matches(_ reader: inout BitReader) throws(ParseError) -> Bool {
        // Fill, data and program elements can precede the channels; a block has few of them.
        for _ in 0..<8 {
            switch try reader.readInt(3, "element") {
            case 0: return channelConfiguration == 2 ? false : try isSingle(&reader)
            case 1:
                // Configurations 3 to 7 begin with the center channel.
                return channelConfiguration == 0 || channelConfiguration == 2 ? try isPair(&reader) : false
            case 4: try skipData(&reader)
            case 6: try skipFill(&reader)
            // A program element is only expected where the configuration requires one.
            case 5: return channelConfiguration == 0
            default: return false
            }
        }
        return false
    }

    private func isSingle(_ reader: inout BitReader) throws(ParseError) -> Bool {
        try reader.skip(bits: 4 + 8, "instance tag and gain")
        guard let window = try window(&reader) else { return false }
        return try hasSections(window, &reader)
    }

    private func isPair(_ reader: inout BitReader) throws(ParseError) -> Bool {
        try reader.skip(bits: 4, "instance tag")
        guard try reader.readFlag("common window") else {
            try reader.skip(bits: 8, "gain")
            guard let window = try window(&reader) else { return false }
            return try hasSections(window, &reader)
        }
        guard let window = try window(&reader) else { return false }
        guard objectType == 2 else { return true }
        switch try reader.readInt(2, "ms_mask_present") {
        case 1: try reader.skip(bits: window.bandCount * window.groupCount, "ms_used")
        case 3: return false
        default: break
        }
        try reader.skip(bits: 8, "gain")
        return try hasSections(window, &reader)
    }

    private struct Window {
        let isShort: Bool
        let bandCount: Int
        let groupCount: Int
    }

    /// Reads ics_info(); nil if a field has no valid value.
    private func window(_ reader: inout BitReader) throws(ParseError) -> Window? {
        guard try !reader.readFlag("reserved bit") else { return nil }
        let isShort = try reader.readInt(2, "window sequence") == 2
        try reader.skip(bits: 1, "window shape")
        let bands = Self.bandCounts[frequencyIndex]
        let count = try reader.readInt(isShort ? 4 : 6, "max_sfb")
        guard count <= (isShort ? bands.short : bands.long) else { return nil }
        if isShort {
            let grouping = try reader.readInt(7, "scale_factor_grouping")
            return Window(isShort: true, bandCount: count, groupCount: 8 - grouping.nonzeroBitCount)
        }
        let hasPrediction = try reader.readFlag("predictor data")
        guard objectType != 2 || !hasPrediction else { return nil }
        return Window(isShort: false, bandCount: count, groupCount: 1)
    }

    /// Reads section_data(), whose sections have exactly as many bands as the window. The other object types than AAC-LC
    /// have more fields before it, and pass.
    private func hasSections(_ window: Window, _ reader: inout BitReader) throws(ParseError) -> Bool {
        guard objectType == 2 else { return true }
        let size = window.isShort ? 3 : 5
        for _ in 0..<window.groupCount {
            var band = 0
            while band < window.bandCount {
                // Codebook 12 is reserved.
                guard try reader.readInt(4, "sect_cb") != 12 else { return false }
                var increment = 0
                repeat {
                    increment = try reader.readInt(size, "sect_len_incr")
                    band += increment
                } while increment == 1 << size - 1 && band <= window.bandCount
                guard band <= window.bandCount else { return false }
            }
        }
        return true
    }

    private func skipData(_ reader: inout BitReader) throws(ParseError) {
        try reader.skip(bits: 4, "instance tag")
        let isAligned = try reader.readFlag("alignment")
        var count = try reader.readInt(8, "count")
        if count == 255 { count += try reader.readInt(8, "count") }
        while isAligned, !reader.isByteAligned { try reader.skip(bits: 1, "alignment") }
        try reader.skip(bits: 8 * count, "data")
    }

    private func skipFill(_ reader: inout BitReader) throws(ParseError) {
        var count = try reader.readInt(4, "count")
        if count == 15 { count += try reader.readInt(8, "count") - 1 }
        try reader.skip(bits: 8 * count, "fill data")
    }

    /// Returns whether a block ends with ID_END (three 1 bits) and fewer than eight 0 bits, as a quarter of random
    /// bytes do.
    static func hasEnd(_ block: [UInt8]) -> Bool {
        guard let last = block.last, last != 0 else { return false }
        let before = UInt16(block.dropLast().last ?? 0) << 8
        return (before | UInt16(last)) >> UInt16(last.trailingZeroBitCount) & 7 == 7
    }
}
