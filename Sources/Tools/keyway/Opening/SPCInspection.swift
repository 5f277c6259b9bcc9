import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule
import TextCoding

/// The parts of an SPC, as far as the credentials allow opening it: the results of steps 1 to 6 of Table 2-1.
///
/// A key server uses ``KeyServerModule/open(_:)``, which either returns all parts or fails; for troubleshooting, the
/// parts before the failure are needed.
struct SPCInspection: Sendable {
    /// The container; nil for an SPC of version 3, whose layout only Apple defines.
    var message: SPCMessage?
    /// The blocks of the decrypted payload; if it is damaged, those before the damage.
    var blocks: TLLVSequence?
    /// The parsed payload.
    var payload: SPCPayload?
    /// The values of the [SK...R1] block, if its integrity is verified.
    var session: Session?

    /// The values of the [SK...R1] block; the session key and R1 are nil if a plug-in opened the whole SPC.
    typealias Session = (hu: [UInt8], sessionKey: SecretBytes?, r1: SecretBytes?)

    /// The reason why the SPC could not be read completely; nil if only credentials are missing.
    var problem: KSMError?

    /// Parses and opens an SPC.
    init(_ bytes: [UInt8], with credentials: OpeningCredentials) {
        do throws(KSMError) {
            try parse(bytes, credentials)
        } catch {
            problem = error
        }
    }

    private mutating func parse(_ bytes: [UInt8], _ credentials: OpeningCredentials) throws(KSMError) {
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
                "the SPC is for the certificate with SHA-1 \(Hexadecimal.encode(message.certificateHash)), but the given one "
                    + "has " + Hexadecimal.encode(certificate.sha1)
            )
        }
        if let key = credentials.privateKey, !certificate.matches(key) {
            throw KSMError(.certificate, .keyMismatch, "the private key does not match the certificate")
        }
    }

    private static func decryptPayload(_ message: SPCMessage, _ key: RSAPrivateKey) throws(KSMError) -> [UInt8] {
        guard key.bits == message.encryptedKey.count * 8 else {
            throw KSMError(
                .key,
                .decryptionFailed,
                "an SPC of version \(message.version) requires a key of \(message.encryptedKey.count * 8) bits, but this one "
                    + "has \(key.bits)"
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

    /// Returns the blocks of a payload; if one is damaged, those before it, and the error.
    static func blocks(_ payload: [UInt8]) -> (TLLVSequence?, ParseError?) {
        do {
            return (try TLLVSequence(parsing: payload), nil)
        } catch {
            // The offset of an error is after the start of a block's header; that of a duplicate tag is the start
            // itself.
            let offset = error.code == .duplicateTag ? error.offset : max(error.offset - 1, 0) / 16 * 16
            return (try? TLLVSequence(parsing: Array(payload.prefix(offset))), error)
        }
    }
}

extension KSMError.Code {
    /// The private key does not match the certificate.
    static let keyMismatch = Self(rawValue: "key-mismatch")
}
