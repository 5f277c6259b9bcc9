public import ContentKeySession
public import VirtualDevice

/// The information of a virtual device about its persistent keys.
extension FPSDevice: PersistentKeyDevice {
    /// Returns the durations and dates of a persistent key.
    public func facts(ofPersistableKey stored: [UInt8]) throws(ContentKeyError) -> PersistentKeyInformation {
        try translating { () throws(FPSError) in
            let found = try self.facts(of: stored)
            var facts = PersistentKeyInformation(
                acquired: found.acquired,
                firstPlayed: found.firstPlayed,
                isCurrent: found.isCurrent
            )
            facts.hasDualExpiry = found.hasDualExpiry
            facts.storage = Self.limit(found.storageDuration)
            facts.playback = Self.limit(found.playbackDuration)
            return facts
        }
    }

    /// Invalidates all keys of a persistent key's title, and creates the Sync SPC that proves it.
    public func invalidateTitle(
        ofPersistableKey stored: [UInt8],
        _ context: ServerPlaybackContext
    ) throws(ContentKeyError) -> [UInt8] {
        try translating { () throws(FPSError) in
            try invalidate(
                .title(stored),
                certificate: context.certificate,
                challenge: context.serverChallenge,
                versions: context.protocolVersions
            )
        }
    }

    /// The time of the device's clock, in seconds since 1970.
    public var trustedTime: Int64? { clock.now }

    /// Sets the clock back to the time of a server.
    public func correctClock(to time: Int64) throws(ContentKeyError) -> Int64 {
        try translating { () throws(FPSError) in try setClock(backTo: time) }
    }

    /// Returns a duration in seconds; nil for 0, which means unlimited.
    private static func limit(_ duration: UInt32) -> Int64? { duration > 0 ? Int64(duration) : nil }
}
