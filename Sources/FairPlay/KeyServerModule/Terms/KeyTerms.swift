public import FPSMessages

/// The durations and the persistence of a key, which result from a policy's lease, rental and persistence.
///
///     request      persist               lease  rental  result
///     online       any                   -      -       no TLLV; see below for limited and dual
///     online       any                   L      -       duration, lease 0x1a4bde7e
///     online       any                   -      R       duration, rental 0x3dfe45a0
///     online       any                   L      R       duration, both 0x27b59bde
///     online       limited V             -      -       duration, rental 0x3dfe45a0 of V
///     online       dual S, P             -      -       duration, rental 0x3dfe45a0 of P (none where P is 0)
///     persistable  none                  any    any     as online, with a note in the response
///     persistable  any, not local route  any    any     as online, with a note in the response
///     persistable  unlimited             any    -       duration, persist 0x3df2d9fb
///     persistable  limited V             any    any     duration, persist 0x18f06048 of V
///     persistable  dual S, P             -      -       Offline Key: version 2 with capability bits 1 and 3, version 1
///                                                       with bit 1
///     persistable  dual, no bit 1        -      -       duration, persist 0x18f06048 of the fallback, or refused
///     persistable  dual, state 2         -      -       duration, persist 0x18f06048 of the fallback, or as online,
///                                                       because an Offline Key excludes a duration
///
/// A merged policy can have a lease together with dual expiry, and a separate limit for online keys; see
/// ``LicensePolicy/strictest(_:under:)``. With persistence, a lease applies only to online keys, because a persistent
/// key cannot renew a lease. The response to playback state 2 must contain a duration (Table 4-2): a CKC that would have
/// none gets a rental of zero, which limits nothing.
public struct KeyTerms: Sendable, Hashable {
    /// The Content Key Duration; nil if the CKC has none.
    public let duration: ContentKeyDuration?
    /// The Offline Key; nil if the CKC has none. A CKC never has both a Content Key Duration and an Offline Key.
    public let offlineKey: OfflineKey?
    /// True if the key is persistent.
    public let isPersistable: Bool
    /// The notes to log.
    public let notes: [Note]

    /// True if the key has dual expiry, so that a device can create a Sync SPC for it.
    public var hasDualExpiry: Bool { offlineKey != nil }

    /// Creates the terms of a policy for a request.
    ///
    /// - Throws: `offline-key-unsupported`, `stream-id-missing`.
    package init(
        policy: LicensePolicy,
        wantsPersistable: Bool,
        content: Content,
        request: SPCRequest,
        device: ReportedDevice
    ) throws(KSMError) {
        try self.init(
            policy: policy,
            wantsPersistable: wantsPersistable,
            streamID: content.streamID,
            titleID: content.titleID,
            request: request,
            device: device
        )
    }

    /// Creates the terms without the content key, which they do not depend on.
    init(
        policy: LicensePolicy,
        wantsPersistable: Bool,
        streamID: [UInt8]?,
        titleID: [UInt8]?,
        request: SPCRequest,
        device: ReportedDevice
    ) throws(KSMError) {
        let state = request.mediaPlaybackState?.state
        if wantsPersistable {
            guard policy.persist != nil else {
                self.init(
                    online: policy,
                    state: state,
                    notes: [.persistenceWithheld(reason: "the policy does not allow persistent keys")]
                )
                return
            }
            guard device.route == .local else {
                let note = Note.persistenceWithheld(reason: "AirPlay and the digital AV adapter cannot store keys")
                self.init(online: policy, state: state, notes: [note])
                return
            }
        }
        switch policy.persist {
        case .unlimited where wantsPersistable:
            self.init(persistent: ContentKeyDuration(keyType: .persistUnlimited))
        case .limited(let validity) where wantsPersistable:
            self.init(persistent: ContentKeyDuration(rental: validity.rawValue, keyType: .persistLimited))
        case .dual(let storage, let playback, let fallback) where wantsPersistable:
            // The response to state 2 must contain a duration, which excludes an Offline Key.
            let isStateTwo = state == .playingOrPaused
            guard device.capabilities.has(.offlineKey), !isStateTwo else {
                guard let fallback else {
                    if isStateTwo {
                        let reason = "playback state 2 requires a content key duration, which excludes an offline key"
                        self.init(online: policy, state: state, notes: [.persistenceWithheld(reason: reason)])
                        return
                    }
                    throw KSMError(
                        .policy,
                        .offlineKeyUnsupported,
                        "the device cannot enforce dual expiry, and the policy has no fallback"
                    )
                }
                let limited = ContentKeyDuration(rental: fallback.rawValue, keyType: .persistLimited)
                self.init(persistent: limited, notes: [.persistenceFallback])
                return
            }
            guard let streamID else {
                throw KSMError(.policy, .streamIDMissing, "dual expiry needs a stream ID, and the content has none")
            }
            let key = OfflineKey(
                streamID: streamID,
                storage: storage.rawValue,
                playback: playback.rawValue,
                titleID: device.capabilities.has(.offlineKeyVersion2) ? titleID ?? streamID : nil
            )
            self.init(duration: nil, offlineKey: key, isPersistable: true, notes: [])
        default:
            self.init(online: policy, state: state, notes: [])
        }
    }

    private init(duration: ContentKeyDuration?, offlineKey: OfflineKey?, isPersistable: Bool, notes: [Note]) {
        self.duration = duration
        self.offlineKey = offlineKey
        self.isPersistable = isPersistable
        self.notes = notes
    }

    private init(persistent duration: ContentKeyDuration, notes: [Note] = []) {
        self.init(duration: duration, offlineKey: nil, isPersistable: true, notes: notes)
    }

    private init(online policy: LicensePolicy, state: MediaPlaybackState.State?, notes: [Note]) {
        let duration: ContentKeyDuration? =
            switch (policy.lease?.rawValue, policy.onlineRental?.rawValue) {
            case (let lease?, let rental?): ContentKeyDuration(lease: lease, rental: rental, keyType: .leaseAndRental)
            case (let lease?, nil): ContentKeyDuration(lease: lease, keyType: .lease)
            case (nil, let rental?): ContentKeyDuration(rental: rental, keyType: .rental)
            case (nil, nil): state == .playingOrPaused ? ContentKeyDuration(keyType: .rental) : nil
            }
        self.init(duration: duration, offlineKey: nil, isPersistable: false, notes: notes)
    }
}
