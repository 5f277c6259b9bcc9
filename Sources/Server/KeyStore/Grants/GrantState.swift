// The part of a store that matters to one decision. A store reads it, lets `GrantRules` decide, and writes the changes,
// all in one transaction.

/// The stored records that matter to one proposal.
package struct GrantState: Sendable, Equatable {
    /// The records of the SPC and its device. They are stored whatever the decision is.
    package var memory = SPCState()
    /// The record of an admin having ended the proposal's session.
    package var endedSession: EndedSessionRecord?
    /// The record with the proposal's replay key.
    package var replay: ReplayRecord?
    /// The binding of the proposal's token.
    package var binding: TokenBindingRecord?
    /// The proposal's device, if it is one of the account's.
    package var device: DeviceRecord?
    /// The number of the account's other devices; read only for a claim with a limit.
    package var otherDevices = 0
    /// The rental of the claim's subject.
    package var rental: RentalRecord?
    /// The lease of the proposal's client, even if it has expired.
    package var lease: LeaseRecord?
    /// The number of unexpired leases of the account's other clients; read only for a claim with a limit.
    package var otherLeases = 0
    /// The persistent key with the claim's stream ID on the proposal's device.
    package var offline: OfflineLicenseRecord?

    /// Creates the state of an account without records.
    package init() {}
}

/// A session that an admin ended. It gets no more keys, even if another session has taken over its lease.
package struct EndedSessionRecord: Sendable, Equatable {
    package let account: String
    package let client: PlaybackClient
    package let sessionID: UInt64?
    /// The time when the record can be deleted, in Unix seconds.
    package let expiry: Int64

    package init(account: String, client: PlaybackClient, sessionID: UInt64?, expiry: Int64) {
        self.account = account
        self.client = client
        self.sessionID = sessionID
        self.expiry = expiry
    }
}

/// The record of a request that was answered.
package struct ReplayRecord: Sendable, Equatable {
    /// The keyed hash of the request, 32 bytes.
    package let key: [UInt8]
    /// The time until which the same request is a retry, in Unix seconds.
    package let retryUntil: Int64
    /// The time when the record can be deleted, in Unix seconds.
    package let expires: Int64
    /// The response. A store may delete it from `retryUntil` on, because it is most of the record's size.
    package var answer: IssuedLicense?

    package init(key: [UInt8], retryUntil: Int64, expires: Int64, answer: IssuedLicense?) {
        self.key = key
        self.retryUntil = retryUntil
        self.expires = expires
        self.answer = answer
    }
}

/// The account, client and session that a single-use token belongs to.
package struct TokenBindingRecord: Sendable, Equatable {
    /// The SHA-256 of issuer and `jti`, 32 bytes.
    package let token: [UInt8]
    package let account: String
    package let client: PlaybackClient
    package let sessionID: UInt64?
    /// The time when the token expires, in Unix seconds: the latest expiry that it was used with.
    package var expires: Int64

    package init(token: [UInt8], account: String, client: PlaybackClient, sessionID: UInt64?, expires: Int64) {
        self.token = token
        self.account = account
        self.client = client
        self.sessionID = sessionID
        self.expires = expires
    }
}

/// The stored records that matter to one Sync claim.
package struct SyncState: Sendable, Equatable {
    /// The records of the SPC and its device. They are stored whatever the decision is.
    package var memory = SPCState()
    /// The challenge that the claim contains, if the store issued it and it was not used. The decision sets it to nil
    /// when it is used.
    package var challenge: ChallengeRecord?
    /// The persistent keys that the claim refers to: see ``SyncClaim/subject``.
    package var licenses: [OfflineLicenseRecord] = []

    package init() {}
}

/// A challenge that was issued.
package struct ChallengeRecord: Sendable, Equatable {
    package let challenge: UInt64
    package let account: String
    /// The time when the challenge expires, in Unix seconds.
    package let expires: Int64

    package init(challenge: UInt64, account: String, expires: Int64) {
        self.challenge = challenge
        self.account = account
        self.expires = expires
    }
}

extension SyncClaim {
    /// The persistent keys of the account and device that a claim refers to.
    package enum Subject: Sendable, Equatable {
        case streams([[UInt8]])
        case title([UInt8])
    }

    /// The persistent keys of the account and device that the claim refers to.
    package var subject: Subject {
        switch (message, streamID, titleID) {
        case (.invalidated(let streamIDs, _, _), _, _): .streams(streamIDs)
        case (_, let streamID?, _): .streams([streamID])
        case (_, nil, let titleID?): .title(titleID)
        case (_, nil, nil): .streams([])
        }
    }

    /// The challenge that the claim contains; nil for a plain report.
    package var challenge: UInt64? {
        switch message {
        case .report: nil
        case .invalidated(_, _, let challenge), .notFound(let challenge), .expired(let challenge): challenge
        }
    }
}

extension PlaybackClient {
    /// The bytes for a database column: a byte for the kind, then the device's hash or the session ID.
    package var encoded: [UInt8] {
        switch self {
        case .device(let device): [0] + device.bytes
        case .session(let session): [1] + bigEndianBytes(session)
        }
    }

    /// Decodes the bytes of ``encoded``; nil if they are damaged.
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

    /// The device; nil for a session.
    package var device: DeviceHash? {
        if case .device(let device) = self { device } else { nil }
    }
}

extension RentalSubject {
    /// The bytes for a database column: a byte for the kind, then the title's name or the asset ID.
    package var encoded: [UInt8] {
        switch self {
        case .title(let name): [0] + name.utf8
        case .asset(let assetID): [1] + assetID
        }
    }

    /// Decodes the bytes of ``encoded``; nil if they are damaged.
    package init?(encoded: [UInt8]) {
        switch encoded.first {
        case 0: self = .title(String(decoding: encoded.dropFirst(), as: UTF8.self))
        case 1: self = .asset(Array(encoded.dropFirst()))
        default: return nil
        }
    }
}

/// Returns the bytes of a number in big-endian order.
func bigEndianBytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
