import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns leases, sorted by account and client.
    package func leases(
        account: String?,
        at time: Int64,
        after last: LeaseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [LeaseRecord] {
        var conditions = ["until > ?"]
        var arguments: StatementArguments = [time]
        if let account {
            conditions.append("account = ?")
            arguments += [Array(account.utf8).data]
        }
        if let last {
            conditions.append("(account, client) > (?, ?)")
            arguments += [Array(last.account.utf8).data, last.client.encoded.data]
        }
        arguments += [pageSize(limit)]
        let sql = """
            SELECT \(SQLiteLeaseRow.columns) FROM lease WHERE \(conditions.joined(separator: " AND "))
            ORDER BY account, client LIMIT ?
            """
        return try await list(sql, arguments, in: "lease", SQLiteLeaseRow.record)
    }

    /// Returns the number of unexpired leases.
    package func leaseCount(at time: Int64) async throws(KeyStoreError) -> Int {
        try await translatingErrors(in: "lease") {
            try await pool.read { db in
                let statement = try db.cachedStatement(sql: "SELECT count(*) FROM lease WHERE until > ?")
                return try Int.fetchOne(statement, arguments: [time]) ?? 0
            }
        }
    }

    /// Returns the devices of an account.
    package func devices(account: String) async throws(KeyStoreError) -> [DeviceRecord] {
        let sql = "SELECT \(SQLiteDeviceRow.columns) FROM device WHERE account = ? ORDER BY device"
        return try await list(sql, [Array(account.utf8).data], in: "device", SQLiteDeviceRow.record)
    }

    /// Returns the persistent keys of an account.
    package func offlineLicenses(account: String) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        let sql =
            "SELECT \(SQLiteOfflineLicenseRow.columns) FROM offline_license WHERE account = ? ORDER BY device, stream_id"
        return try await list(sql, [Array(account.utf8).data], in: "offline_license", SQLiteOfflineLicenseRow.record)
    }

    /// Returns the persistent keys of all accounts.
    package func offlineLicenses(
        playableAt time: Int64?,
        after last: OfflineLicenseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        var conditions = ["1"]
        var arguments: StatementArguments = []
        if let time {
            conditions.append("(until IS NULL OR until > ?) AND (end_reason IS NULL OR end_reason = 'revoked')")
            arguments += [time]
        }
        if let last {
            conditions.append("(account, device, stream_id) > (?, ?, ?)")
            arguments += [Array(last.account.utf8).data, last.device.bytes.data, last.streamID.data]
        }
        arguments += [pageSize(limit)]
        let sql = """
            SELECT \(SQLiteOfflineLicenseRow.columns) FROM offline_license WHERE \(conditions.joined(separator: " AND "))
            ORDER BY account, device, stream_id LIMIT ?
            """
        return try await list(sql, arguments, in: "offline_license", SQLiteOfflineLicenseRow.record)
    }

    /// Returns the rentals of an account.
    package func rentals(account: String) async throws(KeyStoreError) -> [RentalRecord] {
        let sql = "SELECT \(SQLiteRentalRow.columns) FROM rental WHERE account = ? ORDER BY subject"
        return try await list(sql, [Array(account.utf8).data], in: "rental", SQLiteRentalRow.record)
    }

    private func list<Record: Sendable>(
        _ sql: String,
        _ arguments: StatementArguments,
        in place: String,
        _ record: @escaping @Sendable (Row) throws -> Record
    ) async throws(KeyStoreError) -> [Record] {
        try await translatingErrors(in: place) {
            try await pool.read { db in try Row.fetchAll(db, sql: sql, arguments: arguments).map(record) }
        }
    }
}

extension SQLiteKeyStore {
    /// Ends a lease.
    @discardableResult
    package func endLease(
        account: String,
        client: PlaybackClient,
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        try await change(in: "lease", audit) { db in
            guard var lease = try SQLiteLeaseRow.fetch(Array(account.utf8).data, client.encoded.data, db),
                let ended = lease.end(at: now)
            else { return false }
            try SQLiteLeaseRow.write(lease, db)
            try SQLiteEndedSessionRow.write(ended, db)
            return true
        }
    }

    /// Deletes a device.
    @discardableResult
    package func deleteDevice(
        account: String,
        device: DeviceHash,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        try await change(in: "device", audit) { db in
            try db.cachedStatement(sql: "DELETE FROM device WHERE account = ? AND device = ?")
                .execute(arguments: [Array(account.utf8).data, device.bytes.data])
            return db.changesCount > 0
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
        try await change(in: "offline_license", audit) { db in
            let found = try SQLiteOfflineLicenseRow.fetch(Array(account.utf8).data, device, streamID, db)
            guard var license = found, license.end == nil else { return false }
            license.revoke(at: now)
            try SQLiteOfflineLicenseRow.write(license, db)
            return true
        }
    }

    /// Deletes a rental.
    @discardableResult
    package func deleteRental(
        account: String,
        subject: RentalSubject,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        try await change(in: "rental", audit) { db in
            try db.cachedStatement(sql: "DELETE FROM rental WHERE account = ? AND subject = ?")
                .execute(arguments: [Array(account.utf8).data, subject.encoded.data])
            return db.changesCount > 0
        }
    }

    /// Runs an admin's change, and appends its audit record if there was a change.
    private func change(
        in place: String,
        _ audit: AuditRecord,
        _ work: @escaping @Sendable (Database) throws -> Bool
    ) async throws(KeyStoreError) -> Bool {
        try await writes.perform(in: place) { transaction in
            guard try work(transaction.db) else { return false }
            try transaction.append(audit)
            return true
        }
    }
}
