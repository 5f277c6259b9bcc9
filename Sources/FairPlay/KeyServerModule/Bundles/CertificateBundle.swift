public import FPSCrypto

/// All that opens the SPCs of one app: its application certificate, the private key to it, and the way to its DASk.
///
/// A server holds several, for several apps and while a certificate is being replaced; the hash in the SPC chooses.
public struct CertificateBundle: Sendable {
    /// Whether a bundle may open what people pay for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// For tests and development. Only such bundles take ``FixedDASk`` and ``DevelopmentDASk``.
        case development
        /// For production; DASk comes from a plug-in.
        case production
    }

    /// Which content a bundle may open.
    public enum ContentScope: Sendable, Hashable {
        /// Any.
        case all
        /// That whose asset ID begins with one of these.
        case assetIDPrefixes([[UInt8]])

        /// Whether the content with this asset ID is among them.
        public func contains(_ assetID: [UInt8]) -> Bool {
            switch self {
            case .all: true
            case .assetIDPrefixes(let prefixes): prefixes.contains { assetID.starts(with: $0) }
            }
        }
    }

    /// The way to the session key.
    public enum KeyDerivation: Sendable {
        /// DASk decrypts the [SK...R1] block here.
        case dask(any DASkProvider)
        /// A licensed library takes over the key payload.
        case keyPayload(any KeyPayloadProvider)
        /// Only SPCs of version 3 are opened, as a whole.
        case none
    }

    /// What the operator calls it.
    public let name: String
    /// Development or production.
    public let kind: Kind
    /// The application certificate.
    public let certificate: X509Certificate
    /// The private key to it.
    public let privateKey: RSAPrivateKey
    /// The way to the session key.
    public let derivation: KeyDerivation
    /// What opens SPCs of versions that the guide does not describe.
    public let wholeSPC: (any WholeSPCProvider)?
    /// Which content the bundle may open.
    public let scope: ContentScope

    /// Makes a bundle.
    ///
    /// - Throws: ``BundleError`` when the key is not the certificate's, is neither RSA-1024 nor RSA-2048, or when a
    ///   production bundle is given a DASk that is for development.
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
            throw BundleError(.keySize, name, "the key has \(privateKey.bits) bits; SPCs know 1024 and 2048")
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
}

/// Why a bundle cannot be used.
public struct BundleError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong. Stable.
    public enum Code: String, Sendable {
        /// The private key is not the certificate's.
        case keyMismatch = "key-mismatch"
        /// The private key has a size that no SPC uses.
        case keySize = "key-size"
        /// A production bundle with a DASk for development.
        case developmentDASk = "development-dask"
        /// Two bundles have the same certificate.
        case duplicateCertificate = "duplicate-certificate"
        /// The plug-in cannot be loaded.
        case plugin
    }

    /// What is wrong.
    public let code: Code
    /// Which bundle.
    public let bundle: String
    /// In words.
    public let reason: String

    init(_ code: Code, _ bundle: String, _ reason: String) {
        self.code = code
        self.bundle = bundle
        self.reason = reason
    }

    /// True when the codes are the same.
    public static func == (left: BundleError, right: BundleError) -> Bool { left.code == right.code }

    /// One line.
    public var description: String { "bundle \(bundle): \(reason)" }
}
