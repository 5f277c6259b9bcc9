public import ByteCoding

/// A splice_info_section: a command of SCTE 35 in a transport stream, such as the start of an advertisement break
/// (ANSI/SCTE 35, 9.6).
///
///     table_id                   8 bits    0xFC
///     section_syntax_indicator   1 bit     0
///     private_indicator          1 bit     0
///     sap_type                   2 bits    3: not specified
///     section_length             12 bits   of the bytes that follow, at most 4093
///     protocol_version           8 bits    0
///     encrypted_packet           1 bit
///     encryption_algorithm       6 bits
///     pts_adjustment             33 bits   added to all times of the section, modulo 2^33
///     cw_index                   8 bits
///     tier                       12 bits   0xFFF: not used
///     splice_command_length      12 bits   0xFFF: not specified
///     splice_command_type        8 bits                    ┐
///     splice_command             splice_command_length     │
///     descriptor_loop_length     16 bits                   │ encrypted with encrypted_packet
///     descriptors                descriptor_loop_length    │
///     alignment_stuffing                                   │
///     E_CRC_32                   32 bits, if encrypted     ┘
///     CRC_32                     32 bits
public struct SpliceInfoSection: Hashable, Sendable {
    /// The table_id.
    public static let tableID: UInt8 = 0xFC
    /// The unit of times, per second.
    public static let timescale: UInt32 = 90_000
    /// The length that a command has if it is not specified.
    private static let unspecifiedLength = 0xFFF

    /// The type of stream access point at the splice point; 3 if it is not specified.
    public var accessPointType: UInt8
    /// The version of the syntax; 0.
    public var protocolVersion: UInt8
    /// The algorithm of the encryption, 6 bits; it applies to ``SpliceCommand/encrypted(_:commandLength:)``.
    public var encryptionAlgorithm: UInt8
    /// The number that is added to all times of the section, modulo 2^33, in units of 1/90,000 second: equipment that
    /// changes the timestamps of a stream changes it instead of the times.
    public var adjustment: UInt64
    /// The index of the control word with which the section is encrypted.
    public var controlWordIndex: UInt8
    /// The authorization tier, 12 bits; 0xFFF if it is not used.
    public var tier: UInt16
    /// The command.
    public var command: SpliceCommand
    /// True if the length of the command is specified.
    public var hasCommandLength: Bool
    /// The descriptors; empty if the section is encrypted.
    public var descriptors: [SpliceDescriptor]
    /// The bytes between the descriptors and the checksum, which have no meaning.
    public var stuffing: [UInt8]

    /// Creates a section that is not encrypted.
    public init(adjustment: UInt64 = 0, command: SpliceCommand, descriptors: [SpliceDescriptor] = []) {
        accessPointType = 3
        protocolVersion = 0
        encryptionAlgorithm = 0
        self.adjustment = adjustment & SpliceTime.mask
        controlWordIndex = 0
        tier = 0xFFF
        self.command = command
        hasCommandLength = true
        self.descriptors = descriptors
        stuffing = []
    }

    /// Reads a section. Bytes after it are stuffing.
    ///
    /// - Throws: `ParseError`; `invalid-value` if the checksum is wrong, or the section is not a splice_info_section of
    ///   version 0; `truncated`, `trailing-bytes` or `invalid-length` if a length is wrong.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let bytes = try Self.checkedBytes(&reader)
        var body = ByteReader(bytes.span.bytes, base: start)
        try body.skip(1, "table ID")
        accessPointType = try body.readUInt8("SAP type") >> 4 & 3
        try body.skip(1, "section length")
        protocolVersion = try body.readUInt8("protocol version")
        guard protocolVersion == 0 else {
            throw Self.failure(start + 3, "protocol version", "the version is \(protocolVersion), must be 0")
        }
        let head = try body.readUInt8("encryption and PTS adjustment")
        encryptionAlgorithm = head >> 1 & 0x3F
        adjustment = UInt64(head & 1) << 32 | UInt64(try body.readUInt32("PTS adjustment"))
        controlWordIndex = try body.readUInt8("control word index")
        let lengths = try body.readBytes(3, "tier and command length")
        tier = UInt16(lengths[0]) << 4 | UInt16(lengths[1] >> 4)
        let length = Int(lengths[1] & 15) << 8 | Int(lengths[2])
        hasCommandLength = length != Self.unspecifiedLength
        guard head & 0x80 == 0 else {
            command = .encrypted(try body.readBytes(body.remaining, "encrypted command"), commandLength: UInt16(length))
            (descriptors, stuffing) = ([], [])
            return
        }
        let type = try body.readUInt8("command type")
        if hasCommandLength {
            var part = try body.split(length, "splice command")
            command = try SpliceCommand(type, reading: &part)
            try part.finish("splice command")
        } else {
            command = try SpliceCommand(type, reading: &body, isUnbounded: true)
        }
        var loop = try body.split(Int(try body.readUInt16("descriptor loop length")), "splice descriptors")
        descriptors = []
        while loop.remaining > 0 { descriptors.append(try SpliceDescriptor(reading: &loop)) }
        stuffing = try body.readBytes(body.remaining, "stuffing")
    }

    /// Reads a section, and checks its length and its checksum.
    ///
    /// - Returns: The bytes without the checksum.
    private static func checkedBytes(_ reader: inout ByteReader) throws(ParseError) -> [UInt8] {
        let start = reader.offset
        var bytes = try reader.readBytes(3, "section header")
        guard bytes[0] == tableID else {
            throw failure(start, "splice_info_section", "the table ID is \(bytes[0]), must be \(tableID)")
        }
        bytes += try reader.readBytes(Int(bytes[1] & 15) << 8 | Int(bytes[2]), "splice_info_section")
        guard bytes.count >= 7, SectionChecksum.of(bytes) == 0 else {
            throw failure(start, "checksum of a splice_info_section", "the checksum does not match the section")
        }
        return bytes.dropLast(4)
    }

    private static func failure(_ offset: Int, _ reading: String, _ reason: String) -> ParseError {
        ParseError(.invalidValue, reading: reading, offset: offset, reason: reason)
    }

    /// Returns a time of the section with the adjustment, modulo 2^33, in units of 1/90,000 second.
    public func adjusted(_ time: UInt64) -> UInt64 { (time &+ adjustment) & SpliceTime.mask }

    /// The time of the command, with the adjustment, in units of 1/90,000 second; nil if it specifies none, and for
    /// commands without a time.
    public var time: UInt64? {
        switch command {
        case .insert(let insert): insert.event?.earliestTime.map(adjusted)
        case .timeSignal(let time): time.time.map(adjusted)
        default: nil
        }
    }

    /// The bytes of the section, with its checksum.
    public var bytes: [UInt8] {
        var body: [UInt8] = []
        var length = Self.unspecifiedLength
        var isEncrypted = false
        if case .encrypted(let content, let commandLength) = command {
            (body, length, isEncrypted) = (content, Int(commandLength), true)
        } else {
            let content = command.bytes
            if hasCommandLength { length = content.count }
            let loop = descriptors.flatMap(\.bytes)
            body = [command.type] + content + Self.bigEndian(UInt16(truncatingIfNeeded: loop.count)) + loop + stuffing
        }
        let sectionLength = body.count + 14
        var bytes: [UInt8] = [
            Self.tableID, (accessPointType & 3) << 4 | UInt8(truncatingIfNeeded: sectionLength >> 8) & 15,
            UInt8(truncatingIfNeeded: sectionLength), protocolVersion,
            (isEncrypted ? 0x80 : 0) | (encryptionAlgorithm & 0x3F) << 1 | UInt8(adjustment >> 32 & 1),
        ]
        bytes += Self.bigEndian(UInt32(truncatingIfNeeded: adjustment))
        bytes += [
            controlWordIndex, UInt8(truncatingIfNeeded: tier >> 4),
            UInt8(truncatingIfNeeded: tier << 4) | UInt8(length >> 8), UInt8(truncatingIfNeeded: length),
        ]
        bytes += body
        return bytes + Self.bigEndian(SectionChecksum.of(bytes))
    }

    static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
