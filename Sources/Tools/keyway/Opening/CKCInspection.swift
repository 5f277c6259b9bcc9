import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule
import ToolSupport

/// The parts of a CKC, as far as the secrets of its SPC allow decrypting it.
struct CKCInspection: Sendable {
    /// The container.
    var message: CKCMessage?
    /// The blocks of the decrypted payload; if it is damaged, those before the damage.
    var blocks: TLLVSequence?
    /// The reason why the CKC could not be read completely.
    var problem: KSMError?
    /// True if the decrypted payload is invalid from its first block on. CBC decryption never fails, so a wrong key is
    /// detected in this way.
    var isGarbage = false

    /// The reason for an invalid payload.
    static let garbage = "the decrypted payload has no valid blocks: the CKC is for another SPC, or the DASk is wrong"

    /// Parses a CKC; only its container if there is no key.
    init(_ bytes: [UInt8], payloadKey: SecretBytes?) {
        do throws(KSMError) {
            try parse(bytes, payloadKey)
        } catch {
            problem = error
        }
    }

    private mutating func parse(_ bytes: [UInt8], _ payloadKey: SecretBytes?) throws(KSMError) {
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
        (blocks, error) = SPCInspection.blocks(clear)
        if let error {
            let firstTag = TLLVTag(rawValue: clear.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
            isGarbage = blocks?.isEmpty != false && firstTag.name == nil
            throw KSMError(.payload, .init(rawValue: error.code.rawValue), error.description)
        }
    }

    /// Returns the key of a CKC's payload; nil if the secrets of the SPC are not available.
    static func payloadKey(for spc: SPCInspection) throws(CommandFailure) -> SecretBytes? {
        guard let payload = spc.payload, let r1 = spc.session?.r1 else { return nil }
        do {
            return try KSM.payloadKey(r1: r1, antiReplaySeed: payload.antiReplaySeed)
        } catch {
            throw .input("the key of the CKC payload cannot be derived: \(error)")
        }
    }
}
