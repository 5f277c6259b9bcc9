import FPSCrypto

/// A row of the table `certificate_bundle`, with its secrets encrypted.
package struct EncryptedCertificateBundle: Sendable {
    package let name: String
    package let kind: String
    package let certificate: [UInt8]
    package let scope: [UInt8]?
    package let privateKeyKind: String
    package var privateKey: [UInt8]
    package let daskKind: String
    package var daskSecret: [UInt8]?
    package var pluginPath: [UInt8]?
    package var pluginConfiguration: [UInt8]?
    package var provisioningData: [UInt8]?

    /// Creates a value from the columns of a row.
    package init(
        name: String,
        kind: String,
        certificate: [UInt8],
        scope: [UInt8]?,
        privateKeyKind: String,
        privateKey: [UInt8],
        daskKind: String,
        daskSecret: [UInt8]?,
        pluginPath: [UInt8]?,
        pluginConfiguration: [UInt8]?,
        provisioningData: [UInt8]?
    ) {
        self.name = name
        self.kind = kind
        self.certificate = certificate
        self.scope = scope
        self.privateKeyKind = privateKeyKind
        self.privateKey = privateKey
        self.daskKind = daskKind
        self.daskSecret = daskSecret
        self.pluginPath = pluginPath
        self.pluginConfiguration = pluginConfiguration
        self.provisioningData = provisioningData
    }

    /// Encrypts the secrets of a record.
    package init(_ record: CertificateBundleRecord, encryptedWith key: KeyEncryptionKey) throws(KeyStoreError) {
        name = record.name
        kind = record.kind.rawValue
        certificate = record.certificate
        scope = record.scope.encoded
        let privateKey: SecretBytes
        switch record.privateKey {
        case .pkcs8(let der): (privateKeyKind, privateKey) = ("pkcs8", der)
        case .store(let uri): (privateKeyKind, privateKey) = ("store", SecretBytes(copying: uri.utf8))
        }
        let daskSecret: SecretBytes?
        let plugin: CertificateBundleRecord.Plugin?
        switch record.dask {
        case .fixed(let value): (daskKind, daskSecret, plugin) = ("fixed", value, nil)
        case .development(let ask): (daskKind, daskSecret, plugin) = ("development", ask, nil)
        case .plugin(let it): (daskKind, daskSecret, plugin) = ("plugin", it.ask, it)
        }
        // The plaintext columns are part of the associated data, so they must be set before the encrypted ones.
        self.privateKey = []
        self.privateKey = try key.encrypt(privateKey, for: column("private_key"))
        if let daskSecret { self.daskSecret = try key.encrypt(daskSecret, for: column("dask_secret")) }
        guard let plugin else { return }
        pluginPath = try key.encrypt(SecretBytes(copying: plugin.path.utf8), for: column("plugin_path"))
        let configuration = SecretBytes(copying: plugin.configuration.utf8)
        pluginConfiguration = try key.encrypt(configuration, for: column("plugin_configuration"))
        if let data = plugin.provisioningData {
            provisioningData = try key.encrypt(data, for: column("provisioning_data"))
        }
    }

    /// Returns the complete record, with the secrets decrypted.
    package func record(_ keys: KeyEncryptionKeyRing) throws(KeyStoreError) -> CertificateBundleRecord {
        let privateKeyBytes = try keys.key(for: privateKey).decrypt(privateKey, for: column("private_key"))
        let daskSecretBytes = try open(daskSecret, "dask_secret", keys)
        let pluginPathBytes = try open(pluginPath, "plugin_path", keys)
        let configuration = try open(pluginConfiguration, "plugin_configuration", keys)
        let provisioningDataBytes = try open(provisioningData, "provisioning_data", keys)

        let damaged = KeyStoreError(
            .corrupt,
            place: "certificate_bundle \(name)",
            reason: "the columns contradict each other"
        )
        let privateKey: CertificateBundleRecord.PrivateKey
        switch privateKeyKind {
        case "pkcs8": privateKey = .pkcs8(privateKeyBytes)
        case "store": privateKey = .store(uri: privateKeyBytes.text)
        default: throw damaged
        }
        let dask: CertificateBundleRecord.DASk
        switch (daskKind, daskSecretBytes, pluginPathBytes) {
        case ("fixed", let value?, nil): dask = .fixed(value)
        case ("development", let ask?, nil): dask = .development(ask: ask)
        case ("plugin", let ask, let path?):
            dask = .plugin(
                .init(
                    path: path.text,
                    configuration: configuration?.text ?? "",
                    ask: ask,
                    provisioningData: provisioningDataBytes
                )
            )
        default: throw damaged
        }
        guard let kind = CertificateBundleRecord.Kind(rawValue: kind), let scope = ContentScope(encoded: scope) else {
            throw damaged
        }
        return try validatingStored { () throws(KeyStoreError) in
            try CertificateBundleRecord(
                name: name,
                kind: kind,
                certificate: certificate,
                privateKey: privateKey,
                dask: dask,
                scope: scope
            )
        }
    }

    /// Returns the same row, encrypted with another key-encryption key.
    package func reencrypted(from keys: KeyEncryptionKeyRing, with key: KeyEncryptionKey) throws(KeyStoreError)
        -> EncryptedCertificateBundle
    {
        var row = self
        let secret = try keys.key(for: privateKey).decrypt(privateKey, for: column("private_key"))
        row.privateKey = try key.encrypt(secret, for: column("private_key"))
        if let secret = try open(daskSecret, "dask_secret", keys) {
            row.daskSecret = try key.encrypt(secret, for: column("dask_secret"))
        }
        if let path = try open(pluginPath, "plugin_path", keys) {
            row.pluginPath = try key.encrypt(path, for: column("plugin_path"))
        }
        if let configuration = try open(pluginConfiguration, "plugin_configuration", keys) {
            row.pluginConfiguration = try key.encrypt(configuration, for: column("plugin_configuration"))
        }
        if let data = try open(provisioningData, "provisioning_data", keys) {
            row.provisioningData = try key.encrypt(data, for: column("provisioning_data"))
        }
        return row
    }

    /// Returns the cell of a column. A bundle's kind and scope determine the content it may be used for, so someone who
    /// can write to the database must not be able to use a development bundle for production content. The secrets can
    /// therefore be decrypted only together with the plaintext columns they were encrypted with.
    private func column(_ column: String) -> EncryptedColumn {
        EncryptedColumn(
            table: "certificate_bundle",
            column: column,
            row: [
                Array(name.utf8), Array(kind.utf8), certificate, scope == nil ? [0] : [1], scope ?? [],
                Array(privateKeyKind.utf8), Array(daskKind.utf8),
            ],
            rowName: name
        )
    }

    private func open(_ envelope: [UInt8]?, _ name: String, _ keys: KeyEncryptionKeyRing) throws(KeyStoreError)
        -> SecretBytes?
    {
        guard let envelope else { return nil }
        return try keys.key(for: envelope).decrypt(envelope, for: column(name))
    }
}

extension SecretBytes {
    /// The text of a decrypted column.
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
