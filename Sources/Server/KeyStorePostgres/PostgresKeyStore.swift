import FPSCrypto
package import KeyStore

/// The store in PostgreSQL, for any number of servers at once.
///
/// Every decision is one transaction under locks of what it is about, so that servers agree on every limit whatever
/// happens to one of them. SQL runs on lanes, each a connection with a thread of its own.
package final class PostgresKeyStore: KeyServerStore {
    let readers: LanePool
    let writes: WriteQueue
    let keys: KeyEncryptionKeyRing
    let replaySecret: SecretBytes
    /// Whether there was no store before this one was opened.
    package let isNew: Bool
    private let administration: PostgresLane
    private let deviceHashKey: SecretBytes
    private let patience: Duration

    /// How long a start waits for the database: it may be starting too, or another server may be migrating.
    private static let patienceAtStart = Duration.seconds(60)
    /// Ten million keys take some minutes.
    private static let patienceForRotation = Duration.seconds(3600)

    /// Connects, and creates the tables or brings them up to date.
    ///
    /// - Parameters:
    ///   - settings: which database.
    ///   - creating: what to do where there are no tables.
    ///   - keys: gives the key-encryption keys, and is told whether it may make one: when the database is empty. It is asked
    ///     again by ``readKeysAgain()``.
    /// - Throws: ``KeyStoreError`` with the codes `missingStore`, `conflict`, `wrongKEK`, `foreignDatabase`, `newerSchema`,
    ///   `corrupt`, `unavailable`, and what `keys` throws.
    package static func open(
        _ settings: PostgresSettings,
        creating: StoreCreation = .ifMissing,
        keys: @escaping @Sendable (_ mayCreate: Bool) throws(KeyStoreError) -> [KeyEncryptionKey]
    ) async throws(KeyStoreError) -> PostgresKeyStore {
        try await open(settings, schema: .current, creating: creating, keys: keys)
    }

    static func open(
        _ settings: PostgresSettings,
        schema: Schema,
        creating: StoreCreation = .ifMissing,
        keys source: @escaping @Sendable (_ mayCreate: Bool) throws(KeyStoreError) -> [KeyEncryptionKey]
    ) async throws(KeyStoreError) -> PostgresKeyStore {
        let lane = PostgresLane(settings)
        do {
            let deadline = ContinuousClock.now + patienceAtStart
            let isNew = try await lane.read(until: deadline) { reader in
                try schema.migrate(reader.connection, mayCreate: creating != .never, until: reader.deadline)
                return try reader.rows("SELECT id FROM sealing").isEmpty
            }
            if isNew, creating == .never { throw KeyStoreError.missingTables }
            if !isNew, creating == .always { throw KeyStoreError.exists("PostgreSQL") }
            let keys = try KeyEncryptionKeyRing(try source(isNew)) { () throws(KeyStoreError) in try source(false) }
            let deviceHashKey = try await lane.transaction(until: deadline) { transaction in
                try Self.firstRows(&transaction, keys)
            }
            return PostgresKeyStore(
                settings,
                administration: lane,
                keys: keys,
                deviceHashKey: deviceHashKey,
                isNew: isNew
            )
        } catch {
            throw KeyStoreError(error, place: "PostgreSQL")
        }
    }

    private init(
        _ settings: PostgresSettings,
        administration: PostgresLane,
        keys: KeyEncryptionKeyRing,
        deviceHashKey: SecretBytes,
        isNew: Bool
    ) {
        self.isNew = isNew
        // Two transactions of a server are under way at once: while one waits for its commit the next decides.
        let writers = settings.connections < 5 ? 1 : 2
        writes = WriteQueue(settings, count: writers)
        readers = LanePool(settings, count: settings.connections - writers - 1)
        patience = settings.deadline
        replaySecret = ReplayKey.secret(from: deviceHashKey)
        self.administration = administration
        self.keys = keys
        self.deviceHashKey = deviceHashKey
    }

    /// Closes the connections, when what is under way is done.
    package func close() async {
        await readers.close()
        await writes.close()
        await administration.close()
    }

    /// Reads the key-encryption keys again where they come from.
    package func readKeysAgain() throws(KeyStoreError) -> Int { try keys.reload() }

    /// Seals every secret anew under another key, all of them or none, in one transaction. Licenses go on meanwhile;
    /// administration waits.
    ///
    /// Servers that know both keys notice nothing. Others get ``KeyStoreError/Code/wrongKEK`` until they have read the new key.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` when a secret does not open. Whatever is thrown, nothing has changed, except
    ///   when the connection was lost at the end: then ask again.
    package func rotate(to key: KeyEncryptionKey) async throws(KeyStoreError) {
        try await administer(in: "rotation", within: Self.patienceForRotation) { [keys] transaction in
            try Reencryption(from: keys, to: key).run(&transaction)
        }
        keys.setCurrent(key)
    }

    /// The hash that stands for a device.
    package func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }

    /// Runs a transaction that changes titles, keys, policies, certificates, channels or tokens, with the audit record that
    /// `audit` makes of what came of it. There is one at a time, over all servers, so that what it finds first still holds at
    /// its end.
    func administer<Value: Sendable>(
        in place: String,
        within patience: Duration? = nil,
        audit: @Sendable (Value) -> AuditRecord? = { _ in nil },
        _ body: @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        do {
            return try await administration.transaction(until: .now + (patience ?? self.patience)) { transaction in
                transaction.later([CommonLock.administration])
                let value = try body(&transaction)
                if let record = audit(value) {
                    // Who grants takes the catalog's lock before the log's end. So must who changes the catalog, or the
                    // two wait for each other: its triggers, which lock it, run now and not at the commit.
                    transaction.later([PostgresQuery("SET CONSTRAINTS ALL IMMEDIATE")])
                    transaction.later(try AuditHeadRow.lock(&transaction).appending([record]))
                }
                return value
            }
        } catch {
            throw KeyStoreError(error, place: place)
        }
    }
}

extension PostgresKeyStore {
    /// Opens the one sealed value that every database has, which proves the key; or makes it, and the beginning of the
    /// audit log, in a new database.
    private static func firstRows(_ transaction: inout PostgresTransaction, _ keys: KeyEncryptionKeyRing) throws
        -> SecretBytes
    {
        transaction.later([CommonLock.administration])
        if let row = try transaction.rows("SELECT device_hash_key FROM sealing").first {
            let key = try keys.selectCurrent(&transaction)
            return try key.decrypt(try row.requiredBytes(0), for: .deviceHashKey)
        }
        var random = SecureRandom()
        let secret = SecretBytes(count: 32, randomFrom: &random)
        let encrypted = try keys.current.encrypt(secret, for: .deviceHashKey)
        let head = AuditHead(startOf: AuditHead.newNode())
        transaction.later([
            PostgresQuery(
                "INSERT INTO sealing (id, kek_id, device_hash_key) VALUES (1, $1, $2)",
                [.bytes(keys.current.id), .bytes(encrypted)]
            ),
            PostgresQuery(
                "INSERT INTO audit_head (id, node, sequence, hash, number) VALUES (1, $1, $2, $3, 0)",
                [.bytes(head.node), .integer(head.sequence), .bytes(head.hash)]
            ),
        ])
        return secret
    }
}

extension KeyEncryptionKeyRing {
    /// The key that the database uses, inside a transaction: another server may have rotated.
    func selectCurrent(_ transaction: inout PostgresTransaction) throws -> KeyEncryptionKey {
        try selectCurrent(id: try transaction.rows("SELECT kek_id FROM sealing").first?.bytes(0))
    }
}
