import FPSCrypto

/// A certificate bundle as a store keeps it: the row of a table `certificate_bundle`, the secrets still sealed.
package struct SealedCertificateBundle: Sendable {
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

    /// Takes a row as it was read.
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

    /// Seals a record.
    package init(_ record: CertificateBundleRecord, sealedWith key: KeyEncryptionKey) throws(KeyStoreError) {
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
        // The sealed columns are bound to the plain ones, so that those have to be there first.
        self.privateKey = []
        self.privateKey = try key.seal(privateKey, for: column("private_key"))
        if let daskSecret { self.daskSecret = try key.seal(daskSecret, for: column("dask_secret")) }
        guard let plugin else { return }
        pluginPath = try key.seal(SecretBytes(copying: plugin.path.utf8), for: column("plugin_path"))
        let configuration = SecretBytes(copying: plugin.configuration.utf8)
        pluginConfiguration = try key.seal(configuration, for: column("plugin_configuration"))
        if let data = plugin.provisioningData {
            provisioningData = try key.seal(data, for: column("provisioning_data"))
        }
    }

    /// The whole record, with the secrets opened.
    package func record(_ keys: KeyRing) throws(KeyStoreError) -> CertificateBundleRecord {
        let privateKeyBytes = try keys.key(for: privateKey).unseal(privateKey, for: column("private_key"))
        let daskSecretBytes = try open(daskSecret, "dask_secret", keys)
        let pluginPathBytes = try open(pluginPath, "plugin_path", keys)
        let configuration = try open(pluginConfiguration, "plugin_configuration", keys)
        let provisioningDataBytes = try open(provisioningData, "provisioning_data", keys)

        let damaged = KeyStoreError(.corrupt, place: "certificate_bundle \(name)", reason: "the columns do not agree")
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
        return try asStored { () throws(KeyStoreError) in
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

    /// The same row under another key-encryption key.
    package func resealed(from keys: KeyRing, with key: KeyEncryptionKey) throws(KeyStoreError)
        -> SealedCertificateBundle
    {
        var row = self
        let secret = try keys.key(for: privateKey).unseal(privateKey, for: column("private_key"))
        row.privateKey = try key.seal(secret, for: column("private_key"))
        if let secret = try open(daskSecret, "dask_secret", keys) {
            row.daskSecret = try key.seal(secret, for: column("dask_secret"))
        }
        if let path = try open(pluginPath, "plugin_path", keys) {
            row.pluginPath = try key.seal(path, for: column("plugin_path"))
        }
        if let configuration = try open(pluginConfiguration, "plugin_configuration", keys) {
            row.pluginConfiguration = try key.seal(configuration, for: column("plugin_configuration"))
        }
        if let data = try open(provisioningData, "provisioning_data", keys) {
            row.provisioningData = try key.seal(data, for: column("provisioning_data"))
        }
        return row
    }

    /// A bundle's kind and scope decide what it may open: whoever can write to the database must not be able to turn a
    /// development bundle loose on production content. So the secrets open only beside the very columns that they were
    /// sealed with.
    private func column(_ column: String) -> SealedColumn {
        SealedColumn(
            table: "certificate_bundle",
            column: column,
            row: [
                Array(name.utf8), Array(kind.utf8), certificate, scope == nil ? [0] : [1], scope ?? [],
                Array(privateKeyKind.utf8), Array(daskKind.utf8),
            ],
            rowName: name
        )
    }

    private func open(_ envelope: [UInt8]?, _ name: String, _ keys: KeyRing) throws(KeyStoreError) -> SecretBytes? {
        guard let envelope else { return nil }
        return try keys.key(for: envelope).unseal(envelope, for: column(name))
    }
}

extension SecretBytes {
    /// For the sealed columns that hold text.
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
