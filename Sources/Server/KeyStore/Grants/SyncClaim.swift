/// The content of a Sync SPC: a report on persistent keys, or their invalidation.
package struct SyncClaim: Sendable {
    /// The content of the message.
    package enum Message: Sendable, Equatable {
        /// The remaining time of the keys, in seconds; nil means unlimited, zero means expired. A report never frees a
        /// slot.
        case report(remaining: Int64?)
        /// The keys with these stream IDs are deleted (flag 16); `hadExpired` if they had expired before (flag 18). The
        /// challenge must be one that the store issued, also in the cases below.
        case invalidated(streamIDs: [[UInt8]], hadExpired: Bool, challenge: UInt64)
        /// Invalidation was requested, and the key did not exist (flag 17). A newer key may have replaced it, and the
        /// message does not identify the key of the title, so no record ends.
        case notFound(challenge: UInt64)
        /// Invalidation was requested and not performed, and the key had expired (only flag 18). Its record ends if the
        /// device has exactly one key of the title.
        case expired(challenge: UInt64)
    }

    /// The maximum number of stream IDs in an invalidation.
    package static let maximumStreamIDs = 1_000

    /// The token's subject.
    package var account: String
    /// The account that the challenge was issued to. It equals ``account``, except without authorization: then a
    /// device's account is known only from its SPC, after the challenge was issued.
    package var challengeAccount: String
    /// The device, by the hash of its HU.
    package var device: DeviceHash
    /// The time, in Unix seconds.
    package var now: Int64
    /// The authenticated evidence of the SPC; nil if a plug-in decrypted the SPC and does not expose the message.
    package var evidence: SPCEvidence?
    /// The time when the device created the SPC by its own clock, in Unix seconds; nil if the SPC does not contain it.
    /// An SPC that was created before a key was issued proves nothing about that key.
    package var made: Int64?
    /// The content ID of version 1: a stream ID, 16 bytes.
    package var streamID: [UInt8]?
    /// The title ID of version 2, 16 bytes.
    package var titleID: [UInt8]?
    /// The SPC's asset ID, which identifies the key of a title that a report is about, because version 2 contains only
    /// the title. Nil means all keys.
    package var assetID: [UInt8]?
    /// The content of the message.
    package var message: Message
    /// The audit record of a recorded claim. For a refusal, its outcome and detail are replaced.
    package var audit: AuditRecord

    /// Creates a claim of the account that the challenge was issued to.
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

/// The store's decision on a Sync SPC.
package enum SyncOutcome: Sendable, Equatable {
    /// The claim is recorded; `records` is the number of records that were changed.
    case recorded(records: Int)
    /// Nothing was changed.
    case refused(GrantRefusal)
}
