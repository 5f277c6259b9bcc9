package import FPSCrypto
import TextCoding

/// An application certificate with the keys that decrypt the SPCs created for it.
package struct CertificateBundleRecord: Sendable, Equatable {
    /// Whether the bundle may be used for production content.
    package enum Kind: String, Sendable, CaseIterable {
        /// The bundle is for tests and the virtual device.
        case development
        /// The bundle is for real devices and production content.
        case production
    }

    /// The private key, or its location.
    package enum PrivateKey: Sendable, Equatable {
        /// The key itself, as PKCS#8 in DER, 1 to 16,384 bytes.
        case pkcs8(SecretBytes)
        /// An OpenSSL store URI, for example of a PKCS#11 provider. It must not contain a PIN.
        case store(uri: String)
    }

    /// The source of the DASk.
    package enum DASk: Sendable, Equatable {
        /// The DASk itself, 16 bytes. Development only.
        case fixed(SecretBytes)
        /// The project's own derivation from an ASk of 16 bytes. Development only.
        case development(ask: SecretBytes)
        /// A shared library that the operator builds with the code that Apple licenses.
        case plugin(Plugin)
    }

    /// A DASk plug-in and its inputs.
    package struct Plugin: Sendable, Equatable {
        /// The absolute path of the shared library.
        package let path: String
        /// The operator's configuration text, at most 65,536 bytes.
        package let configuration: String
        /// The ASk, 16 bytes, or nil if the library obtains it otherwise.
        package let ask: SecretBytes?
        /// The provisioning data that replaces the ASk since version 5 of Apple's SDK, at most 65,536 bytes.
        package let provisioningData: SecretBytes?

        /// Creates a plug-in's record. The bundle's initializer checks the sizes.
        package init(
            path: String,
            configuration: String = "",
            ask: SecretBytes? = nil,
            provisioningData: SecretBytes? = nil
        ) {
            self.path = path
            self.configuration = configuration
            self.ask = ask
            self.provisioningData = provisioningData
        }
    }

    /// The primary key: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// True if the bundle may be used for production content.
    package let kind: Kind
    /// The X.509 certificate in DER, 1 to 16,384 bytes.
    package let certificate: [UInt8]
    /// The private key of the certificate.
    package let privateKey: PrivateKey
    /// The source of the DASk.
    package let dask: DASk
    /// The content that the bundle may be used for.
    package let scope: ContentScope

    /// Creates a record. Does not check whether the key belongs to the certificate.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a size is out of bounds, if a production bundle has a fixed or
    ///   development DASk, if a plug-in's path is not absolute, or if a URI contains a PIN.
    package init(
        name: String,
        kind: Kind,
        certificate: [UInt8],
        privateKey: PrivateKey,
        dask: DASk,
        scope: ContentScope
    ) throws(KeyStoreError) {
        try requireName(name, in: "certificate bundle")
        let place = "certificate bundle \(name)"
        try requireCount(certificate, RecordLimits.certificate, "certificate", in: place)
        try Self.check(privateKey, in: place)
        try Self.check(dask, kind: kind, in: place)
        try scope.check(in: place)
        self.name = name
        self.kind = kind
        self.certificate = certificate
        self.privateKey = privateKey
        self.dask = dask
        self.scope = scope
    }

    private static func check(_ privateKey: PrivateKey, in place: String) throws(KeyStoreError) {
        let count: Int
        switch privateKey {
        case .pkcs8(let der):
            count = der.count
        case .store(let uri):
            count = uri.utf8.count
            // The URI appears in error messages. `pin-source` refers to a file instead.
            if uri.lowercased().contains("pin-value") {
                throw KeyStoreError(
                    .invalidRecord,
                    place: place,
                    reason: "the private key's URI contains a PIN; specify a file with pin-source instead"
                )
            }
        }
        guard RecordLimits.privateKey.contains(count) else {
            throw KeyStoreError(
                .invalidRecord,
                place: place,
                reason: "private key has \(counted(count, "byte")), not 1 to \(RecordLimits.privateKey.upperBound)"
            )
        }
    }

    private static func check(_ dask: DASk, kind: Kind, in place: String) throws(KeyStoreError) {
        switch dask {
        case .fixed(let secret), .development(let secret):
            try requireCount(secret.count, 16, "DASk or ASk", in: place)
            guard kind == .development else {
                throw KeyStoreError(
                    .invalidRecord,
                    place: place,
                    reason: "a production bundle requires a DASk plug-in"
                )
            }
        case .plugin(let plugin):
            let path = plugin.path
            if let ask = plugin.ask { try requireCount(ask.count, 16, "ASk", in: place) }
            guard plugin.configuration.utf8.count <= RecordLimits.pluginData,
                plugin.provisioningData?.count ?? 0 <= RecordLimits.pluginData
            else {
                throw KeyStoreError(
                    .invalidRecord,
                    place: place,
                    reason: "a plug-in's configuration or provisioning data exceeds \(RecordLimits.pluginData) bytes"
                )
            }
            // dlopen would search the library path for a bare name, so the record must specify the exact file.
            guard path.hasPrefix("/"), path.utf8.count <= 4_096, !path.utf8.contains(0) else {
                throw KeyStoreError(.invalidRecord, place: place, reason: "the path of a plug-in must be absolute")
            }
        }
    }
}
