// What of a store matters to one decision. A store reads it, has `GrantRules` decide, and writes what has changed, all
// in one transaction.

/// What a store knows that matters to one proposal.
package struct GrantState: Sendable, Equatable {
    /// What is remembered of the SPC and its device. It is to be kept whatever is decided.
    package var memory = SPCMemory()
    /// That an admin ended the proposal's session at its place.
    package var endedSession: EndedSessionRecord?
    /// The record under the proposal's replay key.
    package var replay: ReplayRecord?
    /// The binding of the proposal's token.
    package var binding: TokenBindingRecord?
    /// The device of the proposal's place, if it is one of the account's.
    package var device: DeviceRecord?
    /// How many other devices the account has; read only for a claim with a limit.
    package var otherDevices = 0
    /// The rental of the claim's subject.
    package var rental: RentalRecord?
    /// The lease of the proposal's place, also when it has run out.
    package var lease: LeaseRecord?
    /// How many other places of the account have a lease that has not run out; read only for a claim with a limit.
    package var otherLeases = 0
    /// The kept key of the claim's stream ID on the device of the proposal's place.
    package var offline: OfflineLicenseRecord?

    /// The state of an account that the store has never seen.
    package init() {}
}

/// A session that an admin ended. It gets no more keys, whoever holds the lease of its place meanwhile.
package struct EndedSessionRecord: Sendable, Equatable {
    package let account: String
    package let place: PlaybackPlace
    package let sessionID: UInt64?
    /// From when on it is of no use, in Unix seconds.
    package let forgetAt: Int64

    package init(account: String, place: PlaybackPlace, sessionID: UInt64?, forgetAt: Int64) {
        self.account = account
        self.place = place
        self.sessionID = sessionID
        self.forgetAt = forgetAt
    }
}

/// That a request was answered.
package struct ReplayRecord: Sendable, Equatable {
    /// The keyed hash of the request, 32 bytes.
    package let key: [UInt8]
    /// Before when the same request is a retry, in Unix seconds.
    package let retryUntil: Int64
    /// When the record is of no use any more, in Unix seconds.
    package let expires: Int64
    /// What went out. A store may drop it from `retryUntil` on: it is the bulk of the record.
    package var answer: LicenseAnswer?

    package init(key: [UInt8], retryUntil: Int64, expires: Int64, answer: LicenseAnswer?) {
        self.key = key
        self.retryUntil = retryUntil
        self.expires = expires
        self.answer = answer
    }
}

/// To whom a token for one use belongs.
package struct TokenBindingRecord: Sendable, Equatable {
    /// SHA-256 over issuer and `jti`, 32 bytes.
    package let token: [UInt8]
    package let account: String
    package let place: PlaybackPlace
    package let sessionID: UInt64?
    /// When the token expires, in Unix seconds: the latest time that it was used with.
    package var expires: Int64

    package init(token: [UInt8], account: String, place: PlaybackPlace, sessionID: UInt64?, expires: Int64) {
        self.token = token
        self.account = account
        self.place = place
        self.sessionID = sessionID
        self.expires = expires
    }
}

/// What a store knows that matters to one Sync claim.
package struct SyncState: Sendable, Equatable {
    /// What is remembered of the SPC and its device. It is to be kept whatever is decided.
    package var memory = SPCMemory()
    /// The challenge that the claim carries, if the store gave it out and it was not used. Using it makes it nil.
    package var challenge: ChallengeRecord?
    /// The kept keys that the claim is about: ``SyncClaim/subject`` says which.
    package var licenses: [OfflineLicenseRecord] = []

    package init() {}
}

/// A challenge that was given out.
package struct ChallengeRecord: Sendable, Equatable {
    package let challenge: UInt64
    package let account: String
    /// From when on it is of no use, in Unix seconds.
    package let expires: Int64

    package init(challenge: UInt64, account: String, expires: Int64) {
        self.challenge = challenge
        self.account = account
        self.expires = expires
    }
}

extension SyncClaim {
    /// Which kept keys of the claim's account and device it is about.
    package enum Subject: Sendable, Equatable {
        case streams([[UInt8]])
        case title([UInt8])
    }

    /// Which kept keys of the claim's account and device it is about.
    package var subject: Subject {
        switch (message, streamID, titleID) {
        case (.invalidated(let streamIDs, _, _), _, _): .streams(streamIDs)
        case (_, let streamID?, _): .streams([streamID])
        case (_, nil, let titleID?): .title(titleID)
        case (_, nil, nil): .streams([])
        }
    }

    /// The challenge that it carries; nil for a plain report.
    package var challenge: UInt64? {
        switch message {
        case .report: nil
        case .invalidated(_, _, let challenge), .notFound(let challenge), .expired(let challenge): challenge
        }
    }
}

extension PlaybackPlace {
    /// The place as bytes, for a column: a byte for the kind, then the device's hash or the session ID.
    package var encoded: [UInt8] {
        switch self {
        case .device(let device): [0] + device.bytes
        case .session(let session): [1] + bigEndianBytes(session)
        }
    }

    /// Reads what ``encoded`` wrote; nil when the bytes are damaged.
    package init?(encoded: [UInt8]) {
        switch (encoded.first, encoded.count) {
        case (0, 17):
            guard let device = DeviceHash(stored: Array(encoded[1...])) else { return nil }
            self = .device(device)
        case (1, 9):
            self = .session(encoded[1...].reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    /// The device, if it is one.
    package var device: DeviceHash? {
        if case .device(let device) = self { device } else { nil }
    }
}

extension RentalSubject {
    /// The subject as bytes, for a column: a byte for the kind, then the title's name or the asset ID.
    package var encoded: [UInt8] {
        switch self {
        case .title(let name): [0] + name.utf8
        case .asset(let assetID): [1] + assetID
        }
    }

    /// Reads what ``encoded`` wrote; nil when the bytes are damaged.
    package init?(encoded: [UInt8]) {
        switch encoded.first {
        case 0: self = .title(String(decoding: encoded.dropFirst(), as: UTF8.self))
        case 1: self = .asset(Array(encoded.dropFirst()))
        default: return nil
        }
    }
}

/// A number's bytes, the highest first.
func bigEndianBytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
