import KeyStore

// The rows of requests: reading and writing, in the order of the columns.

/// A row of the table `replay`.
enum PostgresReplayRow {
    static func selection(_ key: [UInt8]) -> PostgresQuery {
        PostgresQuery(
            "SELECT retry_until, expires, ckc, is_persistable, has_dual_expiry FROM replay WHERE key = $1",
            [.bytes(key)]
        )
    }

    /// Creates a record from a row of ``selection(_:)``.
    static func record(_ row: PostgresRow, _ key: [UInt8]) throws(KeyStoreError) -> ReplayRecord {
        ReplayRecord(
            key: key,
            retryUntil: try row.requiredInteger(0),
            expires: try row.requiredInteger(1),
            answer: row.bytes(2).map {
                IssuedLicense(ckc: $0, isPersistable: row.boolean(3), hasDualExpiry: row.boolean(4))
            }
        )
    }

    static func writing(_ replay: ReplayRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO replay (key, retry_until, expires, ckc, is_persistable, has_dual_expiry)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (key) DO UPDATE SET retry_until = excluded.retry_until, expires = excluded.expires,
                ckc = excluded.ckc, is_persistable = excluded.is_persistable,
                has_dual_expiry = excluded.has_dual_expiry
            """,
            [
                .bytes(replay.key), .integer(replay.retryUntil), .integer(replay.expires), .init(replay.answer?.ckc),
                .boolean(replay.answer?.isPersistable ?? false), .boolean(replay.answer?.hasDualExpiry ?? false),
            ]
        )
    }
}

/// A row of the table `token_binding`.
enum PostgresTokenBindingRow {
    static func selection(_ token: [UInt8]) -> PostgresQuery {
        PostgresQuery(
            "SELECT account, client, session_id, expires FROM token_binding WHERE token = $1",
            [.bytes(token)]
        )
    }

    /// Creates a record from a row of ``selection(_:)``.
    static func record(_ row: PostgresRow, _ token: [UInt8]) throws(KeyStoreError) -> TokenBindingRecord {
        TokenBindingRecord(
            token: token,
            account: try row.requiredText(0),
            client: try row.client(1, of: "token_binding"),
            sessionID: row.unsigned(2),
            expires: try row.requiredInteger(3)
        )
    }

    static func writing(_ binding: TokenBindingRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO token_binding (token, account, client, session_id, expires) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (token) DO UPDATE SET expires = excluded.expires
            """,
            [
                .bytes(binding.token), .account(binding.account), .bytes(binding.client.encoded),
                .init(bits: binding.sessionID), .integer(binding.expires),
            ]
        )
    }
}

/// A row of the table `challenge`.
enum PostgresChallengeRow {
    static func selection(_ challenge: UInt64) -> PostgresQuery {
        PostgresQuery("SELECT account, expires FROM challenge WHERE challenge = $1", [.init(bits: challenge)])
    }

    /// Creates a record from a row of ``selection(_:)``.
    static func record(_ row: PostgresRow, _ challenge: UInt64) throws(KeyStoreError) -> ChallengeRecord {
        ChallengeRecord(
            challenge: challenge,
            account: try row.requiredText(0),
            expires: try row.requiredInteger(1)
        )
    }

    static func insertion(_ challenge: ChallengeRecord) -> PostgresQuery {
        PostgresQuery(
            "INSERT INTO challenge (challenge, account, expires) VALUES ($1, $2, $3)",
            [.init(bits: challenge.challenge), .account(challenge.account), .integer(challenge.expires)]
        )
    }

    static func deletion(_ challenge: UInt64) -> PostgresQuery {
        PostgresQuery("DELETE FROM challenge WHERE challenge = $1", [.init(bits: challenge)])
    }
}

/// A row of the table `offline_license`.
enum PostgresOfflineLicenseRow {
    static let columns = """
        account, device, stream_id, title_id, asset_id, granted, storage_until, playback_duration, until, first_play_seen, \
        reported, end_reason, ended
        """

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: PostgresRow) throws(KeyStoreError) -> OfflineLicenseRecord {
        var license = OfflineLicenseRecord(
            account: try row.requiredText(0),
            device: try row.device(1, of: "offline_license"),
            streamID: try row.requiredBytes(2),
            titleID: row.bytes(3),
            assetID: try row.requiredBytes(4),
            granted: try row.requiredInteger(5),
            storageUntil: row.integer(6),
            playback: row.integer(7),
            until: row.integer(8)
        )
        license.firstPlaySeen = row.integer(9)
        license.reported = row.integer(10)
        if let end = row.text(11) {
            guard let end = OfflineLicenseRecord.End(rawValue: end) else {
                throw KeyStoreError(.corrupt, place: "offline_license, end_reason")
            }
            license.end = end
        }
        license.ended = row.integer(12)
        return license
    }

    static func selection(_ account: PostgresValue, _ device: DeviceHash, _ streamID: [UInt8]) -> PostgresQuery {
        PostgresQuery(
            "SELECT \(columns) FROM offline_license WHERE account = $1 AND device = $2 AND stream_id = $3",
            [account, .bytes(device.bytes), .bytes(streamID)]
        )
    }

    static func selection(_ account: PostgresValue, _ device: DeviceHash, titleID: [UInt8]) -> PostgresQuery {
        PostgresQuery(
            "SELECT \(columns) FROM offline_license WHERE account = $1 AND device = $2 AND title_id = $3",
            [account, .bytes(device.bytes), .bytes(titleID)]
        )
    }

    static func writing(_ license: OfflineLicenseRecord) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO offline_license (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            ON CONFLICT (account, device, stream_id) DO UPDATE SET title_id = excluded.title_id,
                asset_id = excluded.asset_id, granted = excluded.granted, storage_until = excluded.storage_until,
                playback_duration = excluded.playback_duration, until = excluded.until, first_play_seen = excluded.first_play_seen,
                reported = excluded.reported, end_reason = excluded.end_reason, ended = excluded.ended
            """,
            [
                .account(license.account), .bytes(license.device.bytes), .bytes(license.streamID),
                .init(license.titleID), .bytes(license.assetID), .integer(license.granted),
                .init(license.storageUntil), .init(license.playback), .init(license.until),
                .init(license.firstPlaySeen), .init(license.reported), .init(license.end?.rawValue),
                .init(license.ended),
            ]
        )
    }
}
