// What a store remembers of the licenses that it granted. Times are Unix seconds.

/// A simultaneous stream: a place that holds a key.
package struct LeaseRecord: Sendable, Equatable {
    /// Whose.
    package let account: String
    /// Where.
    package let place: PlaybackPlace
    /// The session that holds it.
    package var sessionID: UInt64?
    /// The asset that was asked for last.
    package var assetID: [UInt8]
    /// When the place was first taken.
    package var since: Int64
    /// When the last key has surely run out.
    package var until: Int64
    /// What the last key was asked for.
    package var purpose: SlotClaim.Purpose
    /// When an admin ended it, until another session takes it over. It counts until ``until`` all the same.
    package var ended: Int64?

    /// Makes a record.
    package init(
        account: String,
        place: PlaybackPlace,
        sessionID: UInt64?,
        assetID: [UInt8],
        since: Int64,
        until: Int64,
        purpose: SlotClaim.Purpose,
        ended: Int64? = nil
    ) {
        self.account = account
        self.place = place
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
    /// Whose.
    package let account: String
    /// The hash of its HU.
    package let device: DeviceHash
    /// The class that it gave for itself.
    package var deviceClass: String?
    /// When it first had a license.
    package var firstSeen: Int64
    /// When it last had one.
    package var lastSeen: Int64

    /// Makes a record.
    package init(account: String, device: DeviceHash, deviceClass: String?, firstSeen: Int64, lastSeen: Int64) {
        self.account = account
        self.device = device
        self.deviceClass = deviceClass
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// A rental that has begun.
package struct RentalRecord: Sendable, Equatable {
    /// Whose.
    package let account: String
    /// What is rented.
    package let subject: RentalSubject
    /// When it began.
    package var start: Int64
    /// When it ends, by the policy of the last license; `Int64.max` is never.
    package var end: Int64
    /// Where the first license went; for a rental that is bound to a device, the first to a device.
    package var place: PlaybackPlace

    /// Makes a record.
    package init(account: String, subject: RentalSubject, start: Int64, end: Int64, place: PlaybackPlace) {
        self.account = account
        self.subject = subject
        self.start = start
        self.end = end
        self.place = place
    }
}

/// A key that a device keeps.
package struct OfflineLicenseRecord: Sendable, Equatable {
    /// How it came to its end.
    package enum End: String, Sendable, CaseIterable {
        /// The device invalidated it, and proved so.
        case invalidated
        /// The device answered that it had no such key. Nothing ends so any more: the answer is about one key of a title
        /// and does not say which.
        case notFound = "not-found"
        /// The device said that it had expired, whether it invalidated it then or not.
        case expired
        /// An admin revoked it: no renewal is given. The device keeps the key until it runs out.
        case revoked
    }

    /// Whose.
    package let account: String
    /// The device, by the hash of its HU.
    package let device: DeviceHash
    /// The stream ID, 16 bytes.
    package let streamID: [UInt8]
    /// The title ID, 16 bytes.
    package var titleID: [UInt8]?
    /// The asset.
    package var assetID: [UInt8]
    /// When the key was given, last.
    package var granted: Int64
    /// Until when it may be kept unplayed; nil: for ever.
    package var storageUntil: Int64?
    /// How long it may be played from first play, in seconds; nil: for ever.
    package var playback: Int64?
    /// When it can no longer be played, as far as is known: until first play is seen, the later bound. Nil: never.
    package var until: Int64?
    /// The report by which first play was seen.
    package var firstPlaySeen: Int64?
    /// The last report of the device.
    package var reported: Int64?
    /// How it ended.
    package var end: End?
    /// When it ended.
    package var ended: Int64?

    /// Makes a record.
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

    /// Whether its device can still play by it at a time, in Unix seconds, as far as is known. A revoked key stays on the
    /// device until it runs out.
    package func isPlayable(at time: Int64) -> Bool {
        (end == nil || end == .revoked) && (until.map { $0 > time } ?? true)
    }
}
