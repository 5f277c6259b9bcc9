package import FPSCrypto

/// What a device keeps of an SPC in order to open the CKC.
package struct SessionSecrets: Sendable {
    /// SK, 16 bytes: opens the content key.
    package var sessionKey: SecretBytes
    /// R1, 44 bytes: must come back.
    package var r1: SecretBytes
    /// The anti-replay seed, 16 bytes.
    package var antiReplaySeed: SecretBytes

    package init(sessionKey: SecretBytes, r1: SecretBytes, antiReplaySeed: SecretBytes) {
        self.sessionKey = sessionKey
        self.r1 = r1
        self.antiReplaySeed = antiReplaySeed
    }

    /// The key of the CKC's payload: the seed, encrypted under the first 16 bytes of SHA-1(R1).
    func payloadKey() throws(CryptoError) -> SecretBytes {
        let arKey = SHA1.hash(r1)[0..<16]
        return try AES128.encryptBlockSecret(antiReplaySeed.reveal(), key: arKey)
    }
}
