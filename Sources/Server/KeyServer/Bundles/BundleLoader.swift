import FPSCrypto
package import KeyServerModule
package import KeyStore
import ServerCrypto

/// Creates certificate bundles from records in the store.
package enum BundleLoader {
    /// The usable bundles, and the reasons why others cannot be used.
    package struct Result: Sendable {
        /// The bundles, ordered by name.
        package let bundles: [CertificateBundle]
        /// The name of each bundle that was skipped, with the reason. A bundle that cannot be loaded must not prevent
        /// the use of others.
        package let skipped: [(name: String, reason: String)]
    }

    /// Creates the bundles.
    ///
    /// - Parameters:
    ///   - records: The records in the store.
    ///   - allowingDevelopment: Whether bundles of kind development are used. In production they must be skipped, so
    ///     that a published DASk never decrypts SPCs.
    ///   - plugins: The loader of their plug-ins.
    ///   - known: Returns the bundle of a record, if it has been created before.
    package static func load(
        _ records: [CertificateBundleRecord],
        allowingDevelopment: Bool,
        plugins: PluginLoader,
        reusing known: (CertificateBundleRecord) -> CertificateBundle? = { _ in nil }
    ) -> Result {
        var bundles: [CertificateBundle] = []
        var skipped: [(name: String, reason: String)] = []
        for record in records {
            guard record.kind == .production || allowingDevelopment else {
                skipped.append((record.name, "it is a development bundle, and the server runs without --dev"))
                continue
            }
            do {
                bundles.append(try known(record) ?? CertificateBundle(record, plugins: plugins))
            } catch {
                // Both types of error describe the reason and contain no secrets.
                skipped.append((record.name, "\(error)"))
            }
        }
        return Result(bundles: bundles, skipped: skipped)
    }
}

extension CertificateBundle {
    /// Creates a bundle from its record: parses the certificate, loads the private key and the plug-in.
    ///
    /// - Throws: `CryptoError` and ``BundleError``.
    package init(_ record: CertificateBundleRecord, plugins: PluginLoader) throws {
        let certificate = try X509Certificate(record.certificate)
        let privateKey =
            switch record.privateKey {
            case .pkcs8(let der): try RSAPrivateKey(der)
            case .store(let uri): try RSAPrivateKey(storeURI: uri)
            }
        let derivation: KeyDerivation
        var wholeSPC: (any WholeSPCProvider)?
        switch record.dask {
        case .fixed(let value):
            derivation = FixedDASk(value).map { .dask($0) } ?? .none
        case .development(let ask):
            derivation = DevelopmentDASk(ask: ask).map { .dask($0) } ?? .none
        case .plugin(let it):
            let plugin = try plugins.load(it, bundle: record.name)
            derivation = plugin.derivation
            wholeSPC = plugin.wholeSPC
        }
        try self.init(
            name: record.name,
            kind: record.kind == .development ? .development : .production,
            certificate: certificate,
            privateKey: privateKey,
            derivation: derivation,
            wholeSPC: wholeSPC,
            scope: ContentScope(record.scope)
        )
    }
}

extension CertificateBundle.ContentScope {
    fileprivate init(_ scope: ContentScope) {
        switch scope {
        case .all: self = .all
        case .assetIDPrefixes(let prefixes): self = .assetIDPrefixes(prefixes)
        }
    }
}
