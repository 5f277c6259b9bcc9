public import FPSCrypto
public import FPSMessages

/// The DASk derivation of Keyway's virtual device, which is publicly documented: the first 16 bytes of the HMAC-SHA256
/// of R2, with ASk as the key. Apple devices do not use this derivation.
public struct DevelopmentDASk: DASkProvider {
    private let ask: SecretBytes

    /// Creates a provider with this ASk. Returns nil unless the ASk has 16 bytes.
    public init?(ask: SecretBytes) {
        guard ask.count == 16 else { return nil }
        self.ask = ask
    }

    /// Always true.
    public var isForDevelopmentOnly: Bool { true }

    /// Returns the DASk for this R2.
    public func dask(r2: R2) throws(KSMError) -> SecretBytes {
        HMACSHA256.derive(r2.bytes, key: ask)[0..<16]
    }
}
