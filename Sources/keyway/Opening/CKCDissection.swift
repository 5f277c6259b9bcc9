import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule

/// A CKC taken apart as far as the secrets of its SPC go.
struct CKCDissection: Sendable {
    /// The container.
    var message: CKCMessage?
    /// The decrypted payload's blocks; up to the damage, if there is one.
    var blocks: TLLVSequence?
    /// Why the rest is not there.
    var problem: KSMError?

    /// Takes a CKC apart; its container alone, where there is no key.
    init(_ bytes: [UInt8], payloadKey: SecretBytes?) {
        do throws(KSMError) {
            try dissect(bytes, payloadKey)
        } catch {
            problem = error
        }
    }

    private mutating func dissect(_ bytes: [UInt8], _ payloadKey: SecretBytes?) throws(KSMError) {
        let message: CKCMessage
        do {
            message = try CKCMessage(parsing: bytes)
        } catch {
            throw KSMError(.container, .init(rawValue: error.code.rawValue), error.description)
        }
        self.message = message
        guard let payloadKey else { return }
        let clear: [UInt8]
        do {
            clear = try AES128.decryptCBC(message.encryptedPayload, key: payloadKey, iv: message.iv)
        } catch {
            throw KSMError(.payload, .libraryFailure, error.description)
        }
        let error: ParseError?
        (blocks, error) = SPCDissection.blocks(clear)
        if let error {
            throw KSMError(.payload, .init(rawValue: error.code.rawValue), error.description)
        }
    }

    /// Whether the payload was decrypted and then made no sense from its first block on: another key.
    var isGarbage: Bool { problem?.stage == .payload && blocks?.isEmpty != false }

    /// The key of a CKC's payload; nil where the SPC's secrets are not known.
    static func payloadKey(for spc: SPCDissection) throws(CommandFailure) -> SecretBytes? {
        guard let payload = spc.payload, let r1 = spc.session?.r1 else { return nil }
        do {
            return try KeyServerModule.payloadKey(r1: r1, antiReplaySeed: payload.antiReplaySeed)
        } catch {
            throw .input("the key of the CKC cannot be made: \(error)")
        }
    }
}
