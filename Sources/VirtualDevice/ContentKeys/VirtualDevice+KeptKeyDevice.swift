public import ContentKeySession

/// What the device knows of the keys that it stored.
extension VirtualDevice: KeptKeyDevice {
    /// Opens a stored key and says what is in it, but for the key.
    public func facts(ofPersistableKey stored: [UInt8]) throws(ContentKeyError) -> KeptKeyFacts {
        try translating { () throws(FPSError) in
            let key = try openPersistentKey(stored)
            let validity = key.validity
            var facts = KeptKeyFacts(
                acquired: validity.acquired,
                firstPlayed: validity.firstPlayed,
                isCurrent: withState { $0.vault.isCurrent(key) }
            )
            switch validity.terms {
            case .streaming: break
            case .persistent(let duration): facts.storage = Self.limit(duration)
            case .dualExpiry(let key):
                facts.hasDualExpiry = true
                (facts.storage, facts.playback) = (Self.limit(key.storageDuration), Self.limit(key.playbackDuration))
            }
            return facts
        }
    }

    /// Removes every key of a stored key's title, and makes the Sync SPC that proves it.
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

    /// Zero means no limit.
    private static func limit(_ duration: UInt32) -> Int64? { duration > 0 ? Int64(duration) : nil }
}
