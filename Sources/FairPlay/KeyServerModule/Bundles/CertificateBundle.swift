public import FPSCrypto

/// The keys that decrypt the SPCs of one app: the application certificate, its private key, and the DASk provider.
///
/// A server can have several bundles, for several apps or while a certificate is being replaced. The certificate hash
/// in the SPC selects the bundle.
public struct CertificateBundle: Sendable {
    /// The environment that a bundle is intended for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Tests and development. Only development bundles accept ``FixedDASk`` and ``DevelopmentDASk``.
        case development
        /// Production; a plug-in provides the DASk.
        case production
    }

    /// The content that a bundle may issue licenses for.
    public enum ContentScope: Sendable, Hashable {
        /// All content.
        case all
        /// Content whose asset ID starts with one of these prefixes.
        case assetIDPrefixes([[UInt8]])

        /// Returns whether the scope includes the content with this asset ID.
        public func contains(_ assetID: [UInt8]) -> Bool {
            switch self {
            case .all: true
            case .assetIDPrefixes(let prefixes): prefixes.contains { assetID.starts(with: $0) }
            }
        }
    }

    /// The method that yields the session key.
    public enum KeyDerivation: Sendable {
        /// The server decrypts the [SK...R1] block with the DASk from this provider.
        case dask(any DASkProvider)
        /// A licensed library processes the key payload.
        case keyPayload(any KeyPayloadProvider)
        /// No key derivation: the bundle opens only SPCs of version 3, which a plug-in processes as a whole.
        case none
    }

    /// The operator's name for the bundle.
    public let name: String
    /// The environment: development or production.
    public let kind: Kind
    /// The application certificate.
    public let certificate: X509Certificate
    /// The private key of the certificate.
    public let privateKey: RSAPrivateKey
    /// The method that yields the session key.
    public let derivation: KeyDerivation
    /// The provider that opens SPCs of versions that the guide does not describe; nil if the bundle has none.
    public let wholeSPC: (any WholeSPCProvider)?
    /// The content that the bundle may issue licenses for.
    public let scope: ContentScope

    /// Creates a bundle.
    ///
    /// - Throws: ``BundleError`` if the private key does not match the certificate, if the key is neither RSA-1024 nor
    ///   RSA-2048, or if a production bundle has a development DASk.
    public init(
        name: String,
        kind: Kind,
        certificate: X509Certificate,
        privateKey: RSAPrivateKey,
        derivation: KeyDerivation,
        wholeSPC: (any WholeSPCProvider)? = nil,
        scope: ContentScope = .all
    ) throws(BundleError) {
        guard [1024, 2048].contains(privateKey.bits) else {
            throw BundleError(
                .keySize,
                name,
                "the private key has \(privateKey.bits) bits; SPCs support only 1024 and 2048"
            )
        }
        guard certificate.matches(privateKey) else {
            throw BundleError(.keyMismatch, name, "the private key does not belong to the certificate")
        }
        if case .dask(let provider) = derivation, provider.isForDevelopmentOnly, kind == .production {
            throw BundleError(.developmentDASk, name, "a production bundle cannot use a development DASk")
        }
        self.name = name
        self.kind = kind
        self.certificate = certificate
        self.privateKey = privateKey
        self.derivation = derivation
        self.wholeSPC = wholeSPC
        self.scope = scope
    }

    /// Returns whether a hash is the SHA-1 (20 bytes) or the SHA-256 (32 bytes) of the application certificate.
    func hasCertificate(hash: [UInt8]) -> Bool {
        hash == certificate.sha1 || hash == SHA256.hash(certificate.der)
    }
}

/// An error that makes a certificate bundle unusable.
public struct BundleError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable code of the error.
    public enum Code: String, Sendable {
        /// The private key does not match the certificate.
        case keyMismatch = "key-mismatch"
        /// The private key has a size that SPCs do not support.
        case keySize = "key-size"
        /// A production bundle has a development DASk.
        case developmentDASk = "development-dask"
        /// Two bundles have the same certificate.
        case duplicateCertificate = "duplicate-certificate"
        /// The plug-in cannot be loaded.
        case plugin
    }

    /// The code of the error.
    public let code: Code
    /// The name of the bundle.
    public let bundle: String
    /// The description of the error for the operator.
    public let reason: String

    package init(_ code: Code, _ bundle: String, _ reason: String) {
        self.code = code
        self.bundle = bundle
        self.reason = reason
    }

    /// Returns whether the two errors have the same code.
    public static func == (left: BundleError, right: BundleError) -> Bool { left.code == right.code }

    /// The bundle's name and the reason, on one line.
    public var description: String { "bundle \(bundle): \(reason)" }
}
