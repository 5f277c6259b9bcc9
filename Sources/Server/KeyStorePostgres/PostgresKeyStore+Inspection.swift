package import KeyStore

extension PostgresKeyStore {
    /// The time limit of an inspection.
    private static let inspectionTimeout = Duration.seconds(10)

    /// Reads what a diagnosis needs from the store, also while servers use it; creates and migrates nothing.
    ///
    /// - Parameter keys: Returns the key-encryption keys.
    /// - Throws: ``KeyStoreError`` with the codes of ``open(_:creating:keys:)``.
    package static func inspect(
        _ settings: PostgresSettings,
        keys source: @escaping @Sendable () throws(KeyStoreError) -> [KeyEncryptionKey]
    ) async throws(KeyStoreError) -> StoreInspection {
        let worker = PostgresWorker(settings)
        let result: Result<StoreInspection, any Error>
        do {
            let inspection = try await worker.read(until: .now + inspectionTimeout) { reader in
                try Self.inspection(reader, source)
            }
            result = .success(inspection)
        } catch {
            result = .failure(error)
        }
        await worker.close()
        do { return try result.get() } catch { throw KeyStoreError(error, place: "PostgreSQL") }
    }

    private static func inspection(
        _ reader: PostgresReader,
        _ source: () throws(KeyStoreError) -> [KeyEncryptionKey]
    ) throws -> StoreInspection {
        let schema = PostgresSchema.current
        guard let version = try PostgresSchema.version(reader.connection, reader.deadline) else {
            throw KeyStoreError.missingTables
        }
        try schema.requireSupported(version)
        let loaded = try source()
        let keys = try KeyEncryptionKeyRing(loaded) { () throws(KeyStoreError) in loaded }
        guard let secret = try reader.rows("SELECT kek_id, device_hash_key FROM encryption").first else {
            throw KeyStoreError(.corrupt, place: "encryption")
        }
        _ = try keys.selectCurrent(id: secret.bytes(0)).decrypt(try secret.requiredBytes(1), for: .deviceHashKey)
        let last = "ORDER BY number DESC LIMIT \(StoreInspection.auditEntries)"
        // One snapshot, because servers append entries in the meantime.
        let results = try reader.run([
            PostgresQuery("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            PostgresQuery("SELECT \(PostgresAuditRow.columns) FROM audit \(last)"),
            PostgresQuery("SELECT \(AuditHeadRow.columns) FROM audit_head"),
            PostgresQuery("COMMIT"),
        ])
        guard results.count == 4 else { throw KeyStoreError(.corrupt, place: "audit") }
        let entries = try results[1].rows.map { try PostgresAuditRow.entry($0) }
        let head = try AuditHeadRow(results[2].rows.first)
        var inspection = StoreInspection(
            schema: Int(version.version),
            supportedSchema: Int(schema.version),
            audit: AuditVerifier.verifyEnd(entries.reversed(), expecting: head.head)
        )
        inspection.newest = entries.first
        let sql = "SELECT current_setting('server_version'), (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        if let row = try reader.rows(sql).first {
            inspection.server = row.text(0).map { "PostgreSQL \($0)" }
            inspection.serverTime = row.integer(1)
        }
        inspection.bundles = try reader.rows(
            "SELECT \(EncryptedCertificateBundle.columns) FROM certificate_bundle ORDER BY name"
        ).map { try EncryptedCertificateBundle($0).record(keys) }
        return inspection
    }
}
