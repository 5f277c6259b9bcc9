package import KeyStore

// Changes by an administrator, each with its audit record if there was a change.
extension PostgresKeyStore {
    /// Ends a lease.
    @discardableResult
    package func endLease(
        account: String,
        client: PlaybackClient,
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let lease = PostgresLeaseRow.selection(.account(account), .bytes(client.encoded))
        return try await change(account, in: "lease", [lease], audit) { rows in
            guard var lease = try rows.first.map({ try PostgresLeaseRow.record($0) }), let ended = lease.end(at: now)
            else {
                return nil
            }
            return [PostgresLeaseRow.writing(lease), PostgresEndedSessionRow.writing(ended)]
        }
    }

    /// Deletes a device.
    @discardableResult
    package func deleteDevice(
        account: String,
        device: DeviceHash,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let known = PostgresDeviceRow.selection(.account(account), device)
        return try await change(account, in: "device", [known], audit) { rows in
            guard !rows.isEmpty else { return nil }
            let sql = "DELETE FROM device WHERE account = $1 AND device = $2"
            return [PostgresQuery(sql, [.account(account), .bytes(device.bytes)])]
        }
    }

    /// Revokes a persistent key.
    @discardableResult
    package func revokeOfflineLicense(
        account: String,
        device: DeviceHash,
        streamID: [UInt8],
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let license = PostgresOfflineLicenseRow.selection(.account(account), device, streamID)
        return try await change(account, in: "offline_license", [license], audit) { rows in
            let found = try rows.first.map { try PostgresOfflineLicenseRow.record($0) }
            guard var license = found, license.end == nil else { return nil }
            license.revoke(at: now)
            return [PostgresOfflineLicenseRow.writing(license)]
        }
    }

    /// Deletes a rental.
    @discardableResult
    package func deleteRental(
        account: String,
        subject: RentalSubject,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let rental = PostgresRentalRow.selection(.account(account), subject)
        return try await change(account, in: "rental", [rental], audit) { rows in
            guard !rows.isEmpty else { return nil }
            let sql = "DELETE FROM rental WHERE account = $1 AND subject = $2"
            return [PostgresQuery(sql, [.account(account), .bytes(subject.encoded)])]
        }
    }

    /// Runs an admin's change. `decide` returns the writes for the rows that were found, or nil if there is nothing to
    /// change.
    private func change(
        _ account: String,
        in place: String,
        _ reads: [PostgresQuery],
        _ audit: AuditRecord,
        _ decide: @escaping @Sendable ([PostgresRow]) throws -> [PostgresQuery]?
    ) async throws(KeyStoreError) -> Bool {
        let lock = LockKey(.account, Array(account.utf8))
        return try await writes.perform(in: place, locks: [lock], reads: reads) { results, _ in
            guard let writes = try decide(results.first?.rows ?? []) else { return JobResult(value: false) }
            return JobResult(value: true, writes: writes, audit: [audit])
        }
    }
}
