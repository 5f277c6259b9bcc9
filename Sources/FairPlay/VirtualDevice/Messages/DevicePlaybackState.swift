internal import ByteCoding

extension FPSDevice {
    /// The playback state at the creation of an SPC (Table 4-2).
    public enum PlaybackState: UInt32, Sendable, CaseIterable {
        /// State 1: ready to start.
        case readyToStart = 0xf4de_e5a2
        /// State 2: playing or paused.
        case playing = 0xa5d6_739e
        /// State 3: playing, and the lease is about to expire.
        case leaseAboutToExpire = 0x4f83_4330
        /// Playback has halted. The guide does not define this state, but devices send it.
        case halted = 0x5991_bf20
    }

    /// A playback session of a title, from opening to closing the player. The audio and video keys of the title share
    /// the session.
    public struct PlaybackSession: Hashable, Sendable {
        /// The session ID of the Media Playback State block.
        public let id: UInt64

        /// Creates a session with an ID.
        public init(id: UInt64) { self.id = id }
    }
}

/// The content of the Media Playback State block, 16 bytes (Table 4-1).
struct DevicePlaybackState {
    /// The creation date of the SPC, in seconds since 1970.
    let creationDate: UInt32
    let state: FPSDevice.PlaybackState
    let session: FPSDevice.PlaybackSession

    // bytes of the block
    // 16-19 creation date | 20-23 playback state | 24-31 session ID
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.write(creationDate)
        writer.write(state.rawValue)
        writer.write(session.id)
        return writer.bytes
    }
}
