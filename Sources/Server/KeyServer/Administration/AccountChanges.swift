package import KeyStore
import TextCoding

/// What can be taken from an account, by HTTP and by command: each in one transaction with its audit record.
package struct AccountChanges: Sendable {
    private let store: any GrantStore
    private let actor: AdminActor

    /// Makes changes in somebody's name.
    package init(store: any GrantStore, actor: AdminActor) {
        self.store = store
        self.actor = actor
    }

    /// Ends a lease: its session gets no more keys. False when there is none.
    package func endLease(account: String, place: PlaybackPlace) async throws(KeyStoreError) -> Bool {
        let what = "lease of account \(account) at \(AdminJSON.text(place)) ended"
        var audit = audit("lease-end", what, account)
        if case .device(let device) = place { audit.device = device }
        if case .session(let session) = place { audit.sessionID = session }
        return try await store.endLease(account: account, place: place, now: actor.now, audit: audit)
    }

    /// Forgets a device, which makes room for another. False when the account has no such device.
    package func forgetDevice(account: String, device: DeviceHash) async throws(KeyStoreError) -> Bool {
        let what = "device \(Hexadecimal.encode(device.bytes)) of account \(account) forgotten"
        var audit = audit("device-forget", what, account)
        audit.device = device
        return try await store.forgetDevice(account: account, device: device, audit: audit)
    }

    /// Revokes a kept key: it is given no more. False when there is no such license, or it has ended.
    ///
    /// - Parameter streamID: 16 bytes.
    package func revokeLicense(
        account: String,
        device: DeviceHash,
        streamID: [UInt8]
    ) async throws(KeyStoreError) -> Bool {
        let (key, place) = (Hexadecimal.encode(streamID), Hexadecimal.encode(device.bytes))
        var audit = audit("license-revoke", "license \(key) of account \(account) on \(place) revoked", account)
        audit.device = device
        return try await store.revokeOfflineLicense(
            account: account,
            device: device,
            streamID: streamID,
            now: actor.now,
            audit: audit
        )
    }

    /// Forgets a rental, so that the next license begins a new one. False when there is none.
    ///
    package func forgetRental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> Bool {
        let bytes = AdminJSON.bytes(subject)
        let name = String(validating: bytes, as: UTF8.self) ?? "0x" + Hexadecimal.encode(bytes)
        let audit = audit("rental-forget", "rental of \(name) by account \(account) forgotten", account)
        return try await store.forgetRental(account: account, subject: subject, audit: audit)
    }

    private func audit(_ outcome: String, _ what: String, _ account: String) -> AuditRecord {
        var audit = actor.audit(outcome, what)
        audit.account = account
        return audit
    }
}
