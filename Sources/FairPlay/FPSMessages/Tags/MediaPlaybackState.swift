public import ByteCoding

/// When the SPC was made, and what the player was doing (Table 4-1).
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
    /// What the player was doing (Table 4-2 and errata).
    public struct State: NamedNumber {
        /// The number on the wire, 4 bytes.
        public let rawValue: UInt32

        /// Makes a state from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// State 1: ready to start playing; the CKC must hold a valid key.
        public static let readyToStart = State(rawValue: 0xf4de_e5a2)
        /// State 2: playing or paused; the CKC must hold a Content Key Duration.
        public static let playingOrPaused = State(rawValue: 0xa5d6_739e)
        /// State 3: playing, and the lease is about to expire; the CKC must hold a valid key.
        public static let leaseAboutToExpire = State(rawValue: 0x4f83_4330)
        /// Playback has halted. Met in practice, not in the guide.
        public static let halted = State(rawValue: 0x5991_bf20)

        /// Names for people.
        public static let names: [UInt32: String] = [
            readyToStart.rawValue: "1, ready to start", playingOrPaused.rawValue: "2, playing or paused",
            leaseAboutToExpire.rawValue: "3, lease about to expire", halted.rawValue: "halted",
        ]
    }

    /// When the SPC was made, in seconds since 1970.
    public let creationDate: UInt32
    /// What the player was doing.
    public let state: State
    /// One playback of one content, whatever its bit rates and keys, 8 bytes.
    public let sessionID: UInt64

    /// Makes a state from its fields.
    public init(creationDate: UInt32, state: State, sessionID: UInt64) {
        self.creationDate = creationDate
        self.state = state
        self.sessionID = sessionID
    }

    /// 0xeb8efdf2b25ab3a0.
    public static let tag = TLLVTag.mediaPlaybackState
    /// 16 bytes.
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
