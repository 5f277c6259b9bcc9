package import FPSCrypto

/// Stands for a device in the audit log: the first 16 bytes of an HMAC-SHA256 over its HU.
///
/// The key is the store's own, so that the log tells whether two requests came from one device, and tells nothing to
/// who has the log alone. An HU itself has no way into a record.
package struct DeviceHash: Sendable, Hashable {
    /// The 16 bytes.
    package let bytes: [UInt8]

    /// Takes 16 bytes that a store read back; nil when they are not 16.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Hashes an HU.
    package init(hu: [UInt8], key: SecretBytes) {
        bytes = Array(HMACSHA256.authenticate(hu, key: key).prefix(16))
    }
}
