#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// AES-128 with one key for many calls: the key schedule is computed once, and ``reset(iv:)`` starts a new chain or
/// counter. The type is intended for media, where a segment has thousands of short chains.
///
/// Input and output can be the same memory, but must not overlap otherwise. The context, with its key schedule, is
/// wiped when the value is destroyed.
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

    private let context: OpaquePointer
    private let mode: Mode
    private let direction: Direction

    /// Creates a cipher with a key of 16 bytes. The IV, or the counter block, is all zeros until ``reset(iv:)``.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key has another size.
    package init(_ mode: Mode, _ direction: Direction, key: SecretBytes) throws(CryptoError) {
        let cipher =
            switch mode {
            case .ecb: Cipher.aes128ECB
            case .cbc: Cipher.aes128CBC
            case .ctr: Cipher.aes128CTR
            }
        let operation = Self.operation(mode, direction)
        try requireSize(key.count, AES128.blockSize, of: "key", operation: operation)
        let zeros = SIMD16<UInt8>()
        context = try Cipher.makeContext(cipher, direction, key: key, iv: zeros, padding: false, operation: operation)
        self.mode = mode
        self.direction = direction
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Starts a new chain, or sets a new counter block, with the same key.
    package mutating func reset(iv: SIMD16<UInt8>) throws(CryptoError) {
        guard Cipher.reset(context, iv: iv) else {
            throw .fromLibrary(.libraryFailure, operation: Self.operation(mode, direction))
        }
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
        guard count >= 0, mode == .ctr || count.isMultiple(of: AES128.blockSize) else { throw wrongSize(count) }
        // This function is called for every 16 blocks of media, so short input has a fast path.
        var written: Int32 = 0
        guard count > Cipher.partSize else {
            let (input, output) = (
                input.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt8.self)
            )
            guard EVP_CipherUpdate(context, output, &written, input, Int32(count)) == 1, Int(written) == count else {
                throw .fromLibrary(.libraryFailure, operation: Self.operation(mode, direction))
            }
            return
        }
        let input = UnsafeRawBufferPointer(start: input, count: count)
        try Cipher.update(context, input, to: output, operation: Self.operation(mode, direction))
    }

    private func wrongSize(_ count: Int) -> CryptoError {
        let reason = "\(count) bytes, must be a multiple of \(AES128.blockSize)"
        return CryptoError(.invalidLength, operation: Self.operation(mode, direction), reason: reason)
    }

    private static func operation(_ mode: Mode, _ direction: Direction) -> String {
        let name =
            switch mode {
            case .ecb: "AES-128-ECB"
            case .cbc: "AES-128-CBC"
            case .ctr: "AES-128-CTR"
            }
        return name + (direction == .encrypt ? " encryption" : " decryption")
    }

    /// Encrypts or decrypts all bytes of `bytes` in place, continuing from the previous call.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the size is not a multiple of 16 in ECB and CBC.
    package mutating func update(inPlace bytes: inout MutableRawSpan) throws(CryptoError) {
        guard mode == .ctr || bytes.byteCount.isMultiple(of: AES128.blockSize) else { throw wrongSize(bytes.byteCount) }
        let (context, operation) = (context, Self.operation(mode, direction))
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            try Cipher.update(context, UnsafeRawBufferPointer(bytes), to: bytes.baseAddress, operation: operation)
        }
    }
}

/// AES-128-CBC with PKCS #7 padding (RFC 5652, 6.3) for data that is passed in parts of any size, such as whole media
/// segments.
///
/// Encryption appends 1 to 16 bytes of padding at the end; decryption checks and removes them. The output can be up to
/// 16 bytes shorter than the input so far. The context is wiped when the value is destroyed.
package struct AES128PaddedStream: ~Copyable {
    private let context: OpaquePointer
    private let direction: AES128Stream.Direction
    private let operation: String

    /// Creates a cipher with a key of 16 bytes and an IV.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key has another size.
    package init(_ direction: AES128Stream.Direction, key: SecretBytes, iv: SIMD16<UInt8>) throws(CryptoError) {
        operation = "AES-128-CBC " + (direction == .encrypt ? "encryption" : "decryption") + " with padding"
        self.direction = direction
        try requireSize(key.count, AES128.blockSize, of: "key", operation: operation)
        let cipher = Cipher.aes128CBC
        context = try Cipher.makeContext(cipher, direction, key: key, iv: iv, padding: true, operation: operation)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts or decrypts the next part and appends the complete blocks to `output`.
    package mutating func update(_ input: RawSpan, appendingTo output: inout [UInt8]) throws(CryptoError) {
        var done = 0
        while done < input.byteCount {
            let size = min(input.byteCount - done, Cipher.partSize)
            let part = input.extracting(done..<done + size)
            let context = context
            try append(to: &output, capacity: size + AES128.blockSize, failure: .libraryFailure) { out, written in
                part.withUnsafeBytes { part in
                    EVP_CipherUpdate(
                        context,
                        out.baseAddress,
                        &written,
                        part.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        Int32(size)
                    )
                }
            }
            done += size
        }
    }

    /// Finishes the message: appends the block with the padding, or the rest of the plaintext without its padding.
    ///
    /// - Throws: ``CryptoError/Code/decryptionFailed`` if the size of the ciphertext is not a positive multiple of 16
    ///   or the padding is wrong. The error does not reveal which of the two.
    package consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError) {
        let context = context
        let failure: CryptoError.Code = direction == .encrypt ? .libraryFailure : .decryptionFailed
        try append(to: &output, capacity: AES128.blockSize, failure: failure) { out, written in
            EVP_CipherFinal_ex(context, out.baseAddress, &written)
        }
    }

    private func append(
        to output: inout [UInt8],
        capacity: Int,
        failure: CryptoError.Code,
        _ body: (UnsafeMutableBufferPointer<UInt8>, inout Int32) -> Int32
    ) throws(CryptoError) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: capacity))
        var written: Int32 = 0
        let result = output.withUnsafeMutableBufferPointer { output in
            body(UnsafeMutableBufferPointer(rebasing: output[start...]), &written)
        }
        output.removeLast(capacity - (result == 1 ? Int(written) : 0))
        guard result == 1 else {
            guard failure == .decryptionFailed else { throw .fromLibrary(failure, operation: operation) }
            ERR_clear_error()
            throw CryptoError(failure, operation: operation)
        }
    }
}

extension Cipher {
    /// Returns a context with its key and IV set. The caller must free the context.
    fileprivate static func makeContext(
        _ cipher: OpaquePointer?,
        _ direction: AES128Stream.Direction,
        key: SecretBytes,
        iv: SIMD16<UInt8>,
        padding: Bool,
        operation: String
    ) throws(CryptoError) -> OpaquePointer {
        guard let cipher, let context = EVP_CIPHER_CTX_new() else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        let initialized = key.withUnsafeBytes { key in
            withUnsafeBytes(of: iv) { iv in
                EVP_CipherInit_ex2(
                    context,
                    cipher,
                    key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    iv.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    direction == .encrypt ? 1 : 0,
                    nil
                )
            }
        }
        guard initialized == 1, EVP_CIPHER_CTX_set_padding(context, padding ? 1 : 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        return context
    }

    /// Resets a context's IV and discards buffered input. Returns false if libcrypto fails.
    fileprivate static func reset(_ context: OpaquePointer, iv: SIMD16<UInt8>) -> Bool {
        withUnsafeBytes(of: iv) { iv in
            EVP_CipherInit_ex2(context, nil, nil, iv.baseAddress?.assumingMemoryBound(to: UInt8.self), -1, nil)
        } == 1
    }
}
#endif
