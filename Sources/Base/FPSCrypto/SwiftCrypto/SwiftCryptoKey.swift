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
    // The key is immutable. swift-crypto declares the corresponding type for signing as Sendable, but not this type.
    private nonisolated(unsafe) let key: _RSA.Encryption.PublicKey

    init(_ key: _RSA.Encryption.PublicKey) { self.key = key }

    /// The size of the modulus in bits.
    func bits(operation: String) throws(CryptoError) -> Int { key.keySizeInBits }

    /// Returns whether this is the public half of `key`.
    func isPublicHalf(of key: SwiftCryptoPrivateKey) -> Bool {
        self.key.derRepresentation == key.key.publicKey.derRepresentation
    }

    /// Encrypts a message with RSAES-OAEP. The message must fit; the result has `size` bytes.
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
    // The key is immutable; see the public key.
    fileprivate nonisolated(unsafe) let key: _RSA.Encryption.PrivateKey

    private init(_ key: _RSA.Encryption.PrivateKey) { self.key = key }

    /// Generates a key with the public exponent 65537.
    static func generate(bits: Int, operation: String) throws(CryptoError) -> SwiftCryptoPrivateKey {
        // BoringSSL silently rounds other sizes down.
        guard bits.isMultiple(of: 128) else {
            let reason = "\(bits) bits, must be a multiple of 128 with swift-crypto"
            throw CryptoError(.unsupportedKeySize, operation: operation, reason: reason)
        }
        do {
            return SwiftCryptoPrivateKey(try _RSA.Encryption.PrivateKey(unsafeKeySize: .init(bitCount: bits)))
        } catch {
            throw CryptoError(.libraryFailure, operation: operation)
        }
    }

    /// Parses the DER of an unencrypted private key, PKCS#1 or PKCS#8. Returns nil if the data is not such a key or is
    /// damaged.
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
        /// An RSAPrivateKey, alone or from a PrivateKeyInfo, and the size of its modulus.
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

    /// Returns whether the data is the DER of an `EncryptedPrivateKeyInfo` (RFC 5958, 3).
    static func isEncryptedPrivateKey(der: UnsafeRawBufferPointer) -> Bool {
        guard let fields = try? DER.parse(Array(der)).sequence(atLeast: 2), fields.count == 2 else { return false }
        return fields[0].identifier == .sequence && fields[1].identifier == .octetString
    }

    /// The size of the modulus in bits.
    func bits(operation: String) throws(CryptoError) -> Int { key.keySizeInBits }

    /// Returns the public half of the key.
    func publicHalf(operation: String) throws(CryptoError) -> SwiftCryptoPublicKey {
        SwiftCryptoPublicKey(key.publicKey)
    }

    /// Returns the unencrypted PKCS#8 DER of the key.
    func encodedPKCS8(operation: String) throws(CryptoError) -> SecretBytes {
        guard let document = try? PEMDocument(pemString: key.pkcs8PEMRepresentation) else {
            throw CryptoError(.libraryFailure, operation: operation)
        }
        return SecretBytes(copying: document.derBytes)
    }

    /// Decrypts a ciphertext, which must be as long as the modulus, with RSAES-OAEP. Returns nil for any failure.
    func decryptOAEP(_ ciphertext: UnsafeRawBufferPointer) -> SecretBytes? {
        guard var message = try? key.decrypt(ciphertext, padding: .PKCS1_OAEP) else { return nil }
        return message.withUnsafeMutableBytes { message in
            defer { SecretBytes.wipe(message) }
            return SecretBytes(copying: UnsafeRawBufferPointer(message))
        }
    }
}
#endif
