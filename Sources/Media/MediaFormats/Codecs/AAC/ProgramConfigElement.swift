public import ByteCoding

/// The channel layout of AAC if it is not one of table 1.19: program_config_element() (ISO/IEC 14496-3, 4.4.1.1).
///
///     element_instance_tag          4 bits
///     object_type                   2 bits   the audio object type minus 1
///     sampling_frequency_index      4 bits
///     num_front_channel_elements    4 bits
///     num_side_channel_elements     4 bits
///     num_back_channel_elements     4 bits
///     num_lfe_channel_elements      2 bits
///     num_assoc_data_elements       3 bits
///     num_valid_cc_elements         4 bits
///     mono_mixdown                  1 bit, and 4 bits if that is 1
///     stereo_mixdown                1 bit, and 4 bits
///     matrix_mixdown                1 bit, and 3 bits
///     front, side, back elements    is_cpe 1 bit, tag 4 bits each
///     LFE, associated data          tag 4 bits each
///     coupling channels             is_ind_sw 1 bit, tag 4 bits each
///     byte_alignment
///     comment_field_bytes           8 bits
///     comment_field_data
public struct ProgramConfigElement: Hashable, Sendable {
    /// A channel element or a coupling channel.
    public struct Element: Hashable, Sendable {
        /// For a channel element, whether it is a channel pair. For a coupling channel, whether it is independently
        /// switched.
        public var flag: Bool
        /// The tag of the element in the bit stream, 4 bits.
        public var tag: UInt8

        /// Creates an element.
        public init(flag: Bool, tag: UInt8) {
            self.flag = flag
            self.tag = tag
        }
    }

    /// The instance tag of the element, 4 bits.
    public var instanceTag: UInt8 = 0
    /// The audio object type minus 1, 2 bits.
    public var objectType: UInt8 = 1
    /// The index of the sample rate in the table, 4 bits. The rate in an AudioSpecificConfig takes precedence.
    public var frequencyIndex: UInt8
    /// The tag of the element with a mono mixdown, if any.
    public var monoMixdown: UInt8?
    /// The tag of the element with a stereo mixdown, if any.
    public var stereoMixdown: UInt8?
    /// The matrix mixdown of five channels to two, 3 bits, if any.
    public var matrixMixdown: UInt8?
    /// The front channel elements, at most 15.
    public var front: [Element] = []
    /// The side channel elements, at most 15.
    public var side: [Element] = []
    /// The back channel elements, at most 15.
    public var back: [Element] = []
    /// The tags of low-frequency (LFE) elements, at most 3.
    public var lowFrequency: [UInt8] = []
    /// The tags of associated data elements, at most 7.
    public var associatedData: [UInt8] = []
    /// The coupling channels, at most 15.
    public var coupling: [Element] = []
    /// The comment, at most 255 bytes.
    public var comment: [UInt8] = []
    /// The alignment bits before the comment. They are zeros, except from some encoders.
    private var alignment: UInt8 = 0

    /// Creates an element without channels.
    ///
    /// - Parameter frequencyIndex: the index of the sample rate in the table, 0 to 12.
    public init(frequencyIndex: UInt8) { self.frequencyIndex = frequencyIndex }

    /// The number of output channels: two for each pair, one for each other element.
    public var channelCount: Int {
        (front + side + back).reduce(lowFrequency.count) { $0 + ($1.flag ? 2 : 1) }
    }

    /// Parses an element.
    ///
    /// - Parameter start: the bit that byte alignment is relative to: the start of the AudioSpecificConfig or of the
    ///   raw_data_block.
    /// - Throws: `ParseError`.
    init(reading reader: inout BitReader, start: Int) throws(ParseError) {
        func number(_ width: Int, _ field: String, _ reader: inout BitReader) throws(ParseError) -> UInt8 {
            UInt8(truncatingIfNeeded: try reader.readBits(width, field))
        }
        instanceTag = try number(4, "element instance tag", &reader)
        objectType = try number(2, "object type", &reader)
        frequencyIndex = try number(4, "sampling frequency index", &reader)
        let counts = [
            try reader.readInt(4, "number of front elements"), try reader.readInt(4, "number of side elements"),
            try reader.readInt(4, "number of back elements"), try reader.readInt(2, "number of LFE elements"),
            try reader.readInt(3, "number of data elements"), try reader.readInt(4, "number of coupling channels"),
        ]
        if try reader.readFlag("mono mixdown flag") { monoMixdown = try number(4, "mono mixdown", &reader) }
        if try reader.readFlag("stereo mixdown flag") { stereoMixdown = try number(4, "stereo mixdown", &reader) }
        if try reader.readFlag("matrix mixdown flag") { matrixMixdown = try number(3, "matrix mixdown", &reader) }
        front = try Self.elements(counts[0], &reader)
        side = try Self.elements(counts[1], &reader)
        back = try Self.elements(counts[2], &reader)
        for _ in 0..<counts[3] { lowFrequency.append(try number(4, "tag of an LFE element", &reader)) }
        for _ in 0..<counts[4] { associatedData.append(try number(4, "tag of a data element", &reader)) }
        coupling = try Self.elements(counts[5], &reader)
        alignment = try number((start - reader.bitsRead) & 7, "byte alignment", &reader)
        for _ in 0..<(try reader.readInt(8, "size of a comment")) {
            comment.append(try number(8, "comment", &reader))
        }
    }

    private static func elements(_ count: Int, _ reader: inout BitReader) throws(ParseError) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<count {
            let flag = try reader.readFlag("flag of a channel element")
            let tag = UInt8(truncatingIfNeeded: try reader.readBits(4, "tag of a channel element"))
            elements.append(Element(flag: flag, tag: tag))
        }
        return elements
    }

    /// Writes the element. Byte alignment is relative to the writer's first bit.
    func write(to writer: inout BitWriter) {
        writer.write(instanceTag, bits: 4)
        writer.write(objectType, bits: 2)
        writer.write(frequencyIndex, bits: 4)
        for list in [front, side, back] { writer.write(min(list.count, 15), bits: 4) }
        writer.write(min(lowFrequency.count, 3), bits: 2)
        writer.write(min(associatedData.count, 7), bits: 3)
        writer.write(min(coupling.count, 15), bits: 4)
        for (value, width) in [(monoMixdown, 4), (stereoMixdown, 4), (matrixMixdown, 3)] {
            writer.write(value != nil)
            if let value { writer.write(value, bits: width) }
        }
        for element in front.prefix(15) + side.prefix(15) + back.prefix(15) { Self.write(element, &writer) }
        for tag in lowFrequency.prefix(3) + associatedData.prefix(7) { writer.write(tag, bits: 4) }
        for element in coupling.prefix(15) { Self.write(element, &writer) }
        writer.write(alignment, bits: writer.bitsToAlignment)
        writer.write(min(comment.count, 255), bits: 8)
        for byte in comment.prefix(255) { writer.write(byte, bits: 8) }
    }

    private static func write(_ element: Element, _ writer: inout BitWriter) {
        writer.write(element.flag)
        writer.write(element.tag, bits: 4)
    }
}

extension ProgramConfigElement {
    /// The ID of a program_config_element in a raw_data_block: ID_PCE.
    static let elementID: UInt8 = 5

    /// Parses the element at the start of a raw_data_block (ISO/IEC 14496-3, 4.4.2.1). Returns nil if another element
    /// is at the start.
    ///
    /// - Parameter base: the offset of the first byte, for errors.
    /// - Throws: `ParseError` if the element is truncated.
    public init?(rawDataBlock: RawSpan, base: Int = 0) throws(ParseError) {
        guard rawDataBlock.byteCount > 0,
            rawDataBlock.unsafeLoad(fromByteOffset: 0, as: UInt8.self) >> 5 == Self.elementID
        else { return nil }
        var reader = BitReader(rawDataBlock, base: base, emulationPrevention: false)
        try reader.skip(bits: 3, "id_syn_ele")
        try self.init(reading: &reader, start: 0)
    }

    /// The element as the start of a raw_data_block, including its ID, in whole bytes so that another raw_data_block
    /// can follow.
    public var rawDataBlockPrefix: [UInt8] {
        var writer = BitWriter()
        writer.write(Self.elementID, bits: 3)
        var element = self
        element.alignment = 0
        element.write(to: &writer)
        return writer.bytes
    }
}
