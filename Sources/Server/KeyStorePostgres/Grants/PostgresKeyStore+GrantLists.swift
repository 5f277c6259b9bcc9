package import KeyStore

extension PostgresKeyStore {
    /// Returns leases, sorted by account and client.
    package func leases(
        account: String?,
        at time: Int64,
        after last: LeaseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [LeaseRecord] {
        var conditions = ["until > $1"]
        var values: [PostgresValue] = [.integer(time), .integer(Int64(pageSize(limit)))]
        if let account {
            values.append(.account(account))
            conditions.append("account = $\(values.count)")
        }
        if let last {
            values += [.account(last.account), .bytes(last.client.encoded)]
            conditions.append("(account, client) > ($\(values.count - 1), $\(values.count))")
        }
        let sql = """
            SELECT \(PostgresLeaseRow.columns) FROM lease WHERE \(conditions.joined(separator: " AND "))
            ORDER BY account, client LIMIT $2
            """
        return try await list(PostgresQuery(sql, values), in: "lease") { try PostgresLeaseRow.record($0) }
    }

    /// Returns the number of unexpired leases.
    package func leaseCount(at time: Int64) async throws(KeyStoreError) -> Int {
        let query = PostgresQuery("SELECT count(*) FROM lease WHERE until > $1", [.integer(time)])
        let counts = try await list(query, in: "lease") { try $0.requiredInteger(0) }
        return Int(clamping: counts.first ?? 0)
    }

    /// Returns the devices of an account.
    package func devices(account: String) async throws(KeyStoreError) -> [DeviceRecord] {
        let sql = "SELECT \(PostgresDeviceRow.columns) FROM device WHERE account = $1 ORDER BY device"
        return try await list(PostgresQuery(sql, [.account(account)]), in: "device") {
            try PostgresDeviceRow.record($0)
        }
    }

    /// Returns the persistent keys of an account.
    package func offlineLicenses(account: String) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        let sql = """
            SELECT \(PostgresOfflineLicenseRow.columns) FROM offline_license WHERE account = $1 ORDER BY device, stream_id
            """
        return try await list(PostgresQuery(sql, [.account(account)]), in: "offline_license") {
            try PostgresOfflineLicenseRow.record($0)
        }
    }

    /// Returns the persistent keys of all accounts, sorted by account, device and stream ID.
    package func offlineLicenses(
        playableAt time: Int64?,
        after last: OfflineLicenseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        var conditions = ["TRUE"]
        var values: [PostgresValue] = [.integer(Int64(pageSize(limit)))]
        if let time {
            values.append(.integer(time))
            conditions.append(
                "(until IS NULL OR until > $\(values.count)) AND (end_reason IS NULL OR end_reason = 'revoked')"
            )
        }
        if let last {
            values += [.account(last.account), .bytes(last.device.bytes), .bytes(last.streamID)]
            let count = values.count
            conditions.append("(account, device, stream_id) > ($\(count - 2), $\(count - 1), $\(count))")
        }
        let sql = """
            SELECT \(PostgresOfflineLicenseRow.columns) FROM offline_license WHERE \(conditions.joined(separator: " AND "))
            ORDER BY account, device, stream_id LIMIT $1
            """
        return try await list(PostgresQuery(sql, values), in: "offline_license") {
            try PostgresOfflineLicenseRow.record($0)
        }
    }

    /// Returns the rentals of an account.
    package func rentals(account: String) async throws(KeyStoreError) -> [RentalRecord] {
        let sql = "SELECT \(PostgresRentalRow.columns) FROM rental WHERE account = $1 ORDER BY subject"
        return try await list(PostgresQuery(sql, [.account(account)]), in: "rental") {
            try PostgresRentalRow.record($0)
        }
    }

    /// Returns the records of a query.
    func list<Record: Sendable>(
        _ query: PostgresQuery,
        in place: String,
        _ record: @Sendable (PostgresRow) throws -> Record
    ) async throws(KeyStoreError) -> [Record] {
        try await readers.read(in: place) { reader in
            try (try reader.run([query]).first?.rows ?? []).map(record)
        }
    }
}
