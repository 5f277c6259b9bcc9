public import ContentKeySession
public import VirtualDevice

extension DeviceKey: ProtectedContentKey {
    /// The remaining time of the lease, by the device's clock; nil if the key has no lease.
    public var leaseRemaining: Duration? { leaseEnd.map { .seconds($0 &- now) } }

    /// True if the key can be used: false after it was removed, has expired or was invalidated.
    public var isUsable: Bool {
        switch status {
        case .ready, .playing, .outputRestricted: true
        case .expired, .discarded: false
        }
    }

    /// The status of external content protection: whether the attached display protects the content as the key
    /// requires; pending after the key was removed.
    public var externalProtectionStatus: ExternalContentProtectionStatus {
        switch status {
        case .ready, .playing: .sufficient
        case .outputRestricted: .insufficient
        case .expired, .discarded: .pending
        }
    }

    /// Starts playback, and returns the persistent key created by the first playback of an offline key.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        try translating { () throws(FPSError) in
            let before = updatedPersistentKey
            try startPlaying()
            let after = updatedPersistentKey
            return after == before ? nil : after
        }
    }

    /// Stops playback. A key that is not persistent is then removed.
    public func stop() {
        // Updates the status, so that an expired lease is reported as the reason.
        _ = status
        stopPlaying()
    }
}
