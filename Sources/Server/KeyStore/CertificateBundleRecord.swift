package import FPSCrypto

/// An application certificate with what opens the SPCs made for it.
package struct CertificateBundleRecord: Sendable, Equatable {
    /// Whether the bundle may open content that matters.
    package enum Kind: String, Sendable, CaseIterable {
        /// For tests and the virtual device.
        case development
        /// For real devices and real content.
        case production
    }

    /// Where the private key is.
    package enum PrivateKey: Sendable, Equatable {
        /// The key itself, as PKCS#8 in DER, 1 to 16,384 bytes.
        case pkcs8(SecretBytes)
        /// An OpenSSL store URI, for example of a PKCS#11 provider. It may not carry a PIN.
        case store(uri: String)
    }

    /// How DASk is found.
    package enum DASk: Sendable, Equatable {
        /// The value itself, 16 bytes. Development only.
        case fixed(SecretBytes)
        /// The project's own derivation from this ASk of 16 bytes. Development only.
        case development(ask: SecretBytes)
        /// A shared library that the operator builds around what Apple licenses to them.
        case plugin(Plugin)
    }

    /// A DASk plug-in, and what it is given.
    package struct Plugin: Sendable, Equatable {
        /// The absolute path of the shared library.
        package let path: String
        /// The operator's text for it, at most 65,536 bytes.
        package let configuration: String
        /// ASk, 16 bytes, unless the library has its own way.
        package let ask: SecretBytes?
        /// What replaces ASk since version 5 of Apple's SDK, at most 65,536 bytes.
        package let provisioningData: SecretBytes?

        /// Makes a plug-in's record; sizes are checked by the bundle's.
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

    /// The row's identity: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// Whether the bundle may open content that matters.
    package let kind: Kind
    /// The X.509 certificate in DER, 1 to 16,384 bytes.
    package let certificate: [UInt8]
    /// The private key of the certificate.
    package let privateKey: PrivateKey
    /// How DASk is found.
    package let dask: DASk
    /// The content that the bundle may open.
    package let scope: ContentScope

    /// Makes a record. Whether the key belongs to the certificate is not checked here.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a size is out of bounds, when a production bundle has a
    ///   fixed or development DASk, when a plug-in's path is not absolute, or when a URI carries a PIN.
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
            // What is in a URI ends up in messages. `pin-source` names a file instead.
            if uri.lowercased().contains("pin-value") {
                throw KeyStoreError(
                    .invalidRecord,
                    place: place,
                    reason: "the private key's URI carries a PIN; name a file with pin-source instead"
                )
            }
        }
        guard RecordLimits.privateKey.contains(count) else {
            throw KeyStoreError(
                .invalidRecord,
                place: place,
                reason: "private key has \(count) bytes, not 1 to \(RecordLimits.privateKey.upperBound)"
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
                    reason: "a production bundle takes its DASk from a plug-in"
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
            // dlopen searches the library path for a bare name; which file that finds is not for a record to leave open.
            guard path.hasPrefix("/"), path.utf8.count <= 4_096, !path.utf8.contains(0) else {
                throw KeyStoreError(.invalidRecord, place: place, reason: "a plug-in is named by its absolute path")
            }
        }
    }
}
