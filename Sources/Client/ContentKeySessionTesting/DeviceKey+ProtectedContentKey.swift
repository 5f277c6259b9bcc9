public import ContentKeySession
public import VirtualDevice

extension DeviceKey: ProtectedContentKey {
    /// How long the lease lasts from now, by the device's clock; nil if there is none.
    public var leaseRemaining: Duration? { leaseEnd.map { .seconds($0 &- now) } }

    /// False once the key is gone, has expired or was invalidated.
    public var isUsable: Bool {
        switch status {
        case .ready, .playing, .outputRestricted: true
        case .expired, .discarded: false
        }
    }

    /// Whether the attached display protects the content as the key demands; pending for a key that is gone.
    public var externalProtectionStatus: ExternalContentProtectionStatus {
        switch status {
        case .ready, .playing: .sufficient
        case .outputRestricted: .insufficient
        case .expired, .discarded: .pending
        }
    }

    /// Starts playback, and returns the persistent key that the first play of an offline key made.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        try translating { () throws(FPSError) in
            let before = updatedPersistentKey
            try startPlaying()
            let after = updatedPersistentKey
            return after == before ? nil : after
        }
    }

    /// Stops playback. An ordinary key is gone then.
    public func stop() {
        // A lease that is over is what the device will give as the reason.
        _ = status
        stopPlaying()
    }
}
