package import KeyStore
import TextCoding

/// Changes to an account, over HTTP or from the command line: each in one transaction with its audit record.
package struct AccountChanges: Sendable {
    private let store: any GrantStore
    private let actor: AdminActor

    /// Creates changes that are made by an actor.
    package init(store: any GrantStore, actor: AdminActor) {
        self.store = store
        self.actor = actor
    }

    /// Ends a lease: its session gets no more keys. Returns false if there is none.
    package func endLease(account: String, client: PlaybackClient) async throws(KeyStoreError) -> Bool {
        let what = "lease of account \(account) at \(AdminJSON.text(client)) ended"
        var audit = audit("lease-end", what, account)
        if case .device(let device) = client { audit.device = device }
        if case .session(let session) = client { audit.sessionID = session }
        return try await store.endLease(account: account, client: client, now: actor.now, audit: audit)
    }

    /// Deletes a device, so that the account can use another one. Returns false if the account does not have the
    /// device.
    package func deleteDevice(account: String, device: DeviceHash) async throws(KeyStoreError) -> Bool {
        let what = "device \(Hexadecimal.encode(device.bytes)) of account \(account) deleted"
        var audit = audit("device-delete", what, account)
        audit.device = device
        return try await store.deleteDevice(account: account, device: device, audit: audit)
    }

    /// Revokes a persistent key: the server issues it no more. Returns false if there is no such license, or if it has
    /// ended.
    ///
    /// - Parameter streamID: The stream ID, 16 bytes.
    package func revokeLicense(
        account: String,
        device: DeviceHash,
        streamID: [UInt8]
    ) async throws(KeyStoreError) -> Bool {
        let (key, hash) = (Hexadecimal.encode(streamID), Hexadecimal.encode(device.bytes))
        var audit = audit("license-revoke", "license \(key) of account \(account) on \(hash) revoked", account)
        audit.device = device
        return try await store.revokeOfflineLicense(
            account: account,
            device: device,
            streamID: streamID,
            now: actor.now,
            audit: audit
        )
    }

    /// Deletes a rental, so that the next license starts a new one. Returns false if there is none.
    package func deleteRental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> Bool {
        let bytes = AdminJSON.bytes(subject)
        let name = String(validating: bytes, as: UTF8.self) ?? "0x" + Hexadecimal.encode(bytes)
        let audit = audit("rental-delete", "rental of \(name) by account \(account) deleted", account)
        return try await store.deleteRental(account: account, subject: subject, audit: audit)
    }

    private func audit(_ outcome: String, _ what: String, _ account: String) -> AuditRecord {
        var audit = actor.audit(outcome, what)
        audit.account = account
        return audit
    }
}
