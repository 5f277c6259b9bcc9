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
    /// Whether the payload was decrypted and made no sense from its first block on. CBC decrypts anything, so this is how
    /// a wrong key shows.
    var isGarbage = false

    /// What garbage means.
    static let garbage = "the payload does not decrypt to blocks: the CKC answers another SPC, or DASk was another"

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
            let firstTag = TLLVTag(rawValue: clear.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
            isGarbage = blocks?.isEmpty != false && firstTag.name == nil
            throw KSMError(.payload, .init(rawValue: error.code.rawValue), error.description)
        }
    }

    /// The key of a CKC's payload; nil where the SPC's secrets are not known.
    static func payloadKey(for spc: SPCDissection) throws(CommandFailure) -> SecretBytes? {
        guard let payload = spc.payload, let r1 = spc.session?.r1 else { return nil }
        do {
            return try KSM.payloadKey(r1: r1, antiReplaySeed: payload.antiReplaySeed)
        } catch {
            throw .input("the key of the CKC cannot be made: \(error)")
        }
    }
}
