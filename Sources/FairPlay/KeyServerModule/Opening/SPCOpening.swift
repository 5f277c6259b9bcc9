package import FPSCrypto
package import FPSMessages

/// Steps 3, 5 and 6 of Table 2-1, without a server around them: for the module, and for tools that take an SPC apart.
package enum SPCOpening {
    /// What an [SK...R1] block holds.
    package struct Session: Sendable {
        /// The device's anonymous ID, 20 bytes.
        package let hu: [UInt8]
        /// SK, 16 bytes; nil where a plug-in keeps it to itself.
        package let sessionKey: SecretBytes?
        /// R1, 44 bytes.
        package let r1: SecretBytes
    }

    /// Step 3: the payload's key by RSA-OAEP, the payload by AES-128-CBC.
    ///
    /// - Throws: `decryption-failed`, whatever is wrong with the key's block.
    package static func clearPayload(of message: SPCMessage, with key: RSAPrivateKey) throws(KSMError) -> [UInt8] {
        try clearPayload(
            of: message,
            payloadKey: Result { () throws(CryptoError) in try key.decryptOAEP(message.encryptedKey) }
        )
    }

    /// Step 3 from where RSA has been done.
    package static func clearPayload(
        of message: SPCMessage,
        payloadKey: Result<SecretBytes, CryptoError>
    ) throws(KSMError) -> [UInt8] {
        guard case .success(let payloadKey) = payloadKey else {
            throw KSMError(.key, .decryptionFailed, "the payload's key does not decrypt with this private key")
        }
        guard payloadKey.count == 16 else {
            throw KSMError(.key, .decryptionFailed, "the payload's key has \(payloadKey.count) bytes instead of 16")
        }
        do {
            return try AES128.decryptCBC(message.encryptedPayload, key: payloadKey, iv: message.iv)
        } catch {
            throw KSMError(.payload, error)
        }
    }

    /// Steps 5 and 6: the session values, and their integrity in constant time.
    ///
    /// - Throws: `integrity-mismatch`, `key-payload-invalid`, `dask-unavailable`.
    package static func session(
        of blocks: SessionBlocks,
        by derivation: CertificateBundle.KeyDerivation,
        certificateHash: [UInt8]
    ) throws(KSMError) -> Session {
        switch derivation {
        case .dask(let provider):
            let clear = try decryptSessionKeyAndR1(blocks, provider)
            typealias Fields = SessionKeyAndR1.Payload
            guard clear[Fields.integrity] == SecretBytes(copying: blocks.integrity.bytes) else {
                throw KSMError(
                    .integrity,
                    .integrityMismatch,
                    "the [SK...R1] integrity does not hold: this is another DASk, or a forged SPC"
                )
            }
            return Session(hu: clear[Fields.hu].reveal(), sessionKey: clear[Fields.sessionKey], r1: clear[Fields.r1])
        case .keyPayload(let provider):
            let opened = try provider.open(KeyPayload(blocks, certificateHash: certificateHash), contentKey: nil)
            return Session(hu: opened.hu, sessionKey: nil, r1: opened.r1)
        case .none:
            throw KSMError(.sessionKey, .daskUnavailable, "the bundle has no way to a DASk")
        }
    }

    private static func decryptSessionKeyAndR1(
        _ blocks: SessionBlocks,
        _ provider: any DASkProvider
    ) throws(KSMError) -> SecretBytes {
        let dask = try provider.dask(r2: blocks.r2)
        let block = blocks.sessionKeyAndR1
        do {
            return try AES128.decryptCBCSecret(block.encryptedPayload, key: dask, iv: block.iv)
        } catch {
            throw KSMError(.sessionKey, error)
        }
    }
}

extension KeyPayload {
    /// Gathers what a provider needs of an SPC.
    init(_ blocks: SessionBlocks, certificateHash: [UInt8]) {
        self.init(
            sessionKeyAndR1: blocks.sessionKeyAndR1,
            integrity: blocks.integrity,
            r2: blocks.r2,
            certificateHash: certificateHash
        )
    }
}
