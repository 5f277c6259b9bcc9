package import FPSCrypto

/// The pseudonym of a device in the audit log: the first 16 bytes of an HMAC-SHA256 over its HU.
///
/// The HMAC key belongs to the store. The log therefore shows whether two requests came from the same device, but does
/// not identify the device to a reader who has only the log. Records never contain an HU itself.
package struct DeviceHash: Sendable, Hashable {
    /// The 16 bytes.
    package let bytes: [UInt8]

    /// Creates a hash from 16 bytes that a store read; nil if the count differs.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Hashes an HU.
    package init(hu: [UInt8], key: SecretBytes) {
        bytes = Array(HMACSHA256.authenticate(hu, key: key).prefix(16))
    }
}
