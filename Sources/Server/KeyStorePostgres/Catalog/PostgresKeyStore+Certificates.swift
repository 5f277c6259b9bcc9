package import KeyStore

extension PostgresKeyStore {
    /// All bundles in the order of their names.
    package func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord] {
        let sql = "SELECT \(EncryptedCertificateBundle.columns) FROM certificate_bundle ORDER BY name"
        let rows = try await list(PostgresQuery(sql), in: "certificate_bundle") { try EncryptedCertificateBundle($0) }
        var records: [CertificateBundleRecord] = []
        for row in rows { records.append(try row.record(keys)) }
        return records
    }

    /// Keeps a bundle.
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
            let isThere = try !transaction.rows(sql, .text(record.name)).isEmpty
            guard !isThere || replacing else { throw KeyStoreError.exists(place) }
            transaction.later([try EncryptedCertificateBundle(record, encryptedWith: key).writing])
            return isThere ? .replaced : .created
        }
    }

    /// Forgets a bundle.
    @discardableResult
    package func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "certificate_bundle \(name)", audit: { $0 ? audit : nil }) { transaction in
            try transaction.change("DELETE FROM certificate_bundle WHERE name = $1", .text(name)) > 0
        }
    }
}

// The row of the table `certificate_bundle`: reading beside writing, in the order of the columns.
extension EncryptedCertificateBundle {
    static let columns =
        "name, kind, certificate, scope, private_key_kind, private_key, dask_kind, dask_secret, plugin_path, "
        + "plugin_configuration, provisioning_data"

    /// Takes a row with just these columns.
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

    /// Inserts the row or replaces the one of that name.
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
