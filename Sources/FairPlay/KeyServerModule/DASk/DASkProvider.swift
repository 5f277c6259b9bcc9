public import FPSCrypto
public import FPSMessages

/// Derives DASk, the 16-byte key of the [SK...R1] block, from an SPC's R2 and the app's ASk. See docs/dask.md.
public protocol DASkProvider: Sendable {
    /// Whether the derivation is public knowledge, so that it must never guard production content.
    var isForDevelopmentOnly: Bool { get }

    /// Derives DASk, 16 bytes.
    func dask(r2: R2) throws(KSMError) -> SecretBytes
}

/// Takes over the key payload whole: opens [SK...R1] and encrypts the content key, without showing SK.
public protocol KeyPayloadProvider: Sendable {
    /// Opens the key payload. Called once without a content key, for the session values, and once with it.
    ///
    /// - Throws: `key-payload-invalid` when the message does not open or its integrity fails, `dask-unavailable` when the
    ///   provider itself fails.
    func open(_ payload: KeyPayload, contentKey: LicensedKey?) throws(KSMError) -> OpenedKeyPayload
}

/// What a key payload provider needs of an SPC.
public struct KeyPayload: Sendable {
    /// The [SK...R1] block.
    public let sessionKeyAndR1: SessionKeyAndR1
    /// The integrity block.
    public let integrity: SessionKeyAndR1Integrity
    /// R2.
    public let r2: R2
    /// The SHA-1 of the application certificate, 20 bytes.
    public let certificateHash: [UInt8]
}

/// What a key payload provider gives back.
public struct OpenedKeyPayload: Sendable {
    /// The device's anonymous ID, 20 bytes.
    public let hu: [UInt8]
    /// R1, 44 bytes.
    public let r1: SecretBytes
    /// The content key as the CKC carries it; nil if none was given.
    public let encryptedContentKey: EncryptedContentKey?

    /// Makes a result.
    public init(hu: [UInt8], r1: SecretBytes, encryptedContentKey: EncryptedContentKey?) {
        self.hu = hu
        self.r1 = r1
        self.encryptedContentKey = encryptedContentKey
    }
}

/// Opens whole SPCs of versions that the guide does not describe, and seals their CKCs.
public protocol WholeSPCProvider: Sendable {
    /// Opens an SPC.
    ///
    /// - Throws: `key-payload-invalid`, `dask-unavailable`.
    func open(spc: [UInt8]) throws(KSMError) -> any WholeSPCSession
}

/// An SPC that a provider has opened.
public protocol WholeSPCSession: Sendable {
    /// The device's anonymous ID, 20 bytes.
    var hu: [UInt8] { get }
    /// The SHA-1 of the application certificate, 20 bytes.
    var certificateHash: [UInt8] { get }
    /// The clear TLLVs of Table 2-4 that say what is asked for and by what device.
    var request: [UInt8] { get }

    /// Seals a CKC that holds the key on these terms.
    ///
    /// - Parameter terms: clear TLLVs of Table 2-11: duration, offline key, HDCP, security level.
    func seal(contentKey: LicensedKey, terms: [UInt8]) throws(KSMError) -> [UInt8]
}
