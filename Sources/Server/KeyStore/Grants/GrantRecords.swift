// The records that a store has of granted licenses. Times are Unix seconds.

/// A simultaneous stream: a device or session that has a key.
package struct LeaseRecord: Sendable, Equatable {
    /// The account.
    package let account: String
    /// The device or session.
    package let client: PlaybackClient
    /// The session that has the lease.
    package var sessionID: UInt64?
    /// The asset that was last requested.
    package var assetID: [UInt8]
    /// The time when the lease started.
    package var since: Int64
    /// The time when the last key has certainly expired.
    package var until: Int64
    /// The purpose of the last key request.
    package var purpose: SlotClaim.Purpose
    /// The time when an admin ended the lease; nil again when another session takes it over. The lease counts until
    /// ``until`` in any case.
    package var ended: Int64?

    /// Creates a record.
    package init(
        account: String,
        client: PlaybackClient,
        sessionID: UInt64?,
        assetID: [UInt8],
        since: Int64,
        until: Int64,
        purpose: SlotClaim.Purpose,
        ended: Int64? = nil
    ) {
        self.account = account
        self.client = client
        self.sessionID = sessionID
        self.assetID = assetID
        self.since = since
        self.until = until
        self.purpose = purpose
        self.ended = ended
    }
}

/// A device of an account.
package struct DeviceRecord: Sendable, Equatable {
    /// The account.
    package let account: String
    /// The hash of the device's HU.
    package let device: DeviceHash
    /// The class that the device reported.
    package var deviceClass: String?
    /// The time of its first license.
    package var firstSeen: Int64
    /// The time of its last license.
    package var lastSeen: Int64

    /// Creates a record.
    package init(account: String, device: DeviceHash, deviceClass: String?, firstSeen: Int64, lastSeen: Int64) {
        self.account = account
        self.device = device
        self.deviceClass = deviceClass
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// A rental that has started.
package struct RentalRecord: Sendable, Equatable {
    /// The account.
    package let account: String
    /// The rented title or asset.
    package let subject: RentalSubject
    /// The start time.
    package var start: Int64
    /// The end time, by the policy of the last license; `Int64.max` means never.
    package var end: Int64
    /// The client of the first license; for a rental that is bound to a device, the first device.
    package var client: PlaybackClient

    /// Creates a record.
    package init(account: String, subject: RentalSubject, start: Int64, end: Int64, client: PlaybackClient) {
        self.account = account
        self.subject = subject
        self.start = start
        self.end = end
        self.client = client
    }
}

/// A persistent key on a device.
package struct OfflineLicenseRecord: Sendable, Equatable {
    /// The way a persistent key ended.
    package enum End: String, Sendable, CaseIterable {
        /// The device invalidated the key and proved it.
        case invalidated
        /// The device answered that it had no such key. No record ends this way any more, because the answer is about
        /// one key of a title and does not identify the key.
        case notFound = "not-found"
        /// The device reported that the key had expired, whether the device then invalidated the key or not.
        case expired
        /// An admin revoked the key: it is not renewed. The device can use the key until it expires.
        case revoked
    }

    /// The account.
    package let account: String
    /// The device, by the hash of its HU.
    package let device: DeviceHash
    /// The stream ID, 16 bytes.
    package let streamID: [UInt8]
    /// The title ID, 16 bytes.
    package var titleID: [UInt8]?
    /// The asset.
    package var assetID: [UInt8]
    /// The time when the key was last issued.
    package var granted: Int64
    /// The end of the storage duration before first play; nil means never.
    package var storageUntil: Int64?
    /// The playback duration from first play, in seconds; nil means unlimited.
    package var playback: Int64?
    /// The time when the key can no longer be played, as far as is known: until first play is reported, the later
    /// limit. Nil means never.
    package var until: Int64?
    /// The time of the report that revealed first play.
    package var firstPlaySeen: Int64?
    /// The time of the device's last report.
    package var reported: Int64?
    /// The way the key ended, or nil.
    package var end: End?
    /// The time when the key ended.
    package var ended: Int64?

    /// Creates a record.
    package init(
        account: String,
        device: DeviceHash,
        streamID: [UInt8],
        titleID: [UInt8]?,
        assetID: [UInt8],
        granted: Int64,
        storageUntil: Int64?,
        playback: Int64?,
        until: Int64?
    ) {
        self.account = account
        self.device = device
        self.streamID = streamID
        self.titleID = titleID
        self.assetID = assetID
        self.granted = granted
        self.storageUntil = storageUntil
        self.playback = playback
        self.until = until
    }

    /// Whether the device can still play with the key at a time, in Unix seconds, as far as is known. A revoked key
    /// stays on the device until it expires.
    package func isPlayable(at time: Int64) -> Bool {
        (end == nil || end == .revoked) && (until.map { $0 > time } ?? true)
    }
}
