/// A license that is about to be given: who asks, what must hold for it, what it takes, and what goes out.
///
/// The answer is sealed before the store is asked, since the store has no keys; the store then decides and writes in one
/// transaction: the claims below, the answer for a retry, and the audit record. ``GrantRules`` is that decision, the same
/// for every store. Whatever comes of it, exactly one audit record is written with it.
package struct GrantProposal: Sendable {
    /// Who is counted: the token's subject, 1 to 200 bytes.
    package var account: String
    /// The time, in seconds since 1970.
    package var now: Int64
    /// What holds the key: the device, or the session behind a digital AV adapter.
    package var place: PlaybackPlace
    /// The session ID of the SPC's media playback state.
    package var sessionID: UInt64?
    /// The asset ID, 2 to 200 bytes.
    package var assetID: [UInt8]
    /// What the SPC proves; nil where a plug-in opened it and keeps the message to itself.
    package var evidence: SPCEvidence?
    /// That the same request has not been answered before.
    package var replay: ReplayClaim?
    /// That a token for one use is used where it was used first.
    package var binding: TokenBindingClaim?
    /// That the device is one of the account's.
    package var device: DeviceClaim?
    /// A simultaneous stream.
    package var slot: SlotClaim?
    /// That a rental runs.
    package var rental: RentalClaim?
    /// A key that will be kept.
    package var offline: OfflineClaim?
    /// The version of the catalog that it was made by, where that may have changed since; nil when it was just read.
    package var catalogVersion: Int64?
    /// What goes out when it is granted, and again for a retry.
    package var answer: LicenseAnswer
    /// The audit record of the granted license. For anything else its outcome and detail are replaced.
    package var audit: AuditRecord

    /// Makes a proposal without claims.
    package init(
        account: String,
        now: Int64,
        place: PlaybackPlace,
        sessionID: UInt64?,
        assetID: [UInt8],
        answer: LicenseAnswer,
        audit: AuditRecord
    ) {
        self.account = account
        self.now = now
        self.place = place
        self.sessionID = sessionID
        self.assetID = assetID
        self.answer = answer
        self.audit = audit
    }
}

extension GrantProposal {
    /// Whether what it was made from is still so.
    package func holds(at version: Int64) -> Bool { catalogVersion.map { $0 == version } ?? true }
}

/// What is counted as one place of playback.
package enum PlaybackPlace: Sendable, Hashable {
    /// A device, by the hash of its HU. What is counted by default.
    case device(DeviceHash)
    /// A session, by its ID: behind a digital AV adapter, whose HU says nothing about the device.
    case session(UInt64)
}

/// The same request is answered once; within `grace` after it the same answer goes out again. That key has to run out
/// before its slot: a slot has to last longer than its lease by more than `grace`.
package struct ReplayClaim: Sendable {
    /// HMAC over R1, account and certificate hash, 32 bytes.
    package let key: [UInt8]
    /// Until when the claim is kept, in Unix seconds: the end of the SPC's age window.
    package let expires: Int64
    /// How long after the first answer the same request counts as a retry, in seconds.
    package let grace: Int64

    /// Makes a claim.
    package init(key: [UInt8], expires: Int64, grace: Int64) {
        self.key = key
        self.expires = expires
        self.grace = grace
    }
}

/// A token with `once` belongs to the first account, place and session ID that used it.
package struct TokenBindingClaim: Sendable, Equatable {
    /// SHA-256 over issuer and `jti`, 32 bytes.
    package let token: [UInt8]
    /// When the token expires, in Unix seconds.
    package let expires: Int64

    /// Makes a claim.
    package init(token: [UInt8], expires: Int64) {
        self.token = token
        self.expires = expires
    }
}

/// The account's devices are counted; a new one needs room. Sessions behind an adapter are not counted.
package struct DeviceClaim: Sendable {
    /// How many devices the account may have; nil counts without a limit.
    package let limit: Int?
    /// The class that the device gave for itself, for lists.
    package let deviceClass: String?

    /// Makes a claim.
    package init(limit: Int?, deviceClass: String?) {
        self.limit = limit
        self.deviceClass = deviceClass
    }
}

/// A simultaneous stream: a slot that lasts as long as the key that is given for it.
///
/// All keys of one session share the slot of their place; a new session of the same place takes it over. A slot that an
/// admin ended refuses its session from then on, and counts until its key has run out, since the device still has it.
package struct SlotClaim: Sendable {
    /// What the key is asked for.
    package enum Purpose: String, Sendable, CaseIterable {
        /// To be there when playback starts.
        case reservation
        /// To play.
        case playback
        /// To go on playing.
        case renewal
    }

    /// How many places of the account may hold a key at once; nil counts without a limit.
    package let limit: Int?
    /// When the key that is given has surely run out, in Unix seconds: lease and skew.
    package let until: Int64
    /// What the key is asked for.
    package let purpose: Purpose

    /// Makes a claim.
    package init(limit: Int?, until: Int64, purpose: Purpose) {
        self.limit = limit
        self.until = until
        self.purpose = purpose
    }
}

/// What is rented.
package enum RentalSubject: Sendable, Hashable {
    /// A title, by its name: all of its tracks.
    case title(String)
    /// Content that belongs to no title, by its asset ID.
    case asset([UInt8])
}

/// A rental: it starts once, and the answer's durations were worked out from `start`.
package struct RentalClaim: Sendable {
    /// What is rented; 1 to 200 bytes.
    package let subject: RentalSubject
    /// How long, in seconds; `Int64.max` is for ever.
    package let duration: Int64
    /// The start that the answer was made for, in Unix seconds: the stored one, or now, or the token's time.
    package let start: Int64
    /// Whether the start is the token's word. A later one than the stored begins a new rental.
    package let isTokensStart: Bool
    /// Whether only the device of the first license may play. A session behind an adapter then may not.
    package let bindsDevice: Bool

    /// Makes a claim.
    package init(subject: RentalSubject, duration: Int64, start: Int64, isTokensStart: Bool, bindsDevice: Bool) {
        self.subject = subject
        self.duration = duration
        self.start = start
        self.isTokensStart = isTokensStart
        self.bindsDevice = bindsDevice
    }
}

/// A key that the device will keep, recorded by stream ID and title ID.
package struct OfflineClaim: Sendable {
    /// The stream ID of the Offline Key, 16 bytes.
    package let streamID: [UInt8]
    /// The title ID of the Offline Key, 16 bytes; nil for version 1.
    package let titleID: [UInt8]?
    /// How long it may be kept unplayed, in seconds; nil: for ever.
    package let storage: Int64?
    /// How long it may be played from first play, in seconds; nil: for ever. The same as `storage` for keys with one
    /// expiry, which `hasDualExpiry` tells.
    package let playback: Int64?
    /// Whether storage and playback are counted one after the other.
    package let hasDualExpiry: Bool
    /// Whether a key that has run out may be given again.
    package let renewAfterExpiry: Bool

    /// Makes a claim.
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

/// A CKC on its way out, with what the app must be told because it cannot read the CKC. Without the device's session key
/// it opens for nobody.
package struct LicenseAnswer: Sendable, Equatable {
    /// The CKC.
    package let ckc: [UInt8]
    /// Whether the device may keep the key.
    package let isPersistable: Bool
    /// Whether the key has a storage and a playback duration: the app has to keep the key again at first play.
    package let hasDualExpiry: Bool

    /// Makes an answer.
    package init(ckc: [UInt8], isPersistable: Bool, hasDualExpiry: Bool) {
        self.ckc = ckc
        self.isPersistable = isPersistable
        self.hasDualExpiry = hasDualExpiry
    }
}

/// What a store made of a proposal.
package enum GrantOutcome: Sendable, Equatable {
    /// Everything is written; the answer may go out.
    case granted
    /// The request was answered before; this is what it got. Nothing was taken a second time.
    case retried(LicenseAnswer)
    /// No license, for this reason. Nothing but the audit record was written.
    case refused(GrantRefusal)
    /// The rental had another start. Nothing was written, no audit record either: seal anew with this start and ask again.
    case rentalStarted(at: Int64)
    /// Content, titles, tracks or policies have changed since the proposal's ``GrantProposal/catalogVersion``. Nothing
    /// was written, no audit record either: look them up and ask again.
    case catalogChanged
    /// The device has reported against itself what ``SPCEvidence/considered`` does not have. Nothing was written, no audit
    /// record either: take it into account and ask again.
    case deviceReported(DeviceReport)
}

/// Why the store says no.
package struct GrantRefusal: Error, Sendable, Equatable {
    /// A stable name for a reason.
    package struct Code: RawRepresentable, Sendable, Hashable {
        /// The name, in kebab-case: the `reason` of the problem document and the outcome in the audit log.
        package let rawValue: String

        /// Makes a code from its name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The same request was answered before, too long ago for a retry.
        package static let replayed = Code(rawValue: "replayed")
        /// The token is for one use, and was used by another account, device or session.
        package static let tokenBoundElsewhere = Code(rawValue: "token-bound-elsewhere")
        /// As many places hold a key as may.
        package static let streamsExceeded = Code(rawValue: "streams-exceeded")
        /// The account has as many devices as it may.
        package static let devicesExceeded = Code(rawValue: "devices-exceeded")
        /// An admin ended the session.
        package static let leaseEnded = Code(rawValue: "lease-ended")
        /// The rental is over.
        package static let rentalExpired = Code(rawValue: "rental-expired")
        /// The rental belongs to the device of its first license.
        package static let rentalOnOtherDevice = Code(rawValue: "rental-on-other-device")
        /// The rental is for one device, and behind a digital AV adapter none is known.
        package static let rentalNeedsDevice = Code(rawValue: "rental-needs-device")
        /// The kept key has run out, and the policy does not give it again.
        package static let renewalAfterExpiry = Code(rawValue: "renewal-after-expiry")
        /// An admin revoked the kept key.
        package static let licenseRevoked = Code(rawValue: "license-revoked")
        /// The SPC was changed on its way: its RSA block came with another message before.
        package static let tampered = Code(rawValue: "tampered")
        /// The challenge of a Sync SPC was not given out, was used, or has expired.
        package static let challengeUnknown = Code(rawValue: "challenge-unknown")
    }

    /// The stable name.
    package let code: Code
    /// In words, for the client's eyes as well: no secret, nobody else's affairs.
    package let reason: String

    /// Makes a refusal.
    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
