public import FPSCrypto

/// The derivation of DASk, the 16-byte key of the [SK...R1] block, on a device. Real devices use a function that Apple
/// licenses. The rules of this type do not work with a server that uses that function.
public enum DASkRule: Sendable {
    /// A fixed value, 16 bytes.
    case fixed(SecretBytes)
    /// Keyway's rule for development: the first 16 bytes of the HMAC-SHA256 of R2 (21 bytes) with ASk as the key.
    case development(ask: SecretBytes)

    /// Returns the DASk for one SPC.
    func dask(r2: [UInt8]) -> SecretBytes {
        switch self {
        case .fixed(let dask): dask
        case .development(let ask): HMACSHA256.derive(r2, key: ask)[0..<16]
        }
    }
}
