public import FPSCrypto
public import FPSMessages

/// A provider of DASk, the 16-byte key of the [SK...R1] block, which is derived from an SPC's R2 and the app's ASk. See
/// docs/dask.md.
public protocol DASkProvider: Sendable {
    /// True if the derivation is publicly known, so that it must not protect production content.
    var isForDevelopmentOnly: Bool { get }

    /// Returns the DASk for this R2, 16 bytes.
    func dask(r2: R2) throws(KSMError) -> SecretBytes
}

/// A provider that processes the key payload without exposing SK: it decrypts [SK...R1] and encrypts the content key.
public protocol KeyPayloadProvider: Sendable {
    /// Opens the key payload. The module calls this function once without a content key, for the session values, and
    /// once with it.
    ///
    /// - Throws: `key-payload-invalid` if the message cannot be decrypted or its integrity check fails,
    ///   `dask-unavailable` if the provider itself fails.
    func open(_ payload: KeyPayload, contentKey: LicensedKey?) throws(KSMError) -> OpenedKeyPayload
}

/// The parts of an SPC that a key payload provider needs.
public struct KeyPayload: Sendable {
    /// The [SK...R1] block.
    public let sessionKeyAndR1: SessionKeyAndR1
    /// The integrity block.
    public let integrity: SessionKeyAndR1Integrity
    /// R2.
    public let r2: R2
    /// The certificate hash of the SPC: SHA-1, 20 bytes, in versions 1 and 2.
    public let certificateHash: [UInt8]

    /// Creates a value from its parts.
    package init(
        sessionKeyAndR1: SessionKeyAndR1,
        integrity: SessionKeyAndR1Integrity,
        r2: R2,
        certificateHash: [UInt8]
    ) {
        self.sessionKeyAndR1 = sessionKeyAndR1
        self.integrity = integrity
        self.r2 = r2
        self.certificateHash = certificateHash
    }
}

/// The result of a key payload provider.
public struct OpenedKeyPayload: Sendable {
    /// The device's anonymous ID, 20 bytes.
    public let hu: [UInt8]
    /// R1, 44 bytes.
    public let r1: SecretBytes
    /// The encrypted content key for the CKC; nil if no content key was passed.
    public let encryptedContentKey: EncryptedContentKey?

    /// Creates a result.
    public init(hu: [UInt8], r1: SecretBytes, encryptedContentKey: EncryptedContentKey?) {
        self.hu = hu
        self.r1 = r1
        self.encryptedContentKey = encryptedContentKey
    }
}

/// A provider that opens whole SPCs of versions that the guide does not describe, and creates their CKCs.
public protocol WholeSPCProvider: Sendable {
    /// Decrypts and verifies an SPC.
    ///
    /// - Throws: `key-payload-invalid`, `dask-unavailable`.
    func open(spc: [UInt8]) throws(KSMError) -> any WholeSPCSession
}

/// An SPC that a provider has opened.
public protocol WholeSPCSession: Sendable {
    /// The device's anonymous ID, 20 bytes.
    var hu: [UInt8] { get }
    /// The hash of the application certificate: SHA-1, 20 bytes, or SHA-256, 32 bytes.
    var certificateHash: [UInt8] { get }
    /// The decrypted TLLVs of Table 2-4, which contain the asset ID and describe the device.
    var request: [UInt8] { get }

    /// Returns an encrypted CKC that contains the key and these terms.
    ///
    /// - Parameter terms: the unencrypted TLLVs of Table 2-11: duration, offline key, HDCP, security level.
    func seal(contentKey: LicensedKey, terms: [UInt8]) throws(KSMError) -> [UInt8]
}
