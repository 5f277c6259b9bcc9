import KeyStore

// The rows of an account's current and past licenses: reading and writing, in the order of the columns.

/// A row of the table `lease`.
enum PostgresLeaseRow {
    static let columns = "account, client, session_id, asset_id, since, until, purpose, ended"

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: PostgresRow) throws(KeyStoreError) -> LeaseRecord {
        guard let purpose = SlotClaim.Purpose(rawValue: try row.requiredText(6)) else {
            throw KeyStoreError(.corrupt, place: "lease, purpose")
        }
        return LeaseRecord(
            account: try row.requiredText(0),
            client: try row.client(1, of: "lease"),
            sessionID: row.unsigned(2),
            assetID: try row.requiredBytes(3),
            since: try row.requiredInteger(4),
            until: try row.requiredInteger(5),
            purpose: purpose,
            ended: row.integer(7)
        )
    }

    static func selection(_ account: PostgresValue, _ client: PostgresValue) -> PostgresQuery {
        PostgresQuery("SELECT \(columns) FROM lease WHERE account = $1 AND client = $2", [account, client])
    }

    static func writing(_ lease: LeaseRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO lease (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (account, client) DO UPDATE SET session_id = excluded.session_id,
                asset_id = excluded.asset_id, since = excluded.since, until = excluded.until,
                purpose = excluded.purpose, ended = excluded.ended
            """,
            [
                .account(lease.account), .bytes(lease.client.encoded), .init(bits: lease.sessionID),
                .bytes(lease.assetID), .integer(lease.since), .integer(lease.until), .text(lease.purpose.rawValue),
                .init(lease.ended),
            ]
        )
    }
}

/// A row of the table `ended_session`.
enum PostgresEndedSessionRow {
    static func selection(_ proposal: GrantProposal) -> PostgresQuery {
        PostgresQuery(
            "SELECT expires FROM ended_session WHERE account = $1 AND client = $2 AND session = $3",
            [.account(proposal.account), .bytes(proposal.client.encoded), session(proposal.sessionID)]
        )
    }

    /// Creates a record from a row of ``selection(_:)``.
    static func record(_ row: PostgresRow, _ proposal: GrantProposal) throws(KeyStoreError) -> EndedSessionRecord {
        EndedSessionRecord(
            account: proposal.account,
            client: proposal.client,
            sessionID: proposal.sessionID,
            expiry: try row.requiredInteger(0)
        )
    }

    static func writing(_ ended: EndedSessionRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO ended_session (account, client, session, expires) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account, client, session) DO UPDATE SET expires = excluded.expires
            """,
            [.account(ended.account), .bytes(ended.client.encoded), session(ended.sessionID), .integer(ended.expiry)]
        )
    }

    /// Returns a session ID in 8 bytes, or no bytes without one, because a primary key column cannot be NULL.
    private static func session(_ id: UInt64?) -> PostgresValue {
        .bytes(id.map { withUnsafeBytes(of: $0.bigEndian) { Array($0) } } ?? [])
    }
}

/// A row of the table `device`.
enum PostgresDeviceRow {
    static let columns = "account, device, device_class, first_seen, last_seen"

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: PostgresRow) throws(KeyStoreError) -> DeviceRecord {
        DeviceRecord(
            account: try row.requiredText(0),
            device: try row.device(1, of: "device"),
            deviceClass: row.text(2),
            firstSeen: try row.requiredInteger(3),
            lastSeen: try row.requiredInteger(4)
        )
    }

    static func selection(_ account: PostgresValue, _ device: DeviceHash) -> PostgresQuery {
        PostgresQuery(
            "SELECT \(columns) FROM device WHERE account = $1 AND device = $2",
            [account, .bytes(device.bytes)]
        )
    }

    static func writing(_ device: DeviceRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO device (\(columns)) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (account, device) DO UPDATE SET device_class = excluded.device_class,
                last_seen = excluded.last_seen
            """,
            [
                .account(device.account), .bytes(device.device.bytes), .init(device.deviceClass),
                .integer(device.firstSeen), .integer(device.lastSeen),
            ]
        )
    }
}

/// A row of the table `rental`.
enum PostgresRentalRow {
    static let columns = "account, subject, starts, ends, client"

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: PostgresRow) throws(KeyStoreError) -> RentalRecord {
        guard let subject = RentalSubject(encoded: try row.requiredBytes(1)) else {
            throw KeyStoreError(.corrupt, place: "rental, subject")
        }
        return RentalRecord(
            account: try row.requiredText(0),
            subject: subject,
            start: try row.requiredInteger(2),
            end: try row.requiredInteger(3),
            client: try row.client(4, of: "rental")
        )
    }

    static func selection(_ account: PostgresValue, _ subject: RentalSubject) -> PostgresQuery {
        PostgresQuery(
            "SELECT \(columns) FROM rental WHERE account = $1 AND subject = $2",
            [account, .bytes(subject.encoded)]
        )
    }

    static func writing(_ rental: RentalRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO rental (\(columns)) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (account, subject) DO UPDATE SET starts = excluded.starts, ends = excluded.ends,
                client = excluded.client
            """,
            [
                .account(rental.account), .bytes(rental.subject.encoded), .integer(rental.start),
                .integer(rental.end), .bytes(rental.client.encoded),
            ]
        )
    }
}

extension PostgresValue {
    /// Returns an account, which is stored as bytes.
    static func account(_ account: String) -> PostgresValue { .bytes(Array(account.utf8)) }
}

extension PostgresRow {
    /// - Throws: ``KeyStoreError/Code/corrupt`` if the bytes are not a device or session.
    func client(_ index: Int, of table: String) throws(KeyStoreError) -> PlaybackClient {
        guard let client = PlaybackClient(encoded: bytes(index) ?? []) else {
            throw KeyStoreError(.corrupt, place: "\(table), client")
        }
        return client
    }

    /// - Throws: ``KeyStoreError/Code/corrupt`` if the bytes are not the hash of a device.
    func device(_ index: Int, of table: String) throws(KeyStoreError) -> DeviceHash {
        guard let device = DeviceHash(stored: bytes(index) ?? []) else {
            throw KeyStoreError(.corrupt, place: "\(table), device")
        }
        return device
    }
}
