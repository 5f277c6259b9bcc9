import FoundationEssentials
import GRDB
import KeyStore

typealias CertificateBundleRow = EncryptedCertificateBundle

// The row of the table `certificate_bundle`: reading and writing, in the order of the columns.
extension EncryptedCertificateBundle {
    static let columns =
        "name, kind, certificate, scope, private_key_kind, private_key, dask_kind, dask_secret, plugin_path, "
        + "plugin_configuration, provisioning_data"

    /// Creates a value from a row with exactly these columns.
    init(_ row: Row) {
        self.init(
            name: row[0],
            kind: row[1],
            certificate: row.bytes(2) ?? [],
            scope: row.bytes(3),
            privateKeyKind: row[4],
            privateKey: row.bytes(5) ?? [],
            daskKind: row[6],
            daskSecret: row.bytes(7),
            pluginPath: row.bytes(8),
            pluginConfiguration: row.bytes(9),
            provisioningData: row.bytes(10)
        )
    }

    /// Inserts the row, or replaces the row with the same name.
    func write(_ db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO certificate_bundle (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                name, kind, Data(certificate), scope.map { Data($0) }, privateKeyKind, Data(privateKey), daskKind,
                daskSecret.map { Data($0) }, pluginPath.map { Data($0) }, pluginConfiguration.map { Data($0) },
                provisioningData.map { Data($0) },
            ]
        )
    }
}
