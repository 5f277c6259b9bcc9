import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule
import TextCoding

/// An SPC taken apart as far as the credentials go: steps 1 to 6 of Table 2-1, with what each of them found.
///
/// A key server has ``KeyServerModule/open(_:)``, which gives all or nothing; whoever looks for a fault wants to see how
/// far it went.
struct SPCDissection: Sendable {
    /// The container; nil for an SPC of version 3, whose layout is Apple's.
    var message: SPCMessage?
    /// The decrypted payload's blocks; up to the damage, if there is one.
    var blocks: TLLVSequence?
    /// What the payload says.
    var payload: SPCPayload?
    /// What the [SK...R1] block holds, if its integrity holds.
    var session: Session?

    /// The values of the [SK...R1] block; R1 is nil where a plug-in has opened the SPC as a whole.
    typealias Session = (hu: [UInt8], sessionKey: SecretBytes?, r1: SecretBytes?)

    /// Why the rest is not there. Nil also where only the credentials end.
    var problem: KSMError?

    /// Takes an SPC apart.
    init(_ bytes: [UInt8], with credentials: OpeningCredentials) {
        do throws(KSMError) {
            try dissect(bytes, credentials)
        } catch {
            problem = error
        }
    }

    private mutating func dissect(_ bytes: [UInt8], _ credentials: OpeningCredentials) throws(KSMError) {
        let message: SPCMessage
        do {
            message = try SPCMessage(parsing: bytes)
        } catch {
            guard error.code == .spcVersion3, let provider = credentials.wholeSPC else {
                throw KSMError(.container, .init(rawValue: error.code.rawValue), error.description)
            }
            return try openWhole(bytes, provider)
        }
        self.message = message
        try Self.checkCertificate(message, credentials)
        guard let key = credentials.privateKey else { return }
        let clear = try Self.decryptPayload(message, key)
        let error: ParseError?
        (blocks, error) = Self.blocks(clear)
        do throws(ParseError) {
            if let error { throw error }
            payload = try SPCPayload(parsing: clear)
        } catch {
            throw KSMError(.payload, .init(rawValue: error.code.rawValue), error.description)
        }
        guard let payload, let derivation = credentials.derivation else { return }
        if case .none = derivation { return }
        let hash = message.certificateHash
        let opened = try SPCOpening.session(of: SessionBlocks(payload), by: derivation, certificateHash: hash)
        session = (opened.hu, opened.sessionKey, opened.r1)
    }

    private static func checkCertificate(_ message: SPCMessage, _ credentials: OpeningCredentials) throws(KSMError) {
        guard let certificate = credentials.certificate else { return }
        guard certificate.sha1 == message.certificateHash else {
            throw KSMError(
                .certificate,
                .unknownCertificate,
                "the SPC was made for the certificate with SHA-1 \(Hexadecimal.encode(message.certificateHash)), the one given has "
                    + Hexadecimal.encode(certificate.sha1)
            )
        }
        if let key = credentials.privateKey, !certificate.matches(key) {
            throw KSMError(.certificate, .keyMismatch, "the private key does not belong to the certificate")
        }
    }

    private static func decryptPayload(_ message: SPCMessage, _ key: RSAPrivateKey) throws(KSMError) -> [UInt8] {
        guard key.bits == message.encryptedKey.count * 8 else {
            throw KSMError(
                .key,
                .decryptionFailed,
                "an SPC of version \(message.version) is for a key of \(message.encryptedKey.count * 8) bits, this one has "
                    + "\(key.bits)"
            )
        }
        return try SPCOpening.clearPayload(of: message, with: key)
    }

    private mutating func openWhole(_ bytes: [UInt8], _ provider: any WholeSPCProvider) throws(KSMError) {
        let opened = try provider.open(spc: bytes)
        session = (opened.hu, nil, nil)
        do {
            blocks = try TLLVSequence(parsing: opened.request)
        } catch {
            throw KSMError(.payload, .init(rawValue: error.code.rawValue), error.description)
        }
    }

    /// The blocks of a payload; where one is damaged, those before it, and what is wrong.
    static func blocks(_ payload: [UInt8]) -> (TLLVSequence?, ParseError?) {
        do {
            return (try TLLVSequence(parsing: payload), nil)
        } catch {
            // Errors are found behind the start of a block's header, a duplicate tag at it.
            let offset = error.code == .duplicateTag ? error.offset : max(error.offset - 1, 0) / 16 * 16
            return (try? TLLVSequence(parsing: Array(payload.prefix(offset))), error)
        }
    }
}

extension KSMError.Code {
    /// The private key is not the certificate's.
    static let keyMismatch = Self(rawValue: "key-mismatch")
}
