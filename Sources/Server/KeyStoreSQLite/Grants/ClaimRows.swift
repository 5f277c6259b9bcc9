import GRDB
import KeyStore

/// A row of the table `replay`.
enum SQLiteReplayRow {
    static func fetch(_ key: [UInt8], _ db: Database) throws -> ReplayRecord? {
        let sql = "SELECT retry_until, expires, ckc, is_persistable, has_dual_expiry FROM replay WHERE key = ?"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [key.data]) else { return nil }
        return ReplayRecord(
            key: key,
            retryUntil: row[0],
            expires: row[1],
            answer: row.bytes(2).map { IssuedLicense(ckc: $0, isPersistable: row[3], hasDualExpiry: row[4]) }
        )
    }

    static func write(_ replay: ReplayRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO replay (key, retry_until, expires, ckc, is_persistable, has_dual_expiry)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            replay.key.data, replay.retryUntil, replay.expires, replay.answer?.ckc.data,
            replay.answer?.isPersistable ?? false, replay.answer?.hasDualExpiry ?? false,
        ])
    }
}

/// A row of the table `token_binding`.
enum SQLiteTokenBindingRow {
    static func fetch(_ token: [UInt8], _ db: Database) throws -> TokenBindingRecord? {
        let sql = "SELECT account, client, session_id, expires FROM token_binding WHERE token = ?"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [token.data]) else { return nil }
        return TokenBindingRecord(
            token: token,
            account: row.account(0),
            client: try row.client(1, of: "token_binding"),
            sessionID: row.unsigned(2),
            expires: row[3]
        )
    }

    static func write(_ binding: TokenBindingRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO token_binding (token, account, client, session_id, expires) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (token) DO UPDATE SET expires = excluded.expires
                """
        ).execute(arguments: [
            binding.token.data, Array(binding.account.utf8).data, binding.client.encoded.data,
            binding.sessionID.map { Int64(bitPattern: $0) }, binding.expires,
        ])
    }
}

/// A row of the table `challenge`.
enum SQLiteChallengeRow {
    static func fetch(_ challenge: UInt64, _ db: Database) throws -> ChallengeRecord? {
        let statement = try db.cachedStatement(sql: "SELECT account, expires FROM challenge WHERE challenge = ?")
        guard let row = try Row.fetchOne(statement, arguments: [Int64(bitPattern: challenge)]) else { return nil }
        return ChallengeRecord(challenge: challenge, account: row.account(0), expires: row[1])
    }

    static func write(_ challenge: ChallengeRecord, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO challenge (challenge, account, expires) VALUES (?, ?, ?)")
            .execute(arguments: [
                Int64(bitPattern: challenge.challenge), Array(challenge.account.utf8).data, challenge.expires,
            ])
    }

    static func delete(_ challenge: UInt64, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM challenge WHERE challenge = ?")
            .execute(arguments: [Int64(bitPattern: challenge)])
    }
}
