#if SwiftCrypto
import CryptoExtras
import Foundation
import SwiftASN1

/// The RSA public keys of this backend.
typealias RSAPublicBackend = SwiftCryptoPublicKey
/// The RSA private keys of this backend.
package typealias RSAPrivateBackend = SwiftCryptoPrivateKey

/// An RSA public key of swift-crypto.
final class SwiftCryptoPublicKey: Sendable {
    // Never changes; swift-crypto declares the type of the same keys for signing Sendable, and forgot this one.
    private nonisolated(unsafe) let key: _RSA.Encryption.PublicKey

    init(_ key: _RSA.Encryption.PublicKey) { self.key = key }

    /// The size of the modulus in bits.
    func bits(operation: String) throws(CryptoError) -> Int { key.keySizeInBits }

    /// Whether this is the public half of `key`.
    func isPublicHalf(of key: SwiftCryptoPrivateKey) -> Bool {
        self.key.derRepresentation == key.key.publicKey.derRepresentation
    }

    /// RSAES-OAEP encryption of a message that fits; the result has `size` bytes.
    func encryptOAEP(_ message: SecretBytes, size: Int, operation: String) throws(CryptoError) -> [UInt8] {
        do {
            return try message.withUnsafeBytes { try Array(key.encrypt($0, padding: .PKCS1_OAEP)) }
        } catch {
            throw CryptoError(.libraryFailure, operation: operation)
        }
    }
}

/// An RSA private key of swift-crypto.
package final class SwiftCryptoPrivateKey: Sendable {
    // See the public key.
    fileprivate nonisolated(unsafe) let key: _RSA.Encryption.PrivateKey

    private init(_ key: _RSA.Encryption.PrivateKey) { self.key = key }

    /// A new key with the public exponent 65537.
    static func generate(bits: Int, operation: String) throws(CryptoError) -> SwiftCryptoPrivateKey {
        // BoringSSL rounds other sizes down without saying so.
        guard bits.isMultiple(of: 128) else {
            let reason = "\(bits) bits, must be a multiple of 128 here"
            throw CryptoError(.unsupportedKeySize, operation: operation, reason: reason)
        }
        do {
            return SwiftCryptoPrivateKey(try _RSA.Encryption.PrivateKey(unsafeKeySize: .init(bitCount: bits)))
        } catch {
            throw CryptoError(.libraryFailure, operation: operation)
        }
    }

    /// Reads the DER of an unencrypted private key, PKCS#1 or PKCS#8; nil when it is something else or damaged.
    ///
    /// - Throws: ``CryptoError/Code/notAnRSAKey`` or ``CryptoError/Code/unsupportedKeySize``.
    static func privateKey(
        der: UnsafeRawBufferPointer,
        operation: String
    ) throws(CryptoError) -> SwiftCryptoPrivateKey? {
        switch contents(of: der) {
        case .pkcs1(let encoding, let bits):
            _ = try requireBits(bits, operation: operation)
            return (try? _RSA.Encryption.PrivateKey(unsafeDERRepresentation: encoding)).map(SwiftCryptoPrivateKey.init)
        case .otherAlgorithm: throw CryptoError(.notAnRSAKey, operation: operation)
        case nil: return nil
        }
    }

    private enum Contents {
        /// An RSAPrivateKey, by itself or out of a PrivateKeyInfo, and the size of its modulus.
        case pkcs1([UInt8], bits: Int)
        case otherAlgorithm
    }

    private static func contents(of der: UnsafeRawBufferPointer) -> Contents? {
        do {
            let fields = try DER.parse(Array(der)).sequence(atLeast: 3)
            guard fields[0].identifier == .integer else { return nil }
            switch fields[1].identifier {
            case .integer: return .pkcs1(Array(der), bits: try RSAKeyDER.bits(fields[1]))
            // ECPrivateKey (RFC 5915, 3).
            case .octetString: return .otherAlgorithm
            case .sequence:
                guard try RSAKeyDER.isRSA(fields[1]) else { return .otherAlgorithm }
                let inner = try ASN1OctetString(derEncoded: fields[2]).bytes
                let modulus = try DER.parse(inner).sequence(atLeast: 3)[1]
                return .pkcs1(Array(inner), bits: try RSAKeyDER.bits(modulus))
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// Whether this is the DER of an `EncryptedPrivateKeyInfo` (RFC 5958, 3).
    static func isEncryptedPrivateKey(der: UnsafeRawBufferPointer) -> Bool {
        guard let fields = try? DER.parse(Array(der)).sequence(atLeast: 2), fields.count == 2 else { return false }
        return fields[0].identifier == .sequence && fields[1].identifier == .octetString
    }

    /// The size of the modulus in bits.
    func bits(operation: String) throws(CryptoError) -> Int { key.keySizeInBits }

    /// The public half.
    func publicHalf(operation: String) throws(CryptoError) -> SwiftCryptoPublicKey {
        SwiftCryptoPublicKey(key.publicKey)
    }

    /// The PKCS#8 DER, not encrypted.
    func encodedPKCS8(operation: String) throws(CryptoError) -> SecretBytes {
        guard let document = try? PEMDocument(pemString: key.pkcs8PEMRepresentation) else {
            throw CryptoError(.libraryFailure, operation: operation)
        }
        return SecretBytes(copying: document.derBytes)
    }

    /// RSAES-OAEP decryption of a ciphertext as long as the modulus; nil when that fails, for whatever reason.
    func decryptOAEP(_ ciphertext: UnsafeRawBufferPointer) -> SecretBytes? {
        guard var message = try? key.decrypt(ciphertext, padding: .PKCS1_OAEP) else { return nil }
        return message.withUnsafeMutableBytes { message in
            defer { SecretBytes.wipe(message) }
            return SecretBytes(copying: UnsafeRawBufferPointer(message))
        }
    }
}
#endif
