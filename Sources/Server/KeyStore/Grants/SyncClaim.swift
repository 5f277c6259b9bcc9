/// What a Sync SPC tells: a report on kept keys, or that they were invalidated.
package struct SyncClaim: Sendable {
    /// What it tells.
    package enum Message: Sendable, Equatable {
        /// How long the keys may still be used, in seconds; nil: without end. Zero: expired. It never frees a place.
        case report(remaining: Int64?)
        /// The keys of these stream IDs are gone (flag 16); `hadExpired` when they had run out before (flag 18). The
        /// challenge must be one that the store gave out, here and below.
        case invalidated(streamIDs: [[UInt8]], hadExpired: Bool, challenge: UInt64)
        /// Invalidation was asked for, and there was no such key (flag 17). It may have been replaced by a newer one, and
        /// which of the title's keys it was is not said: no record ends.
        case notFound(challenge: UInt64)
        /// Invalidation was asked for and not done, and the key had expired (flag 18 alone). Its record ends where the
        /// device keeps one key of the title, so that it can be no other.
        case expired(challenge: UInt64)
    }

    /// How many stream IDs an invalidation may list.
    package static let maximumStreamIDs = 1_000

    /// The token's subject.
    package var account: String
    /// To whom the challenge was given. It is ``account``, except where nobody is authorized: then a device's account is
    /// known only from its SPC, after the challenge.
    package var challengeAccount: String
    /// The device, by the hash of its HU.
    package var device: DeviceHash
    /// The time, in Unix seconds.
    package var now: Int64
    /// What the SPC proves; nil where a plug-in opened it and keeps the message to itself.
    package var evidence: SPCEvidence?
    /// When the device made the SPC by its own clock, in Unix seconds; nil when it does not say. What was made before a
    /// key was given says nothing of that key.
    package var made: Int64?
    /// The content ID of version 1: a stream ID, 16 bytes.
    package var streamID: [UInt8]?
    /// The title ID of version 2, 16 bytes.
    package var titleID: [UInt8]?
    /// The SPC's asset ID: which key of a title a report is about, since version 2 names the title alone. Nil: of all.
    package var assetID: [UInt8]?
    /// What it tells.
    package var message: Message
    /// The audit record when it is taken. For a refusal its outcome and detail are replaced.
    package var audit: AuditRecord

    /// Makes a claim of an account to which the challenge was given too.
    package init(
        account: String,
        device: DeviceHash,
        now: Int64,
        streamID: [UInt8]?,
        titleID: [UInt8]?,
        message: Message,
        audit: AuditRecord
    ) {
        self.account = account
        challengeAccount = account
        self.device = device
        self.now = now
        self.streamID = streamID
        self.titleID = titleID
        self.message = message
        self.audit = audit
    }
}

/// What a store made of a Sync SPC.
package enum SyncOutcome: Sendable, Equatable {
    /// It is recorded; so many records were changed.
    case recorded(records: Int)
    /// Nothing was changed.
    case refused(GrantRefusal)
}
