import FPSCrypto
package import KeyServerModule
package import KeyStore
import ServerCrypto

/// Makes certificate bundles from what a store keeps of them.
package enum BundleLoader {
    /// Bundles that can be used, and why others cannot.
    package struct Result: Sendable {
        /// The bundles, in the order of their names.
        package let bundles: [CertificateBundle]
        /// For each bundle that was left out: its name and the reason. A bundle that cannot be opened must not keep the
        /// others from serving.
        package let leftOut: [(name: String, reason: String)]
    }

    /// Makes the bundles.
    ///
    /// - Parameters:
    ///   - records: what the store has.
    ///   - allowingDevelopment: whether bundles of kind development are used; without it they are left out, so that a
    ///     published DASk never opens SPCs on a server that means it.
    ///   - known: the bundle of a record if it has been made before.
    package static func load(
        _ records: [CertificateBundleRecord],
        allowingDevelopment: Bool,
        reusing known: (CertificateBundleRecord) -> CertificateBundle? = { _ in nil }
    ) -> Result {
        var bundles: [CertificateBundle] = []
        var leftOut: [(name: String, reason: String)] = []
        for record in records {
            guard record.kind == .production || allowingDevelopment else {
                leftOut.append((record.name, "it is for development, and the server runs without --dev"))
                continue
            }
            do {
                bundles.append(try known(record) ?? CertificateBundle(record))
            } catch {
                // Both kinds of error name what is wrong and hold no secret.
                leftOut.append((record.name, "\(error)"))
            }
        }
        return Result(bundles: bundles, leftOut: leftOut)
    }
}

extension CertificateBundle {
    /// Makes a bundle from its record: reads the certificate, opens the private key, loads the plug-in.
    ///
    /// - Throws: `CryptoError` and ``BundleError``.
    package init(_ record: CertificateBundleRecord) throws {
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
            let plugin = try DASkPlugin(
                path: it.path,
                configuration: it.configuration,
                ask: it.ask,
                provisioningData: it.provisioningData
            )
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
