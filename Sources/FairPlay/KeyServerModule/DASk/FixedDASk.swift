public import FPSCrypto
public import FPSMessages

/// A DASk provider that returns the same DASk for every R2. Apple documents this method for its development vectors.
public struct FixedDASk: DASkProvider {
    private let value: SecretBytes

    /// Creates a provider of this DASk. Returns nil unless the DASk has 16 bytes.
    public init?(_ dask: SecretBytes) {
        guard dask.count == 16 else { return nil }
        value = dask
    }

    /// Always true.
    public var isForDevelopmentOnly: Bool { true }

    /// Returns the fixed DASk.
    public func dask(r2: R2) throws(KSMError) -> SecretBytes { value }
}
