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

    private func writeTexts(to writer: inout BoxWriter) {
        for text in [schemeIDURI, value] {
            writer.write(text.utf8)
            writer.zeros(1)
        }
    }
}

/// A `prft` box: the time at which a producer created a fragment (ISO/IEC 14496-12, 8.16.5).
///
///     reference_track_ID   4 bytes
///     ntp_timestamp        8 bytes   seconds since 1900 as 32.32
///     media_time           4 bytes in version 0, 8 in version 1
public struct ProducerReferenceTimeBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "prft"

    /// The meaning of the time, 24 bits: 0 is the encoder's input, 1 is its output, 2 is the completion of the moof
    /// box.
    public var flags: UInt32
    /// The ID of the track.
    public var trackID: UInt32
    /// The NTP time: seconds since 1900 as a 32.32 fixed-point number.
    public var ntpTimestamp: UInt64
    /// The media time in the timescale of the track.
    public var mediaTime: UInt64

    /// Creates a box.
    public init(flags: UInt32, trackID: UInt32, ntpTimestamp: UInt64, mediaTime: UInt64) {
        self.flags = flags
        self.trackID = trackID
        self.ntpTimestamp = ntpTimestamp
        self.mediaTime = mediaTime
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        flags = header.flags
        trackID = try reader.readUInt32("track of the prft box")
        ntpTimestamp = try reader.readUInt64("time of the prft box")
        mediaTime = try reader.readTime(header, "media time of the prft box")
    }

    /// Writes the whole box, always in version 1.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1, flags: flags) { writer in
            writer.write(trackID)
            writer.write(ntpTimestamp)
            writer.write(mediaTime)
        }
    }
}
