import FPSCrypto
public import KeyStore

/// The store in PostgreSQL, for any number of servers at once.
///
/// Every decision is one transaction under locks of what it is about, so that servers agree on every limit whatever
/// happens to one of them. SQL runs on lanes, each a connection with a thread of its own.
public final class PostgresKeyStore: KeyStore {
    let readers: LanePool
    let writes: WriteQueue
    let keys: KeyRing
    let replaySecret: SecretBytes
    private let administration: PostgresLane
    private let deviceHashKey: SecretBytes
    private let patience: Duration

    /// How long a start waits for the database: it may be starting too, or another server may be migrating.
    private static let patienceAtStart = Duration.seconds(60)

    /// Connects, and makes the tables or brings them up to date.
    ///
    /// - Parameters:
    ///   - settings: which database.
    ///   - key: gives the key-encryption key, and is told whether it may make a new one: when the database is empty.
    /// - Throws: ``KeyStoreError`` with the codes `wrongKEK`, `foreignDatabase`, `newerSchema`, `corrupt`, `unavailable`,
    ///   and what `key` throws.
    public static func open(
        _ settings: PostgresSettings,
        key: @Sendable (_ mayCreate: Bool) throws(KeyStoreError) -> KeyEncryptionKey
    ) async throws(KeyStoreError) -> PostgresKeyStore {
        try await open(settings, schema: .current, key: key)
    }

    static func open(
        _ settings: PostgresSettings,
        schema: Schema,
        key: @Sendable (_ mayCreate: Bool) throws(KeyStoreError) -> KeyEncryptionKey
    ) async throws(KeyStoreError) -> PostgresKeyStore {
        let lane = PostgresLane(settings)
        do {
            let deadline = ContinuousClock.now + patienceAtStart
            let isNew = try await lane.read(until: deadline) { reader in
                try schema.migrate(reader.connection, until: reader.deadline)
                return try reader.rows("SELECT id FROM sealing").isEmpty
            }
            let keys = KeyRing(try key(isNew))
            let deviceHashKey = try await lane.transaction(until: deadline) { transaction in
                try Self.firstRows(&transaction, keys)
            }
            return PostgresKeyStore(settings, administration: lane, keys: keys, deviceHashKey: deviceHashKey)
        } catch {
            throw KeyStoreError(error, place: "PostgreSQL")
        }
    }

    private init(
        _ settings: PostgresSettings,
        administration: PostgresLane,
        keys: KeyRing,
        deviceHashKey: SecretBytes
    ) {
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
    public func close() async {
        await readers.close()
        await writes.close()
        await administration.close()
    }

    /// The hash that stands for a device.
    public func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }

    /// Runs a transaction that changes titles, keys, policies, certificates or tokens. There is one at a time, over all
    /// servers, so that what it finds first still holds at its end.
    func administer<Value: Sendable>(
        in place: String,
        _ body: @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        do {
            return try await administration.transaction(until: .now + patience) { transaction in
                transaction.later([CommonLock.administration])
                return try body(&transaction)
            }
        } catch {
            throw KeyStoreError(error, place: place)
        }
    }
}

extension PostgresKeyStore {
    /// Opens the one sealed value that every database has, which proves the key; or makes it, and the beginning of the
    /// audit log, in a new database.
    private static func firstRows(_ transaction: inout PostgresTransaction, _ keys: KeyRing) throws -> SecretBytes {
        transaction.later([CommonLock.administration])
        if let row = try transaction.rows("SELECT device_hash_key FROM sealing").first {
            let key = try keys.requireCurrent(&transaction)
            return try key.unseal(try row.requiredBytes(0), for: .deviceHashKey)
        }
        var random = SecureRandom()
        let secret = SecretBytes(count: 32, randomFrom: &random)
        let sealed = try keys.current.seal(secret, for: .deviceHashKey)
        let head = AuditHead(startOf: AuditHead.newNode())
        transaction.later([
            PostgresQuery(
                "INSERT INTO sealing (id, kek_id, device_hash_key) VALUES (1, $1, $2)",
                [.bytes(keys.current.id), .bytes(sealed)]
            ),
            PostgresQuery(
                "INSERT INTO audit_head (id, node, sequence, hash, number) VALUES (1, $1, $2, $3, 0)",
                [.bytes(head.node), .integer(head.sequence), .bytes(head.hash)]
            ),
        ])
        return secret
    }
}

extension KeyRing {
    /// Holds, inside a transaction, that the database still uses the current key: another server may have rotated.
    func requireCurrent(_ transaction: inout PostgresTransaction) throws -> KeyEncryptionKey {
        let key = current
        let id = try transaction.rows("SELECT kek_id FROM sealing").first?.bytes(0)
        guard id == key.id else {
            throw KeyStoreError(
                .wrongKEK,
                place: "sealing",
                reason: "the database uses key \(id.map { hex($0) } ?? "none"), the key given is \(hex(key.id))"
            )
        }
        return key
    }
}
