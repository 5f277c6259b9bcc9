import FPSCrypto
package import KeyStore

/// The store in PostgreSQL, which several servers can share.
///
/// Every decision is one transaction that locks the affected accounts and requests, so that servers enforce limits
/// consistently even if one of them fails. SQL runs on workers, each a connection with its own thread.
package final class PostgresKeyStore: KeyServerStore {
    let readers: ConnectionPool
    let writes: PostgresWriteQueue
    let keys: KeyEncryptionKeyRing
    let replaySecret: SecretBytes
    /// True if opening the store created it.
    package let isNew: Bool
    private let administration: PostgresWorker
    private let deviceHashKey: SecretBytes
    private let timeout: Duration

    /// The time limit of opening the store: the database may be starting, or another server may be migrating it.
    private static let openTimeout = Duration.seconds(60)
    /// The time limit of a rotation. Ten million keys take some minutes.
    private static let rotationTimeout = Duration.seconds(3600)

    /// Connects, and creates or migrates the tables.
    ///
    /// - Parameters:
    ///   - settings: The settings of the connection.
    ///   - creating: Whether to create tables that do not exist.
    ///   - keys: Returns the key-encryption keys. Its argument specifies whether it may create a key, which is the case
    /// if the database is empty. ``reloadKeys()`` calls it again.
    /// - Throws: ``KeyStoreError`` with the codes `missingStore`, `conflict`, `wrongKEK`, `foreignDatabase`,
    ///   `newerSchema`, `unreleasedSchema`, `corrupt`, `unavailable`, and the errors of `keys`.
    package static func open(
        _ settings: PostgresSettings,
        creating: StoreCreation = .ifMissing,
        keys: @escaping @Sendable (_ mayCreate: Bool) throws(KeyStoreError) -> [KeyEncryptionKey]
    ) async throws(KeyStoreError) -> PostgresKeyStore {
        try await open(settings, schema: .current, creating: creating, keys: keys)
    }

    static func open(
        _ settings: PostgresSettings,
        schema: PostgresSchema,
        creating: StoreCreation = .ifMissing,
        keys source: @escaping @Sendable (_ mayCreate: Bool) throws(KeyStoreError) -> [KeyEncryptionKey]
    ) async throws(KeyStoreError) -> PostgresKeyStore {
        let worker = PostgresWorker(settings)
        do {
            let deadline = ContinuousClock.now + openTimeout
            let isNew = try await worker.read(until: deadline) { reader in
                try schema.migrate(reader.connection, mayCreate: creating != .never, until: reader.deadline)
                return try reader.rows("SELECT id FROM encryption").isEmpty
            }
            if isNew, creating == .never { throw KeyStoreError.missingTables }
            if !isNew, creating == .always { throw KeyStoreError.exists("PostgreSQL") }
            let keys = try KeyEncryptionKeyRing(try source(isNew)) { () throws(KeyStoreError) in try source(false) }
            let deviceHashKey = try await worker.transaction(until: deadline) { transaction in
                try Self.initialize(&transaction, keys)
            }
            return PostgresKeyStore(
                settings,
                administration: worker,
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
        administration: PostgresWorker,
        keys: KeyEncryptionKeyRing,
        deviceHashKey: SecretBytes,
        isNew: Bool
    ) {
        self.isNew = isNew
        // With two writers, the next group is decided while the previous one waits for its commit.
        let writers = settings.connections < 5 ? 1 : 2
        writes = PostgresWriteQueue(settings, count: writers)
        readers = ConnectionPool(settings, count: settings.connections - writers - 1)
        timeout = settings.deadline
        replaySecret = ReplayKey.secret(from: deviceHashKey)
        self.administration = administration
        self.keys = keys
        self.deviceHashKey = deviceHashKey
    }

    /// Closes the connections after the work in progress.
    package func close() async {
        await readers.close()
        await writes.close()
        await administration.close()
    }

    /// Reloads the key-encryption keys from their source.
    package func reloadKeys() throws(KeyStoreError) -> Int { try keys.reload() }

    /// Encrypts every secret with another key, in one transaction. Licenses continue in the meantime; administration
    /// waits.
    ///
    /// Servers that have loaded both keys continue without interruption. Others get ``KeyStoreError/Code/wrongKEK``
    /// until they have loaded the new key.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` if a secret cannot be decrypted. After an error nothing has changed,
    ///   unless the connection was lost during the commit; repeat the call in that case.
    package func rotate(to key: KeyEncryptionKey) async throws(KeyStoreError) {
        try await administer(in: "rotation", within: Self.rotationTimeout) { [keys] transaction in
            try Reencryption(from: keys, to: key).run(&transaction)
        }
        keys.setCurrent(key)
    }

    /// Returns the keyed hash of a device.
    package func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }

    /// Runs a transaction that changes titles, keys, policies, certificates, channels or tokens, and writes the audit
    /// record that `audit` creates from the result. Only one such transaction runs at a time, on all servers, so that
    /// its checks still hold at its end.
    func administer<Value: Sendable>(
        in place: String,
        within timeout: Duration? = nil,
        audit: @Sendable (Value) -> AuditRecord? = { _ in nil },
        _ body: @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        do {
            return try await administration.transaction(until: .now + (timeout ?? self.timeout)) { transaction in
                transaction.enqueue([GlobalLock.administration])
                let value = try body(&transaction)
                if let record = audit(value) {
                    // Granting transactions lock the catalog before the head of the audit log. A transaction that
                    // changes the catalog must use the same order to avoid deadlocks, so its triggers, which lock the
                    // catalog, run now and not at the commit.
                    transaction.enqueue([PostgresQuery("SET CONSTRAINTS ALL IMMEDIATE")])
                    transaction.enqueue(try AuditHeadRow.lock(&transaction).appending([record]))
                }
                return value
            }
        } catch {
            throw KeyStoreError(error, place: place)
        }
    }
}

extension PostgresKeyStore {
    /// Decrypts the one secret that every database has, which verifies the key; in a new database, creates the secret
    /// and the start of the audit log.
    private static func initialize(_ transaction: inout PostgresTransaction, _ keys: KeyEncryptionKeyRing) throws
        -> SecretBytes
    {
        transaction.enqueue([GlobalLock.administration])
        if let row = try transaction.rows("SELECT device_hash_key FROM encryption").first {
            let key = try keys.selectCurrent(&transaction)
            return try key.decrypt(try row.requiredBytes(0), for: .deviceHashKey)
        }
        var random = SecureRandom()
        let secret = SecretBytes(count: 32, randomFrom: &random)
        let encrypted = try keys.current.encrypt(secret, for: .deviceHashKey)
        let head = AuditHead(startOf: AuditHead.newNode())
        transaction.enqueue([
            PostgresQuery(
                "INSERT INTO encryption (id, kek_id, device_hash_key) VALUES (1, $1, $2)",
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
    /// Selects the key that the database uses, inside a transaction, because another server may have rotated the key.
    func selectCurrent(_ transaction: inout PostgresTransaction) throws -> KeyEncryptionKey {
        try selectCurrent(id: try transaction.rows("SELECT kek_id FROM encryption").first?.bytes(0))
    }
}
