#if SwiftCrypto
import Crypto
import CryptoExtras
import Foundation

/// The unauthenticated modes of AES, implemented with swift-crypto.
enum Cipher {
    enum Mode {
        case ecb
        case cbc
        case ctr
    }

    // The size of the key determines the variant of AES.
    static let aes128ECB = Mode.ecb
    static let aes128CBC = Mode.cbc
    static let aes128CTR = Mode.ctr
    static let aes256CBC = Mode.cbc

    enum Direction {
        case decrypt
        case encrypt
    }

    /// Encrypts or decrypts whole blocks, or any number of bytes in counter mode. `output` can be the memory of
    /// `input`.
    static func transform(
        _ mode: Mode,
        _ direction: Direction,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?,
        key: SecretBytes,
        iv: UnsafeRawBufferPointer?,
        operation: String
    ) throws(CryptoError) {
        try transform(mode, direction, input, to: output, key: key.symmetricKey, iv: iv, operation: operation)
    }

    /// Encrypts or decrypts in the same way with a key of the library's type.
    static func transform(
        _ mode: Mode,
        _ direction: Direction,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?,
        key: SymmetricKey,
        iv: UnsafeRawBufferPointer?,
        operation: String
    ) throws(CryptoError) {
        guard let output, !input.isEmpty else { return }
        let iv = iv.map(Array.init) ?? []
        do {
            var result =
                switch (mode, direction) {
                case (.ecb, _): try blocks(direction, input, key: key)
                case (.cbc, .encrypt):
                    try AES._CBC.encrypt(input, using: key, iv: AES._CBC.IV(ivBytes: iv), noPadding: true)
                case (.cbc, .decrypt):
                    try AES._CBC.decrypt(input, using: key, iv: AES._CBC.IV(ivBytes: iv), noPadding: true)
                case (.ctr, _):
                    try AES._CTR.encrypt(input, using: key, nonce: AES._CTR.Nonce(nonceBytes: iv))
                }
            result.withUnsafeMutableBytes { result in
                output.copyMemory(from: UnsafeRawPointer(result.baseAddress ?? output), byteCount: input.count)
                SecretBytes.wipe(result)
            }
        } catch {
            throw CryptoError(.libraryFailure, operation: operation)
        }
    }

    private static func blocks(_ direction: Direction, _ input: UnsafeRawBufferPointer, key: SymmetricKey) throws
        -> Data
    {
        var result = Data(capacity: input.count)
        var block = [UInt8](repeating: 0, count: AES128.blockSize)
        for start in stride(from: 0, to: input.count, by: AES128.blockSize) {
            block.replaceSubrange(0..., with: input[start..<start + AES128.blockSize])
            switch direction {
            case .encrypt: try AES.permute(&block, key: key)
            case .decrypt: try AES.inversePermute(&block, key: key)
            }
            result.append(contentsOf: block)
        }
        block.withUnsafeMutableBytes { SecretBytes.wipe($0) }
        return result
    }
}

extension AES256GCM {
    /// Writes the nonce, the ciphertext and the tag to `out`, which has exactly this size.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        to out: UnsafeMutableRawBufferPointer,
        key: SecretBytes,
        authenticating associatedData: UnsafeRawBufferPointer,
        operation: String
    ) throws(CryptoError) {
        do {
            let box = try AES.GCM.seal(plaintext, using: key.symmetricKey, authenticating: associatedData)
            out.copyBytes(from: [Data(box.nonce), box.ciphertext, box.tag].joined())
        } catch {
            throw CryptoError(.libraryFailure, operation: operation)
        }
    }

    /// Writes the plaintext to `out`, which has exactly this size.
    static func open(
        _ sealed: UnsafeRawBufferPointer,
        to out: UnsafeMutableRawBufferPointer,
        key: SecretBytes,
        authenticating associatedData: UnsafeRawBufferPointer,
        operation: String
    ) throws(CryptoError) {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            var plaintext = try AES.GCM.open(box, using: key.symmetricKey, authenticating: associatedData)
            plaintext.withUnsafeMutableBytes { plaintext in
                out.copyMemory(from: UnsafeRawBufferPointer(plaintext))
                SecretBytes.wipe(plaintext)
            }
        } catch {
            throw CryptoError(.authenticationFailed, operation: operation)
        }
    }
}
#endif
