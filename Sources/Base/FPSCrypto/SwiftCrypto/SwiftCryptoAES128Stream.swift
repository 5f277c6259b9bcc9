#if SwiftCrypto
import Crypto
import CryptoExtras
import Foundation

/// AES-128 with one key for many calls; ``reset(iv:)`` starts a new chain or counter. The type is intended for media,
/// where a segment has thousands of short chains.
///
/// swift-crypto has no cipher that continues from a previous call, so this type stores the last block of the chain and
/// the counter. It is slower than the other backend, which caches the key schedule.
///
/// Input and output can be the same memory, but must not overlap otherwise.
package struct AES128Stream: ~Copyable {
    /// The modes of SP 800-38A that media encryption uses.
    package enum Mode: Sendable {
        /// Electronic codebook, 6.1: every block separately.
        case ecb
        /// Cipher block chaining, 6.2, without padding.
        case cbc
        /// Counter mode, 6.5: the counter block is incremented as one 128-bit big-endian number.
        case ctr
    }

    /// The direction of the transformation. Counter mode is the same in both directions.
    package enum Direction: Sendable {
        /// Ciphertext to plaintext.
        case decrypt
        /// Plaintext to ciphertext.
        case encrypt
    }

    private var chain: Chain

    /// Creates a cipher with a key of 16 bytes. The IV, or the counter block, is all zeros until ``reset(iv:)``.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key has another size.
    package init(_ mode: Mode, _ direction: Direction, key: SecretBytes) throws(CryptoError) {
        let name =
            switch mode {
            case .ecb: "AES-128-ECB"
            case .cbc: "AES-128-CBC"
            case .ctr: "AES-128-CTR"
            }
        let operation = name + (direction == .encrypt ? " encryption" : " decryption")
        try requireSize(key.count, AES128.blockSize, of: "key", operation: operation)
        chain = Chain(mode: mode, direction: direction, key: key.symmetricKey, operation: operation)
    }

    /// Starts a new chain, or sets a new counter block, with the same key.
    package mutating func reset(iv: SIMD16<UInt8>) throws(CryptoError) {
        (chain.iv, chain.used) = (iv, 0)
    }

    /// Encrypts or decrypts `count` bytes, continuing from the previous call. The caller guarantees that `count` bytes
    /// are valid at both pointers. ECB and CBC accept only whole blocks.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if `count` is negative or not a multiple of 16 in ECB and CBC.
    package mutating func update(
        _ input: UnsafeRawPointer,
        to output: UnsafeMutableRawPointer,
        count: Int
    ) throws(CryptoError) {
        guard count >= 0, chain.mode == .ctr || count.isMultiple(of: AES128.blockSize) else { throw wrongSize(count) }
        try chain.pass(UnsafeRawBufferPointer(start: input, count: count), to: output)
    }

    /// Encrypts or decrypts all bytes of `bytes` in place, continuing from the previous call.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the size is not a multiple of 16 in ECB and CBC.
    package mutating func update(inPlace bytes: inout MutableRawSpan) throws(CryptoError) {
        let count = bytes.byteCount
        guard chain.mode == .ctr || count.isMultiple(of: AES128.blockSize) else { throw wrongSize(count) }
        var next = chain
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            try next.pass(UnsafeRawBufferPointer(bytes), to: bytes.baseAddress)
        }
        chain = next
    }

    private func wrongSize(_ count: Int) -> CryptoError {
        let reason = "\(count) bytes, must be a multiple of \(AES128.blockSize)"
        return CryptoError(.invalidLength, operation: chain.operation, reason: reason)
    }
}

/// AES-128-CBC with PKCS #7 padding (RFC 5652, 6.3) for data that is passed in parts of any size, such as whole media
/// segments.
///
/// Encryption appends 1 to 16 bytes of padding at the end; decryption checks and removes them. The output can be up to
/// 16 bytes shorter than the input so far.
package struct AES128PaddedStream: ~Copyable {
    private var chain: Chain
    /// The buffered input: less than a block, or up to a whole block in decryption, because this can be the last block,
    /// which contains padding.
    private var rest: [UInt8] = []

    /// Creates a cipher with a key of 16 bytes and an IV.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key has another size.
    package init(_ direction: AES128Stream.Direction, key: SecretBytes, iv: SIMD16<UInt8>) throws(CryptoError) {
        let operation = "AES-128-CBC " + (direction == .encrypt ? "encryption" : "decryption") + " with padding"
        try requireSize(key.count, AES128.blockSize, of: "key", operation: operation)
        chain = Chain(mode: .cbc, direction: direction, key: key.symmetricKey, iv: iv, operation: operation)
    }

    /// Encrypts or decrypts the next part and appends the complete blocks to `output`.
    package mutating func update(_ input: RawSpan, appendingTo output: inout [UInt8]) throws(CryptoError) {
        input.withUnsafeBytes { rest.append(contentsOf: $0) }
        let reserved = chain.direction == .encrypt ? 0 : min(rest.count, 1)
        let whole = (rest.count - reserved) / AES128.blockSize * AES128.blockSize
        try pass(whole, appendingTo: &output)
        rest.removeFirst(whole)
    }

    /// Finishes the message: appends the block with the padding, or the rest of the plaintext without its padding.
    ///
    /// - Throws: ``CryptoError/Code/decryptionFailed`` if the size of the ciphertext is not a positive multiple of 16
    ///   or the padding is wrong. The error does not reveal which of the two.
    package consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError) {
        let failure: CryptoError.Code = chain.direction == .encrypt ? .libraryFailure : .decryptionFailed
        do {
            let iv = try withUnsafeBytes(of: chain.iv) { try AES._CBC.IV(ivBytes: $0) }
            output +=
                chain.direction == .encrypt
                ? try AES._CBC.encrypt(rest, using: chain.key, iv: iv)
                : try AES._CBC.decrypt(rest, using: chain.key, iv: iv)
        } catch {
            throw CryptoError(failure, operation: chain.operation)
        }
    }

    private mutating func pass(_ count: Int, appendingTo output: inout [UInt8]) throws(CryptoError) {
        var next = chain
        let part = rest
        output += try part.withUnsafeBufferPointer { part throws(CryptoError) in
            try makeBytes(count: count) { out throws(CryptoError) in
                try next.pass(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(part)[..<count]),
                    to: out.baseAddress
                )
            }
        }
        chain = next
    }
}

/// The state of a cipher between two calls.
private struct Chain {
    let mode: AES128Stream.Mode
    let direction: AES128Stream.Direction
    let key: SymmetricKey
    /// The IV or the last block of ciphertext; the counter block in counter mode.
    var iv = SIMD16<UInt8>()
    /// The number of used bytes of the counter block's keystream.
    var used = 0
    let operation: String

    /// Encrypts or decrypts bytes. `output` can be the memory of `input`.
    mutating func pass(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer?) throws(CryptoError) {
        guard !input.isEmpty, let output else { return }
        guard mode != .ctr else { return try count(input, to: output) }
        let lastInput = input.loadUnaligned(fromByteOffset: input.count - AES128.blockSize, as: SIMD16<UInt8>.self)
        try transform(mode == .ecb ? .ecb : .cbc, input, to: output)
        let lastOutput = UnsafeRawPointer(output)
            .loadUnaligned(fromByteOffset: input.count - AES128.blockSize, as: SIMD16<UInt8>.self)
        iv = direction == .encrypt ? lastOutput : lastInput
    }

    /// Encrypts or decrypts bytes in counter mode. The library's counter mode starts with a whole block, so the used
    /// part of a block is processed again.
    private mutating func count(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) throws(CryptoError)
    {
        let total = used + input.count
        var bytes = [UInt8](repeating: 0, count: used) + input
        try bytes.withUnsafeMutableBufferPointer { bytes throws(CryptoError) in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            try transform(.ctr, UnsafeRawBufferPointer(bytes), to: bytes.baseAddress)
            UnsafeMutableRawBufferPointer(start: output, count: input.count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used...]))
            SecretBytes.wipe(bytes)
        }
        used = total % AES128.blockSize
        var carry = total / AES128.blockSize
        for index in iv.indices.reversed() where carry > 0 {
            carry += Int(iv[index])
            iv[index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
    }

    private func transform(
        _ mode: Cipher.Mode,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?
    ) throws(CryptoError) {
        let cipherDirection = direction == .encrypt ? Cipher.Direction.encrypt : .decrypt
        try withUnsafeBytes(of: iv) { iv throws(CryptoError) in
            try Cipher.transform(mode, cipherDirection, input, to: output, key: key, iv: iv, operation: operation)
        }
    }
}
#endif
