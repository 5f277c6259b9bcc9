public import FPSCrypto
public import FPSMessages

/// A DASk that is given, whatever R2: Apple's documented way of using its development vectors.
public struct FixedDASk: DASkProvider {
    private let value: SecretBytes

    /// Makes a provider of this DASk, 16 bytes; nil for any other size.
    public init?(_ dask: SecretBytes) {
        guard dask.count == 16 else { return nil }
        value = dask
    }

    /// Always.
    public var isForDevelopmentOnly: Bool { true }

    /// The given value.
    public func dask(r2: R2) throws(KSMError) -> SecretBytes { value }
}
