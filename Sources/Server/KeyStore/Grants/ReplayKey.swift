package import FPSCrypto

/// The keyed hash by which a replay record is stored: the HMAC-SHA256 of R1, account and certificate hash.
package enum ReplayKey {
    /// Derives the HMAC key from the secret that a store has for the hashes of devices, so that no further secret is
    /// needed. The two kinds of hashes are independent: an HU has 20 bytes, and the text here has a different length.
    package static func secret(from deviceHashKey: SecretBytes) -> SecretBytes {
        HMACSHA256.derive(Array("keyway: replay records, version 1".utf8), key: deviceHashKey)
    }

    /// Returns the hash, 32 bytes. The length precedes each part, so that different requests give different bytes.
    package static func make(r1: SecretBytes, account: String, certificateHash: [UInt8], key: SecretBytes) -> [UInt8] {
        let account = Array(account.utf8)
        let rest =
            bigEndianBytes(UInt32(account.count)) + account
            + bigEndianBytes(UInt32(certificateHash.count)) + certificateHash
        let size = bigEndianBytes(UInt32(r1.count))
        // R1 is a secret, so its copy must be wiped, too.
        let message = SecretBytes(count: size.count + r1.count + rest.count) { buffer in
            buffer.copyBytes(from: size)
            r1.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[size.count...]).copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: buffer[(size.count + r1.count)...]).copyBytes(from: rest)
        }
        return message.withUnsafeBytes { HMACSHA256.authenticate($0, key: key) }
    }
}
