public import FPSCrypto

/// How a device gets DASk, the 16-byte key of the [SK...R1] block. Real devices use a function that Apple licenses;
/// nothing here can stand in for it with a server that uses that function.
public enum DASkRule: Sendable {
    /// Always this value, 16 bytes.
    case fixed(SecretBytes)
    /// The first 16 bytes of HMAC-SHA256 over R2 (21 bytes), keyed with ASk: Keyway's own rule for development.
    case development(ask: SecretBytes)

    /// DASk for one SPC.
    func dask(r2: [UInt8]) -> SecretBytes {
        switch self {
        case .fixed(let dask): dask
        case .development(let ask): HMACSHA256.derive(r2, key: ask)[0..<16]
        }
    }
}
