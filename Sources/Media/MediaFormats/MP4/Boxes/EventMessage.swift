public import ByteCoding

/// An `emsg` box: an event that accompanies the media (ISO/IEC 23009-1, 5.10.3.3).
///
///     version 0                                version 1
///     scheme_id_uri             text, 0        timescale                 4 bytes
///     value                     text, 0        presentation_time         8 bytes
///     timescale                 4 bytes        event_duration            4 bytes
///     presentation_time_delta   4 bytes        id                        4 bytes
///     event_duration            4 bytes        scheme_id_uri             text, 0
///     id                        4 bytes        value                     text, 0
///     message_data              to the end     message_data              to the end
public struct EventMessageBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "emsg"

    /// The time of an event.
    public enum Time: Hashable, Sendable {
        /// The time relative to the start of the segment (version 0).
        case delta(UInt32)
        /// The time relative to the start of the presentation (version 1).
        case absolute(UInt64)
    }

    /// The URI of the scheme, which defines the type of event.
    public var schemeIDURI: String
    /// The value, which the scheme defines.
    public var value: String
    /// The timescale of ``time`` and ``duration``, in units per second.
    public var timescale: UInt32
    /// The time of the event in units of ``timescale``.
    public var time: Time
    /// The duration of the event in units of ``timescale``; 0xFFFFFFFF if it is not known.
    public var duration: UInt32
    /// The ID of the event. Equal events have equal IDs.
    public var id: UInt32
    /// The message, which the scheme defines.
    public var messageData: [UInt8]

    /// Creates a box.
    public init(
        schemeIDURI: String,
        value: String = "",
        timescale: UInt32,
        time: Time,
        duration: UInt32 = 0xFFFF_FFFF,
        id: UInt32,
        messageData: [UInt8]
    ) {
        self.schemeIDURI = schemeIDURI
        self.value = value
        self.timescale = timescale
        self.time = time
        self.duration = duration
        self.id = id
        self.messageData = messageData
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        if header.version == 0 {
            schemeIDURI = try reader.readString("scheme of an event")
            value = try reader.readString("value of an event")
            timescale = try reader.readTimescale(Self.type)
            time = .delta(try reader.readUInt32("time of an event"))
            duration = try reader.readUInt32("duration of an event")
            id = try reader.readUInt32("ID of an event")
        } else {
            timescale = try reader.readTimescale(Self.type)
            time = .absolute(try reader.readUInt64("time of an event"))
            duration = try reader.readUInt32("duration of an event")
            id = try reader.readUInt32("ID of an event")
            schemeIDURI = try reader.readString("scheme of an event")
            value = try reader.readString("value of an event")
        }
        messageData = try reader.readRest("data of an event")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        switch time {
        case .delta(let delta):
            writer.fullBox(Self.type, version: 0) { writer in
                writeTexts(to: &writer)
                writer.write(timescale)
                writer.write(delta)
                writer.write(duration)
                writer.write(id)
                writer.write(messageData)
            }
        case .absolute(let time):
            writer.fullBox(Self.type, version: 1) { writer in
                writer.write(timescale)
                writer.write(time)
                writer.write(duration)
                writer.write(id)
                writeTexts(to: &writer)
                writer.write(messageData)
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [BoxField("scheme_id_uri", schemeIDURI), BoxField("value", value), BoxField("id", id)]
    }

    private func writeTexts(to writer: inout BoxWriter) {
        for text in [schemeIDURI, value] {
            writer.write(text.utf8)
            writer.zeros(1)
        }
    }
}
