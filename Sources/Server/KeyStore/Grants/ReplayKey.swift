package import FPSCrypto

/// The keyed hash under which a request is remembered: HMAC-SHA256 over R1, account and certificate hash.
package enum ReplayKey {
    /// The key of the hash, from the secret that a store keeps for the hashes of devices. Nobody has to keep another
    /// secret, and neither hash says anything about the other: an HU has 20 bytes, the text here has not.
    package static func secret(from deviceHashKey: SecretBytes) -> SecretBytes {
        HMACSHA256.derive(Array("keyway: replay records, version 1".utf8), key: deviceHashKey)
    }

    /// The hash, 32 bytes. Each part stands behind its length, so that no two requests give the same bytes.
    package static func make(r1: SecretBytes, account: String, certificateHash: [UInt8], key: SecretBytes) -> [UInt8] {
        let account = Array(account.utf8)
        let rest =
            bigEndianBytes(UInt32(account.count)) + account
            + bigEndianBytes(UInt32(certificateHash.count)) + certificateHash
        let size = bigEndianBytes(UInt32(r1.count))
        // R1 is a secret, so that its copy has to be wiped too.
        let message = SecretBytes(count: size.count + r1.count + rest.count) { buffer in
            buffer.copyBytes(from: size)
            r1.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[size.count...]).copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: buffer[(size.count + r1.count)...]).copyBytes(from: rest)
        }
        return message.withUnsafeBytes { HMACSHA256.authenticate($0, key: key) }
    }
}
