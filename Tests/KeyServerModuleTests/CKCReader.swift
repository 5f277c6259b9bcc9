import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule

/// A reader that decrypts a CKC with the secrets of its session.
struct CKCReader {
    let secrets: (sessionKey: SecretBytes, r1: SecretBytes, payload: SPCPayload)

    init(_ secrets: (sessionKey: SecretBytes, r1: SecretBytes, payload: SPCPayload)) { self.secrets = secrets }

    func payload(of ckc: [UInt8]) throws -> CKCPayload {
        let message = try CKCMessage(parsing: ckc)
        let key = try AES128.encryptBlockSecret(
            secrets.payload.antiReplaySeed.bytes,
            key: SHA1.hash(secrets.r1)[0..<16]
        )
        return try CKCPayload(parsing: AES128.decryptCBC(message.encryptedPayload, key: key, iv: message.iv))
    }

    func contentKey(in ckc: [UInt8]) throws -> SecretBytes {
        try AES128.decryptBlockSecret(payload(of: ckc).encryptedContentKey.encryptedKey, key: secrets.sessionKey)
    }
}
