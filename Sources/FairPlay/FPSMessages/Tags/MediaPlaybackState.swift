public import ByteCoding

/// The creation date of the SPC and the playback state (Table 4-1).
///
///     bytes    field
///     0-7      tag 0xeb8efdf2b25ab3a0
///     8-11     block length
///     12-15    value length: 16
///     16-19    creation date, seconds since 1970
///     20-23    playback state
///     24-31    session ID
///     32...    padding
public struct MediaPlaybackState: TLLVContent {
    /// The playback state (Table 4-2 and errata).
    public struct State: NamedNumber {
        /// The number in the message, 4 bytes.
        public let rawValue: UInt32

        /// Creates a state from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// State 1: ready to start playing; the CKC must contain a valid key.
        public static let readyToStart = State(rawValue: 0xf4de_e5a2)
        /// State 2: playing or paused; the CKC must contain a Content Key Duration.
        public static let playingOrPaused = State(rawValue: 0xa5d6_739e)
        /// State 3: playing, and the lease is about to expire; the CKC must contain a valid key.
        public static let leaseAboutToExpire = State(rawValue: 0x4f83_4330)
        /// Playback has halted. The guide does not define this state, but devices send it.
        public static let halted = State(rawValue: 0x5991_bf20)

        /// The names for people.
        public static let names: [UInt32: String] = [
            readyToStart.rawValue: "1, ready to start", playingOrPaused.rawValue: "2, playing or paused",
            leaseAboutToExpire.rawValue: "3, lease about to expire", halted.rawValue: "halted",
        ]
    }

    /// The creation date of the SPC, in seconds since 1970.
    public let creationDate: UInt32
    /// The playback state.
    public let state: State
    /// The ID of the playback session, 8 bytes. All variants and keys of the content share the ID during one playback.
    public let sessionID: UInt64

    /// Creates a state from its fields.
    public init(creationDate: UInt32, state: State, sessionID: UInt64) {
        self.creationDate = creationDate
        self.state = state
        self.sessionID = sessionID
    }

    /// The tag, 0xeb8efdf2b25ab3a0.
    public static let tag = TLLVTag.mediaPlaybackState
    /// The size of the value: 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)

    /// Reads the fields.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        creationDate = try reader.readUInt32("creation date")
        state = State(rawValue: try reader.readUInt32("playback state"))
        sessionID = try reader.readUInt64("session ID")
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(creationDate)
        writer.write(state.rawValue)
        writer.write(sessionID)
    }
}
