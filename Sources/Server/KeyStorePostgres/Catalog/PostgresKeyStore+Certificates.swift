package import KeyStore

extension PostgresKeyStore {
    /// Returns all bundles, sorted by name.
    package func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord] {
        let sql = "SELECT \(EncryptedCertificateBundle.columns) FROM certificate_bundle ORDER BY name"
        let rows = try await list(PostgresQuery(sql), in: "certificate_bundle") { try EncryptedCertificateBundle($0) }
        var records: [CertificateBundleRecord] = []
        for row in rows { records.append(try row.record(keys)) }
        return records
    }

    /// Stores a bundle.
    @discardableResult
    package func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome {
        let place = "certificate_bundle \(record.name)"
        return try await administer(in: place, audit: { audit?($0) }) { [keys] transaction in
            let key = try keys.selectCurrent(&transaction)
            let sql = "SELECT name FROM certificate_bundle WHERE name = $1"
            let alreadyExists = try !transaction.rows(sql, .text(record.name)).isEmpty
            guard !alreadyExists || replacing else { throw KeyStoreError.exists(place) }
            transaction.enqueue([try EncryptedCertificateBundle(record, encryptedWith: key).writing])
            return alreadyExists ? .replaced : .created
        }
    }

    /// Deletes a bundle.
    @discardableResult
    package func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "certificate_bundle \(name)", audit: { $0 ? audit : nil }) { transaction in
            try transaction.change("DELETE FROM certificate_bundle WHERE name = $1", .text(name)) > 0
        }
    }
}

// The row of the table `certificate_bundle`: reading and writing, in the order of the columns.
extension EncryptedCertificateBundle {
    static let columns =
        "name, kind, certificate, scope, private_key_kind, private_key, dask_kind, dask_secret, plugin_path, "
        + "plugin_configuration, provisioning_data"

    /// Creates a value from a row with exactly these columns.
    init(_ row: PostgresRow) throws(KeyStoreError) {
        self.init(
            name: try row.requiredText(0),
            kind: try row.requiredText(1),
            certificate: try row.requiredBytes(2),
            scope: row.bytes(3),
            privateKeyKind: try row.requiredText(4),
            privateKey: try row.requiredBytes(5),
            daskKind: try row.requiredText(6),
            daskSecret: row.bytes(7),
            pluginPath: row.bytes(8),
            pluginConfiguration: row.bytes(9),
            provisioningData: row.bytes(10)
        )
    }

    /// The statement that inserts the row, or replaces the row with the same name.
    var writing: PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO certificate_bundle (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, certificate = excluded.certificate,
                scope = excluded.scope, private_key_kind = excluded.private_key_kind,
                private_key = excluded.private_key, dask_kind = excluded.dask_kind,
                dask_secret = excluded.dask_secret, plugin_path = excluded.plugin_path,
                plugin_configuration = excluded.plugin_configuration,
                provisioning_data = excluded.provisioning_data
            """,
            [
                .text(name), .text(kind), .bytes(certificate), .init(scope), .text(privateKeyKind),
                .bytes(privateKey), .text(daskKind), .init(daskSecret), .init(pluginPath),
                .init(pluginConfiguration), .init(provisioningData),
            ]
        )
    }
}
