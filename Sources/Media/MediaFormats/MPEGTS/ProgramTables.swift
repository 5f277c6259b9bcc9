public import ByteCoding

/// A descriptor of a program or an elementary stream (ISO/IEC 13818-1, 2.6).
///
///     descriptor_tag      8 bits
///     descriptor_length   8 bits
///     content             descriptor_length bytes
public struct TransportDescriptor: Hashable, Sendable {
    /// The descriptor's type.
    public var tag: UInt8
    /// The descriptor's content, at most 255 bytes.
    public var content: [UInt8]

    /// Creates a descriptor.
    public init(tag: UInt8, content: [UInt8]) {
        self.tag = tag
        self.content = content
    }

    /// The tag of a registration descriptor: a four-character format identifier and optional data.
    public static let registration: UInt8 = 0x05
    /// The tag of an ISO 639 language descriptor: three letters and an audio type.
    public static let language: UInt8 = 0x0A
    /// The tag of a private data indicator descriptor: four characters.
    public static let privateDataIndicator: UInt8 = 0x0F

    static func readAll(_ reader: inout ByteReader) throws(ParseError) -> [TransportDescriptor] {
        var descriptors: [TransportDescriptor] = []
        while reader.remaining > 0 {
            let tag = try reader.readUInt8("descriptor tag")
            let length = Int(try reader.readUInt8("descriptor length"))
            descriptors.append(TransportDescriptor(tag: tag, content: try reader.readBytes(length, "descriptor")))
        }
        return descriptors
    }

    var bytes: [UInt8] { [tag, UInt8(content.count)] + content }
}

/// A section of a program-specific information table: the syntax that the program association table and program map
/// tables share (ISO/IEC 13818-1, 2.4.4).
///
///     table_id                   8 bits
///     section_syntax_indicator   1 bit    1
///     0, reserved                3 bits
///     section_length             12 bits  of the bytes that follow, at most 1021
///     table_id_extension         16 bits  transport stream ID or program number
///     reserved                   2 bits
///     version_number             5 bits
///     current_next_indicator     1 bit
///     section_number             8 bits
///     last_section_number        8 bits
///     content
///     CRC_32                     32 bits
struct TableSection {
    var tableID: UInt8
    var idExtension: UInt16
    var version: UInt8
    var isCurrent: Bool
    var content: [UInt8]

    /// Reads a section. Bytes after it are stuffing.
    init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        tableID = try reader.readUInt8("table ID")
        let length = Int(try reader.readUInt16("section length") & 0x0FFF)
        guard length >= 9, length <= 1021 else {
            throw ParseError(
                .invalidLength,
                reading: "table section",
                offset: start + 1,
                reason: "the section has \(length) bytes, must have 9 to 1021"
            )
        }
        let body = try reader.readBytes(length, "table section")
        let header = [tableID, UInt8(0xB0 | length >> 8), UInt8(truncatingIfNeeded: length)]
        guard SectionChecksum.of(header + body) == 0 else {
            throw ParseError(
                .invalidValue,
                reading: "checksum of a table section",
                offset: start,
                reason: "the checksum does not match the section"
            )
        }
        idExtension = UInt16(body[0]) << 8 | UInt16(body[1])
        version = body[2] >> 1 & 31
        isCurrent = body[2] & 1 != 0
        content = Array(body[5..<length - 4])
    }

    init(tableID: UInt8, idExtension: UInt16, version: UInt8, content: [UInt8]) {
        self.tableID = tableID
        self.idExtension = idExtension
        self.version = version
        isCurrent = true
        self.content = content
    }

    var bytes: [UInt8] {
        let length = content.count + 9
        var bytes: [UInt8] = [
            tableID, UInt8(0xB0 | length >> 8), UInt8(truncatingIfNeeded: length), UInt8(idExtension >> 8),
            UInt8(truncatingIfNeeded: idExtension), 0xC0 | version << 1 | (isCurrent ? 1 : 0), 0, 0,
        ]
        bytes += content
        let checksum = SectionChecksum.of(bytes)
        return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) }
    }
}

/// The program association table (PAT): the PID of each program's map table (ISO/IEC 13818-1, 2.4.4.3).
///
///     program_number    16 bits   0: the network information table
///     reserved          3 bits
///     program_map_PID   13 bits
public struct ProgramAssociationTable: Hashable, Sendable {
    /// The ID of the transport stream.
    public var transportStreamID: UInt16
    /// The number and the map table's PID of each program, without the network information table.
    public var programs: [(number: UInt16, mapPID: UInt16)]

    /// Creates a table.
    public init(transportStreamID: UInt16 = 1, programs: [(number: UInt16, mapPID: UInt16)]) {
        self.transportStreamID = transportStreamID
        self.programs = programs
    }

    /// Reads a section.
    ///
    /// - Throws: `ParseError`; `invalid-value` if the checksum is wrong or the section is of another table.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let section = try TableSection(reading: &reader)
        guard section.tableID == 0 else {
            throw ParseError(
                .invalidValue,
                reading: "program association table",
                offset: start,
                reason: "the table ID is \(section.tableID), must be 0"
            )
        }
        transportStreamID = section.idExtension
        programs = []
        let entries = section.content
        for index in stride(from: 0, to: entries.count - entries.count % 4, by: 4) {
            let number = UInt16(entries[index]) << 8 | UInt16(entries[index + 1])
            let pid = UInt16(entries[index + 2] & 0x1F) << 8 | UInt16(entries[index + 3])
            if number != 0 { programs.append((number, pid)) }
        }
    }

    /// The bytes of the table as one section.
    public var bytes: [UInt8] {
        let content = programs.flatMap { program in
            [
                UInt8(program.number >> 8), UInt8(truncatingIfNeeded: program.number),
                0xE0 | UInt8(program.mapPID >> 8),
                UInt8(truncatingIfNeeded: program.mapPID),
            ]
        }
        return TableSection(tableID: 0, idExtension: transportStreamID, version: 0, content: content).bytes
    }

    /// Returns whether both tables have the same ID and programs.
    public static func == (left: Self, right: Self) -> Bool {
        left.transportStreamID == right.transportStreamID && left.programs.elementsEqual(right.programs, by: ==)
    }

    /// Hashes the table. Equal tables have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(transportStreamID)
        for program in programs { hasher.combine(program.mapPID) }
    }
}

/// The type of an elementary stream (ISO/IEC 13818-1, table 2-34; for encrypted streams Apple, MPEG-2 Stream Encryption
/// Format).
public struct TransportStreamType: RawRepresentable, Hashable, Sendable {
    /// The stream_type value.
    public let rawValue: UInt8
    /// Creates a type from its stream_type value.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// H.264 video.
    public static let h264 = TransportStreamType(rawValue: 0x1B)
    /// HEVC video.
    public static let hevc = TransportStreamType(rawValue: 0x24)
    /// AAC audio with ADTS headers.
    public static let aac = TransportStreamType(rawValue: 0x0F)
    /// AC-3 audio (ATSC A/52).
    public static let ac3 = TransportStreamType(rawValue: 0x81)
    /// E-AC-3 audio (ATSC A/52).
    public static let eac3 = TransportStreamType(rawValue: 0x87)
    /// PES packets with private data whose format a descriptor specifies.
    public static let privatePES = TransportStreamType(rawValue: 0x06)
    /// Timed metadata: ID3 in PES packets.
    public static let metadata = TransportStreamType(rawValue: 0x15)
    /// Commands for splices and advertisements in sections (SCTE 35).
    public static let splices = TransportStreamType(rawValue: 0x86)
    /// H.264 video with SAMPLE-AES.
    public static let encryptedH264 = TransportStreamType(rawValue: 0xDB)
    /// AAC audio with SAMPLE-AES.
    public static let encryptedAAC = TransportStreamType(rawValue: 0xCF)
    /// AC-3 audio with SAMPLE-AES.
    public static let encryptedAC3 = TransportStreamType(rawValue: 0xC1)
    /// E-AC-3 audio with SAMPLE-AES.
    public static let encryptedEAC3 = TransportStreamType(rawValue: 0xC2)
}

/// A program map table (PMT): the elementary streams of a program (ISO/IEC 13818-1, 2.4.4.8).
///
///     reserved              3 bits
///     PCR_PID               13 bits
///     reserved              4 bits
///     program_info_length   12 bits
///     descriptors
///     stream_type           8 bits    ┐
///     reserved              3 bits    │
///     elementary_PID        13 bits   │ each stream
///     reserved              4 bits    │
///     ES_info_length        12 bits   │
///     descriptors                     ┘
public struct ProgramMapTable: Hashable, Sendable {
    /// An elementary stream of the program.
    public struct Stream: Hashable, Sendable {
        /// The type of the stream.
        public var type: TransportStreamType
        /// The PID of the stream's packets.
        public var pid: UInt16
        /// The descriptors of the stream.
        public var descriptors: [TransportDescriptor]

        /// Creates an entry for a stream.
        public init(type: TransportStreamType, pid: UInt16, descriptors: [TransportDescriptor] = []) {
            self.type = type
            self.pid = pid
            self.descriptors = descriptors
        }
    }

    /// The number of the program.
    public var programNumber: UInt16
    /// The version number of the table, which increases with each change, modulo 32.
    public var version: UInt8
    /// The PID of the packets that contain the program clock reference (PCR).
    public var pcrPID: UInt16
    /// The descriptors of the program.
    public var descriptors: [TransportDescriptor]
    /// The elementary streams of the program.
    public var streams: [Stream]

    /// Creates a table.
    public init(
        programNumber: UInt16 = 1,
        version: UInt8 = 0,
        pcrPID: UInt16,
        descriptors: [TransportDescriptor] = [],
        streams: [Stream]
    ) {
        self.programNumber = programNumber
        self.version = version
        self.pcrPID = pcrPID
        self.descriptors = descriptors
        self.streams = streams
    }

    /// Reads a section.
    ///
    /// - Throws: `ParseError`; `invalid-value` if the checksum is wrong or the section is of another table.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let section = try TableSection(reading: &reader)
        guard section.tableID == 2 else {
            throw ParseError(
                .invalidValue,
                reading: "program map table",
                offset: start,
                reason: "the table ID is \(section.tableID), must be 2"
            )
        }
        programNumber = section.idExtension
        version = section.version
        let bytes = section.content
        var content = ByteReader(bytes.span.bytes, base: start + 8)
        pcrPID = try content.readUInt16("PCR PID") & 0x1FFF
        var info = try content.split(Int(try content.readUInt16("program info length") & 0x0FFF), "program descriptors")
        descriptors = try TransportDescriptor.readAll(&info)
        streams = []
        while content.remaining > 0 {
            let type = TransportStreamType(rawValue: try content.readUInt8("stream type"))
            let pid = try content.readUInt16("elementary PID") & 0x1FFF
            var info = try content.split(Int(try content.readUInt16("ES info length") & 0x0FFF), "stream descriptors")
            streams.append(Stream(type: type, pid: pid, descriptors: try TransportDescriptor.readAll(&info)))
        }
    }

    /// The bytes of the table as one section.
    public var bytes: [UInt8] {
        func length(_ descriptors: [UInt8]) -> [UInt8] {
            [0xF0 | UInt8(descriptors.count >> 8), UInt8(truncatingIfNeeded: descriptors.count)]
        }
        let info = descriptors.flatMap(\.bytes)
        var content = [0xE0 | UInt8(pcrPID >> 8), UInt8(truncatingIfNeeded: pcrPID)] + length(info) + info
        for stream in streams {
            let info = stream.descriptors.flatMap(\.bytes)
            content += [stream.type.rawValue, 0xE0 | UInt8(stream.pid >> 8), UInt8(truncatingIfNeeded: stream.pid)]
            content += length(info) + info
        }
        return TableSection(tableID: 2, idExtension: programNumber, version: version, content: content).bytes
    }
}
