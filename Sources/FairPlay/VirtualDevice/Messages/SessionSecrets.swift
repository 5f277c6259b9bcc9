package import FPSCrypto

/// The values of an SPC that a device stores to decrypt the CKC.
package struct SessionSecrets: Sendable {
    /// SK, which decrypts the content key, 16 bytes; nil if it is not known, so that the content key stays encrypted.
    package var sessionKey: SecretBytes?
    /// R1, which the CKC must return, 44 bytes.
    package var r1: SecretBytes
    /// The anti-replay seed, 16 bytes.
    package var antiReplaySeed: SecretBytes

    package init(sessionKey: SecretBytes?, r1: SecretBytes, antiReplaySeed: SecretBytes) {
        self.sessionKey = sessionKey
        self.r1 = r1
        self.antiReplaySeed = antiReplaySeed
    }

    /// Returns the key of the CKC's payload: the anti-replay seed, encrypted with the first 16 bytes of the SHA-1 of
    /// R1.
    func payloadKey() throws(CryptoError) -> SecretBytes {
        let arKey = SHA1.hash(r1)[0..<16]
        return try AES128.encryptBlockSecret(antiReplaySeed.reveal(), key: arKey)
    }
}
