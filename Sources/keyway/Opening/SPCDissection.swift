import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule

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
    /// Why the rest is not there. Nil also where only the credentials end.
    var problem: KSMError?

    /// The values of the [SK...R1] block.
    struct Session: Sendable {
        /// The device's anonymous ID, 20 bytes.
        let hu: [UInt8]
        /// SK, 16 bytes; nil where a plug-in keeps it to itself.
        let sessionKey: SecretBytes?
        /// R1, 44 bytes; nil where a plug-in has opened the SPC as a whole.
        let r1: SecretBytes?
    }

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
        session = try Self.openSession(payload, derivation, certificateHash: message.certificateHash)
    }

    private static func checkCertificate(_ message: SPCMessage, _ credentials: OpeningCredentials) throws(KSMError) {
        guard let certificate = credentials.certificate else { return }
        guard certificate.sha1 == message.certificateHash else {
            throw KSMError(
                .certificate,
                .unknownCertificate,
                "the SPC was made for the certificate with SHA-1 \(hexadecimal(message.certificateHash)), the one given has "
                    + hexadecimal(certificate.sha1)
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
        do {
            let payloadKey = try key.decryptOAEP(message.encryptedKey)
            guard payloadKey.count == 16 else {
                throw KSMError(.key, .decryptionFailed, "the payload's key has \(payloadKey.count) bytes instead of 16")
            }
            return try AES128.decryptCBC(message.encryptedPayload, key: payloadKey, iv: message.iv)
        } catch let error as KSMError {
            throw error
        } catch {
            throw KSMError(.key, .decryptionFailed, "the payload's key does not decrypt with this private key")
        }
    }

    private static func openSession(
        _ payload: SPCPayload,
        _ derivation: CertificateBundle.KeyDerivation,
        certificateHash: [UInt8]
    ) throws(KSMError) -> Session? {
        switch derivation {
        case .dask(let provider):
            let dask = try provider.dask(r2: payload.r2)
            let block = payload.sessionKeyAndR1
            let clear: SecretBytes
            do {
                clear = try AES128.decryptCBCSecret(block.encryptedPayload, key: dask, iv: block.iv)
            } catch {
                throw KSMError(.sessionKey, .libraryFailure, error.description)
            }
            typealias Fields = SessionKeyAndR1.Payload
            guard clear[Fields.integrity] == SecretBytes(copying: payload.sessionKeyAndR1Integrity.bytes) else {
                throw KSMError(
                    .integrity,
                    .integrityMismatch,
                    "the [SK...R1] integrity does not hold: this is another DASk, or a forged SPC"
                )
            }
            return Session(
                hu: clear[Fields.hu].reveal(),
                sessionKey: clear[Fields.sessionKey],
                r1: clear[Fields.r1]
            )
        case .keyPayload(let provider):
            let input = KeyPayload(
                sessionKeyAndR1: payload.sessionKeyAndR1,
                integrity: payload.sessionKeyAndR1Integrity,
                r2: payload.r2,
                certificateHash: certificateHash
            )
            let opened = try provider.open(input, contentKey: nil)
            return Session(hu: opened.hu, sessionKey: nil, r1: opened.r1)
        case .none:
            return nil
        }
    }

    private mutating func openWhole(_ bytes: [UInt8], _ provider: any WholeSPCProvider) throws(KSMError) {
        let opened = try provider.open(spc: bytes)
        session = Session(hu: opened.hu, sessionKey: nil, r1: nil)
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
