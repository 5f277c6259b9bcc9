import FoundationEssentials
import GRDB
import KeyStore

/// A row of the table `lease`.
enum SQLiteLeaseRow {
    static let columns = "account, client, session_id, asset_id, since, until, purpose, ended"

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: Row) throws -> LeaseRecord {
        guard let purpose = SlotClaim.Purpose(rawValue: row[6]) else {
            throw KeyStoreError(.corrupt, place: "lease, purpose")
        }
        return LeaseRecord(
            account: row.account(0),
            client: try row.client(1, of: "lease"),
            sessionID: row.unsigned(2),
            assetID: row.bytes(3) ?? [],
            since: row[4],
            until: row[5],
            purpose: purpose,
            ended: row[7]
        )
    }

    static func fetch(_ account: Data, _ client: Data, _ db: Database) throws -> LeaseRecord? {
        let sql = "SELECT \(columns) FROM lease WHERE account = ? AND client = ?"
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [account, client]).map(record)
    }

    static func write(_ lease: LeaseRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO lease (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (account, client) DO UPDATE SET session_id = excluded.session_id,
                    asset_id = excluded.asset_id, since = excluded.since, until = excluded.until,
                    purpose = excluded.purpose, ended = excluded.ended
                """
        ).execute(arguments: [
            Array(lease.account.utf8).data, lease.client.encoded.data, lease.sessionID.map { Int64(bitPattern: $0) },
            lease.assetID.data, lease.since, lease.until, lease.purpose.rawValue, lease.ended,
        ])
    }
}

/// A row of the table `ended_session`.
enum SQLiteEndedSessionRow {
    static func fetch(
        _ proposal: GrantProposal,
        _ account: Data,
        _ client: Data,
        _ db: Database
    ) throws -> EndedSessionRecord? {
        let sql = "SELECT expires FROM ended_session WHERE account = ? AND client = ? AND session = ?"
        let arguments: StatementArguments = [account, client, session(proposal.sessionID)]
        guard let expiry = try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) else { return nil }
        return EndedSessionRecord(
            account: proposal.account,
            client: proposal.client,
            sessionID: proposal.sessionID,
            expiry: expiry
        )
    }

    static func write(_ ended: EndedSessionRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO ended_session (account, client, session, expires) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [
            Array(ended.account.utf8).data, ended.client.encoded.data, session(ended.sessionID), ended.expiry,
        ])
    }

    /// Returns a session ID in 8 bytes, or no bytes without one, because a primary key column cannot be NULL.
    private static func session(_ id: UInt64?) -> Data {
        id.map { withUnsafeBytes(of: $0.bigEndian) { Data($0) } } ?? Data()
    }
}

/// A row of the table `device`.
enum SQLiteDeviceRow {
    static let columns = "account, device, device_class, first_seen, last_seen"

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: Row) throws -> DeviceRecord {
        DeviceRecord(
            account: row.account(0),
            device: try row.device(1, of: "device"),
            deviceClass: row[2],
            firstSeen: row[3],
            lastSeen: row[4]
        )
    }

    static func fetch(_ account: Data, _ device: DeviceHash, _ db: Database) throws -> DeviceRecord? {
        let sql = "SELECT \(columns) FROM device WHERE account = ? AND device = ?"
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [account, device.bytes.data]).map(record)
    }

    static func write(_ device: DeviceRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO device (\(columns)) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (account, device) DO UPDATE SET device_class = excluded.device_class,
                    last_seen = excluded.last_seen
                """
        ).execute(arguments: [
            Array(device.account.utf8).data, device.device.bytes.data, device.deviceClass, device.firstSeen,
            device.lastSeen,
        ])
    }
}

/// A row of the table `rental`.
enum SQLiteRentalRow {
    static let columns = "account, subject, starts, ends, client"

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: Row) throws -> RentalRecord {
        RentalRecord(
            account: row.account(0),
            subject: try row.rentalSubject(1),
            start: row[2],
            end: row[3],
            client: try row.client(4, of: "rental")
        )
    }

    static func fetch(_ account: Data, _ subject: RentalSubject, _ db: Database) throws -> RentalRecord? {
        let sql = "SELECT \(columns) FROM rental WHERE account = ? AND subject = ?"
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [account, subject.encoded.data]).map(record)
    }

    static func write(_ rental: RentalRecord, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO rental (\(columns)) VALUES (?, ?, ?, ?, ?)")
            .execute(arguments: [
                Array(rental.account.utf8).data, rental.subject.encoded.data, rental.start, rental.end,
                rental.client.encoded.data,
            ])
    }
}

extension Row {
    /// Returns an account, which is stored as bytes.
    func account(_ index: Int) -> String { String(decoding: bytes(index) ?? [], as: UTF8.self) }

    /// Returns an unsigned 64-bit number, which SQLite stores as a signed one.
    func unsigned(_ index: Int) -> UInt64? { (self[index] as Int64?).map { UInt64(bitPattern: $0) } }

    /// - Throws: ``KeyStoreError/Code/corrupt`` if the bytes are not a device or session.
    func client(_ index: Int, of table: String) throws -> PlaybackClient {
        guard let client = PlaybackClient(encoded: bytes(index) ?? []) else {
            throw KeyStoreError(.corrupt, place: "\(table), client")
        }
        return client
    }

    /// - Throws: ``KeyStoreError/Code/corrupt`` if the bytes are not a rental subject.
    func rentalSubject(_ index: Int) throws -> RentalSubject {
        guard let subject = RentalSubject(encoded: bytes(index) ?? []) else {
            throw KeyStoreError(.corrupt, place: "rental, subject")
        }
        return subject
    }

    /// - Throws: ``KeyStoreError/Code/corrupt`` if the bytes are not the hash of a device.
    func device(_ index: Int, of table: String) throws -> DeviceHash {
        guard let device = DeviceHash(stored: bytes(index) ?? []) else {
            throw KeyStoreError(.corrupt, place: "\(table), device")
        }
        return device
    }
}
