import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns all bundles, sorted by name.
    package func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord] {
        let rows = try await translatingErrors(in: "certificate_bundle") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT \(CertificateBundleRow.columns) FROM certificate_bundle ORDER BY name"
                ).map { CertificateBundleRow($0) }
            }
        }
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
        return try await administer(in: place, audit: { audit?($0) }) { [keys] db in
            let key = try keys.selectCurrent(db)
            let sql = "SELECT 1 FROM certificate_bundle WHERE name = ?"
            let exists = try Row.fetchOne(db, sql: sql, arguments: [record.name]) != nil
            guard !exists || replacing else { throw KeyStoreError.exists(place) }
            try CertificateBundleRow(record, encryptedWith: key).write(db)
            return exists ? .replaced : .created
        }
    }

    /// Deletes a bundle.
    @discardableResult
    package func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "certificate_bundle \(name)", audit: { $0 ? audit : nil }) { db in
            try db.execute(sql: "DELETE FROM certificate_bundle WHERE name = ?", arguments: [name])
            return db.changesCount > 0
        }
    }
}
