public import ByteCoding
import TextCoding

/// The PlayReady Object (PRO), which is contained in the `pssh` box, in `mspr:pro` in DASH, and in the URI of EXT-X-KEY
/// (Microsoft, "PlayReady Header Specification", 2). Numbers are little-endian.
///
///     Length         4 bytes   of the whole object
///     Record Count   2 bytes
///     Record Type    2 bytes   1: header, 3: embedded license store   ┐
///     Record Length  2 bytes                                          │ each record
///     Record Value   Record Length bytes                              ┘
public struct PlayReadyObject: Hashable, Sendable {
    /// A record.
    public struct Record: Hashable, Sendable {
        /// The record type; 1 is a header.
        public var type: UInt16
        /// The content, at most 65,535 bytes.
        public var value: [UInt8]

        /// Creates a record.
        public init(type: UInt16, value: [UInt8]) {
            self.type = type
            self.value = value
        }

        /// The type of a record with a ``PlayReadyHeader`` in UTF-16.
        public static let header: UInt16 = 1
    }

    /// The maximum size of a record's value in bytes.
    public static let maximumValueSize = Int(UInt16.max)

    /// The records, in order.
    public var records: [Record]

    /// Creates an object with records.
    public init(records: [Record]) { self.records = records }

    /// Creates an object with a header.
    ///
    /// - Throws: `invalid-playready-header` if the header is too large for a record: too many keys, or a URL that is
    ///   too long.
    public init(_ header: PlayReadyHeader) throws(SignalingError) {
        let value = header.xml.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        guard value.count <= Self.maximumValueSize else {
            throw SignalingError(
                .invalidPlayReadyHeader,
                "PlayReady header",
                "the header has \(value.count) bytes; the maximum is \(Self.maximumValueSize): use fewer keys, or a "
                    + "shorter URL"
            )
        }
        records = [Record(type: Record.header, value: value)]
    }

    /// Parses an object without trailing bytes.
    ///
    /// - Throws: `ParseError`: `truncated`; `invalid-length` if the length field does not match; `trailing-bytes`.
    public init(_ bytes: [UInt8]) throws(ParseError) {
        var reader = ByteReader(bytes.span.bytes)
        let length = try reader.readUInt32("length of a PlayReady Object").byteSwapped
        guard Int(length) == bytes.count else {
            throw ParseError(
                .invalidLength,
                reading: "length of a PlayReady Object",
                offset: 0,
                reason: "the field specifies \(length) bytes, but there are \(bytes.count)"
            )
        }
        let count = try reader.readUInt16("number of records").byteSwapped
        records = []
        for _ in 0..<count {
            let type = try reader.readUInt16("type of a record").byteSwapped
            let size = try reader.readUInt16("length of a record").byteSwapped
            records.append(Record(type: type, value: try reader.readBytes(Int(size), "value of a record")))
        }
        try reader.finish("PlayReady Object")
    }

    /// The object as bytes. Values are truncated to ``maximumValueSize`` bytes, and the list of records to 65,535.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        let records = records.prefix(Int(UInt16.max))
        let length = records.reduce(6) { $0 + 4 + min($1.value.count, Self.maximumValueSize) }
        writer.write(UInt32(clamping: length).byteSwapped)
        writer.write(UInt16(records.count).byteSwapped)
        for record in records {
            let value = record.value.prefix(Self.maximumValueSize)
            writer.write(record.type.byteSwapped)
            writer.write(UInt16(value.count).byteSwapped)
            writer.write(value)
        }
        return writer.bytes
    }

    /// The object in Base64, as in `mspr:pro` of a DASH manifest.
    public var base64: String { Base64.encode(bytes) }

    /// Returns the header in the object, if any.
    ///
    /// - Throws: `invalid-playready-header`.
    public func header() throws(SignalingError) -> PlayReadyHeader? {
        guard let record = records.first(where: { $0.type == Record.header }) else { return nil }
        guard record.value.count.isMultiple(of: 2) else { throw PlayReadyHeader.error("the header is not UTF-16") }
        let units = stride(from: 0, to: record.value.count, by: 2).map { index in
            UInt16(record.value[index]) | UInt16(record.value[index + 1]) << 8
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw PlayReadyHeader.error("the header is not UTF-16")
        }
        return try PlayReadyHeader(xml: text)
    }
}
