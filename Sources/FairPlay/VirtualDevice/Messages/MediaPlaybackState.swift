internal import ByteCoding

extension FPSDevice {
    /// What playback was doing when an SPC was made (Table 4-2).
    public enum PlaybackState: UInt32, Sendable, CaseIterable {
        /// State 1: ready to start.
        case readyToStart = 0xf4de_e5a2
        /// State 2: playing or paused.
        case playing = 0xa5d6_739e
        /// State 3: playing, and the lease is about to expire.
        case leaseAboutToExpire = 0x4f83_4330
        /// Playback has halted. Not in the guide; seen in practice.
        case halted = 0x5991_bf20
    }

    /// One playback of one title: what the user opens and closes again. Its keys, audio and video, share it.
    public struct PlaybackSession: Hashable, Sendable {
        /// The session ID of the Media Playback State block.
        public let id: UInt64

        /// The session with that ID.
        public init(id: UInt64) { self.id = id }
    }
}

/// The content of the Media Playback State block, 16 bytes (Table 4-1).
struct MediaPlaybackState {
    /// Seconds since 1970.
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
