public import FPSCrypto
public import FPSMessages

/// Keyway's own derivation, openly documented, for the virtual device: the first 16 bytes of HMAC-SHA256 keyed with ASk
/// over R2. No Apple device uses it.
public struct DevelopmentDASk: DASkProvider {
    private let ask: SecretBytes

    /// Makes a provider with this ASk, 16 bytes; nil for any other size.
    public init?(ask: SecretBytes) {
        guard ask.count == 16 else { return nil }
        self.ask = ask
    }

    /// Always.
    public var isForDevelopmentOnly: Bool { true }

    /// Derives DASk.
    public func dask(r2: R2) throws(KSMError) -> SecretBytes {
        HMACSHA256.derive(r2.bytes, key: ask)[0..<16]
    }
}
