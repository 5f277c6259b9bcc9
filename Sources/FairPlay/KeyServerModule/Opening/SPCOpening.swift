package import FPSCrypto
package import FPSMessages
import TextCoding

/// Steps 3, 5 and 6 of Table 2-1 as separate functions, for the module and for tools that inspect an SPC.
package enum SPCOpening {
    /// The decrypted values of an [SK...R1] block.
    package struct Session: Sendable {
        /// The device's anonymous ID, 20 bytes.
        package let hu: [UInt8]
        /// SK, 16 bytes; nil if a plug-in does not return it.
        package let sessionKey: SecretBytes?
        /// R1, 44 bytes.
        package let r1: SecretBytes
    }

    /// Decrypts the payload key with RSA-OAEP, then the payload with AES-128-CBC (step 3).
    ///
    /// - Throws: `decryption-failed` for any error in the encrypted payload key.
    package static func clearPayload(of message: SPCMessage, with key: RSAPrivateKey) throws(KSMError) -> [UInt8] {
        try clearPayload(
            of: message,
            payloadKey: Result { () throws(CryptoError) in try key.decryptOAEP(message.encryptedKey) }
        )
    }

    /// Decrypts the payload with the result of the RSA operation (the rest of step 3).
    package static func clearPayload(
        of message: SPCMessage,
        payloadKey: Result<SecretBytes, CryptoError>
    ) throws(KSMError) -> [UInt8] {
        guard case .success(let payloadKey) = payloadKey else {
            throw KSMError(.key, .decryptionFailed, "the payload key cannot be decrypted with this private key")
        }
        guard payloadKey.count == 16 else {
            throw KSMError(
                .key,
                .decryptionFailed,
                "the payload key has \(counted(payloadKey.count, "byte")) instead of 16"
            )
        }
        do {
            return try AES128.decryptCBC(message.encryptedPayload, key: payloadKey, iv: message.iv)
        } catch {
            throw KSMError(.payload, error)
        }
    }

    /// Decrypts the session values and checks their integrity in constant time (steps 5 and 6).
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
                    "the [SK...R1] integrity check failed: the DASk is wrong, or the SPC is forged"
                )
            }
            return Session(hu: clear[Fields.hu].reveal(), sessionKey: clear[Fields.sessionKey], r1: clear[Fields.r1])
        case .keyPayload(let provider):
            let opened = try provider.open(KeyPayload(blocks, certificateHash: certificateHash), contentKey: nil)
            return Session(hu: opened.hu, sessionKey: nil, r1: opened.r1)
        case .none:
            throw KSMError(.sessionKey, .daskUnavailable, "the bundle has neither a DASk nor a key payload provider")
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
    /// Collects the parts of an SPC that a provider needs.
    init(_ blocks: SessionBlocks, certificateHash: [UInt8]) {
        self.init(
            sessionKeyAndR1: blocks.sessionKeyAndR1,
            integrity: blocks.integrity,
            r2: blocks.r2,
            certificateHash: certificateHash
        )
    }
}
