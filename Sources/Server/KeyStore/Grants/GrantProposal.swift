/// A license that is about to be issued: the account, the conditions, the records to write, and the response.
///
/// The CKC is encrypted before the store decides, because the store does not have the keys. The store decides and
/// writes in one transaction: the claims below, the response for a retry, and the audit record. ``GrantRules`` makes
/// the decision, the same way for every store. Whatever the outcome is, at most one audit record is written.
package struct GrantProposal: Sendable {
    /// The account that is counted: the token's subject, 1 to 200 bytes.
    package var account: String
    /// The time, in Unix seconds.
    package var now: Int64
    /// The client that gets the key: the device, or the session if the device is hidden by a digital AV adapter.
    package var client: PlaybackClient
    /// The session ID of the SPC's media playback state.
    package var sessionID: UInt64?
    /// The asset ID, 2 to 200 bytes.
    package var assetID: [UInt8]
    /// The authenticated evidence of the SPC; nil if a plug-in decrypted the SPC and does not expose the message.
    package var evidence: SPCEvidence?
    /// The claim that the request has not been answered before.
    package var replay: ReplayClaim?
    /// The claim that a single-use token is used only where it was first used.
    package var binding: TokenBindingClaim?
    /// The claim that the device is one of the account's devices.
    package var device: DeviceClaim?
    /// The claim to a slot for a simultaneous stream.
    package var slot: SlotClaim?
    /// The claim that a rental is active.
    package var rental: RentalClaim?
    /// The claim to a persistent key.
    package var offline: OfflineClaim?
    /// The version of the catalog that the proposal is based on, if the catalog may have changed since; nil if it was
    /// just read.
    package var catalogVersion: Int64?
    /// The response to send when the license is granted, and to repeat for a retry.
    package var answer: IssuedLicense
    /// The audit record of the granted license. For any other outcome, the store replaces its outcome and detail.
    package var audit: AuditRecord

    /// Creates a proposal without claims.
    package init(
        account: String,
        now: Int64,
        client: PlaybackClient,
        sessionID: UInt64?,
        assetID: [UInt8],
        answer: IssuedLicense,
        audit: AuditRecord
    ) {
        self.account = account
        self.now = now
        self.client = client
        self.sessionID = sessionID
        self.assetID = assetID
        self.answer = answer
        self.audit = audit
    }
}

extension GrantProposal {
    /// Returns whether the catalog that the proposal is based on is unchanged.
    package func isCurrent(at version: Int64) -> Bool { catalogVersion.map { $0 == version } ?? true }
}

/// The client that a lease, a device limit or a token binding counts.
package enum PlaybackClient: Sendable, Hashable {
    /// A device, by the hash of its HU. The default.
    case device(DeviceHash)
    /// A session, by its ID: used with a digital AV adapter, whose HU does not identify the device.
    case session(UInt64)
}

/// The claim that a request is answered once. Within `grace` of the first response, the same response is repeated. Its
/// key must expire before its slot: a slot must last longer than its lease by more than `grace`.
package struct ReplayClaim: Sendable {
    /// The HMAC of R1, account and certificate hash, 32 bytes.
    package let key: [UInt8]
    /// The time until which the claim is stored, in Unix seconds: the end of the SPC's age window.
    package let expires: Int64
    /// The time after the first response in which the same request counts as a retry, in seconds.
    package let grace: Int64

    /// Creates a claim.
    package init(key: [UInt8], expires: Int64, grace: Int64) {
        self.key = key
        self.expires = expires
        self.grace = grace
    }
}

/// A claim that binds a token with `once` to the first account, client and session ID that use it.
package struct TokenBindingClaim: Sendable, Equatable {
    /// The SHA-256 of issuer and `jti`, 32 bytes.
    package let token: [UInt8]
    /// The time when the token expires, in Unix seconds.
    package let expires: Int64

    /// Creates a claim.
    package init(token: [UInt8], expires: Int64) {
        self.token = token
        self.expires = expires
    }
}

/// A claim that counts the account's devices. A new device requires a free place below the limit. Sessions of an
/// adapter are not counted.
package struct DeviceClaim: Sendable {
    /// The maximum number of devices of the account; nil counts without a limit.
    package let limit: Int?
    /// The class that the device reported, for lists.
    package let deviceClass: String?

    /// Creates a claim.
    package init(limit: Int?, deviceClass: String?) {
        self.limit = limit
        self.deviceClass = deviceClass
    }
}

/// A claim to a slot for a simultaneous stream, which lasts as long as the key that is issued for it.
///
/// All keys of one session share their client's slot; a new session of the same client takes over the slot. If an admin
/// ended a slot, its session is refused from then on. The slot still counts until its key expires, because the device
/// still has the key.
package struct SlotClaim: Sendable {
    /// The purpose of a key request.
    package enum Purpose: String, Sendable, CaseIterable {
        /// The key is preloaded for later playback.
        case reservation
        /// Playback starts.
        case playback
        /// Playback continues.
        case renewal
    }

    /// The maximum number of clients of the account that may have a key at once; nil counts without a limit.
    package let limit: Int?
    /// The time when the issued key has certainly expired, in Unix seconds: the lease plus clock skew.
    package let until: Int64
    /// The purpose of the key request.
    package let purpose: Purpose

    /// Creates a claim.
    package init(limit: Int?, until: Int64, purpose: Purpose) {
        self.limit = limit
        self.until = until
        self.purpose = purpose
    }
}

/// The subject of a rental.
package enum RentalSubject: Sendable, Hashable {
    /// A title by name, with all of its tracks.
    case title(String)
    /// Content that belongs to no title, by asset ID.
    case asset([UInt8])
}

/// A claim to a rental. It starts once, and the durations in the response were computed from `start`.
package struct RentalClaim: Sendable {
    /// The rented title or asset; 1 to 200 bytes.
    package let subject: RentalSubject
    /// The duration, in seconds; `Int64.max` means unlimited.
    package let duration: Int64
    /// The start that the response was created for, in Unix seconds: the stored one, the current time, or the token's.
    package let start: Int64
    /// True if the token specifies the start. A later start than the stored one begins a new rental.
    package let isTokensStart: Bool
    /// True if only the device of the first license may play. A session of an adapter then may not.
    package let bindsDevice: Bool

    /// Creates a claim.
    package init(subject: RentalSubject, duration: Int64, start: Int64, isTokensStart: Bool, bindsDevice: Bool) {
        self.subject = subject
        self.duration = duration
        self.start = start
        self.isTokensStart = isTokensStart
        self.bindsDevice = bindsDevice
    }
}

/// A claim to a persistent key, recorded by stream ID and title ID.
package struct OfflineClaim: Sendable {
    /// The stream ID of the Offline Key, 16 bytes.
    package let streamID: [UInt8]
    /// The title ID of the Offline Key, 16 bytes; nil for version 1.
    package let titleID: [UInt8]?
    /// The storage duration before first play, in seconds; nil means unlimited.
    package let storage: Int64?
    /// The playback duration from first play, in seconds; nil means unlimited. The same as `storage` for keys with one
    /// expiry; see `hasDualExpiry`.
    package let playback: Int64?
    /// True if the playback duration starts when the key is first played, after the storage duration.
    package let hasDualExpiry: Bool
    /// True if an expired key may be issued again.
    package let renewAfterExpiry: Bool

    /// Creates a claim.
    package init(
        streamID: [UInt8],
        titleID: [UInt8]?,
        storage: Int64?,
        playback: Int64?,
        hasDualExpiry: Bool,
        renewAfterExpiry: Bool
    ) {
        self.streamID = streamID
        self.titleID = titleID
        self.storage = storage
        self.playback = playback
        self.hasDualExpiry = hasDualExpiry
        self.renewAfterExpiry = renewAfterExpiry
    }
}

/// A CKC to send, with the properties that the app needs but cannot read from the CKC. Only a device with the session
/// key can decrypt the CKC.
package struct IssuedLicense: Sendable, Equatable {
    /// The CKC.
    package let ckc: [UInt8]
    /// True if the device may store the key.
    package let isPersistable: Bool
    /// True if the key has both a storage and a playback duration: the app must then store the key again at first play.
    package let hasDualExpiry: Bool

    /// Creates a response.
    package init(ckc: [UInt8], isPersistable: Bool, hasDualExpiry: Bool) {
        self.ckc = ckc
        self.isPersistable = isPersistable
        self.hasDualExpiry = hasDualExpiry
    }
}

/// The store's decision on a proposal.
package enum GrantOutcome: Sendable, Equatable {
    /// All records are written; the response may be sent.
    case granted
    /// The request was answered before, with this response. Nothing was claimed again.
    case retried(IssuedLicense)
    /// The license is refused. Only the audit record was written.
    case refused(GrantRefusal)
    /// The rental has a different start. Nothing was written, not even an audit record: create the CKC for this start
    /// and propose it again.
    case rentalStarted(at: Int64)
    /// Content, titles, tracks or policies have changed since the proposal's ``GrantProposal/catalogVersion``. Nothing
    /// was written, not even an audit record: look them up and propose again.
    case catalogChanged
    /// The device has reported facts against itself that ``SPCEvidence/considered`` does not contain. Nothing was
    /// written, not even an audit record: take them into account and propose again.
    case deviceReported(DeviceReport)
}

/// The reason why the store refuses a license.
package struct GrantRefusal: Error, Sendable, Equatable {
    /// The stable name of a reason.
    package struct Code: RawRepresentable, Sendable, Hashable {
        /// The name, in kebab-case: the `reason` of the problem document and the outcome in the audit log.
        package let rawValue: String

        /// Creates a code from its name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The same request was answered before, too long ago for a retry.
        package static let replayed = Code(rawValue: "replayed")
        /// The token is for a single use, and another account, device or session has used it.
        package static let tokenAlreadyBound = Code(rawValue: "token-already-bound")
        /// The account has reached its limit of simultaneous streams.
        package static let streamsExceeded = Code(rawValue: "streams-exceeded")
        /// The account has reached its limit of devices.
        package static let devicesExceeded = Code(rawValue: "devices-exceeded")
        /// An admin ended the session.
        package static let leaseEnded = Code(rawValue: "lease-ended")
        /// The rental has expired.
        package static let rentalExpired = Code(rawValue: "rental-expired")
        /// The rental belongs to the device of its first license.
        package static let rentalOnOtherDevice = Code(rawValue: "rental-on-other-device")
        /// The rental is limited to one device, and a digital AV adapter hides the device.
        package static let rentalNeedsDevice = Code(rawValue: "rental-needs-device")
        /// The persistent key has expired, and the policy does not allow a renewal.
        package static let renewalAfterExpiry = Code(rawValue: "renewal-after-expiry")
        /// An admin revoked the persistent key.
        package static let licenseRevoked = Code(rawValue: "license-revoked")
        /// The SPC was changed in transit: another message with the same RSA block was received before.
        package static let tampered = Code(rawValue: "tampered")
        /// The challenge of a Sync SPC was not issued, was already used, or has expired.
        package static let challengeUnknown = Code(rawValue: "challenge-unknown")
    }

    /// The stable name.
    package let code: Code
    /// A description that clients may see: it contains no secret and no data of other accounts.
    package let reason: String

    /// Creates a refusal.
    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
