#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// AES-128 under one key for many calls: the key schedule is made once, and a chain or a counter starts anew with
/// ``reset(iv:)``. For media, where a segment has thousands of short chains.
///
/// Input and output may be the same memory, but must not overlap otherwise. The context, with its key schedule, is
/// wiped when the value goes.
package struct AES128Stream: ~Copyable {
    /// The modes of SP 800-38A that media encryption uses.
    package enum Mode: Sendable {
        /// Single blocks, 6.1: every block on its own.
        case ecb
        /// Cipher block chaining, 6.2, without padding.
        case cbc
        /// Counter mode, 6.5: the counter block counts up as one 128-bit big-endian number.
        case ctr
    }

    /// What is done to the bytes. Counter mode does the same for both.
    package enum Direction: Sendable {
        /// Ciphertext to plaintext.
        case decrypt
        /// Plaintext to ciphertext.
        case encrypt
    }

    private let context: OpaquePointer
    private let mode: Mode
    private let direction: Direction

    /// Sets up the key of 16 bytes. The IV, or the counter block, is all zeros until ``reset(iv:)``.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` for another size of the key.
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

    /// Starts a new chain, or counts from a new counter block, under the same key.
    package mutating func reset(iv: SIMD16<UInt8>) throws(CryptoError) {
        guard Cipher.reset(context, iv: iv) else {
            throw .fromLibrary(.libraryFailure, operation: Self.operation(mode, direction))
        }
    }

    /// Passes `count` bytes through, going on from the call before. The caller holds that `count` bytes lie at both
    /// pointers. ECB and CBC take whole blocks only.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if `count` is negative or not a multiple of 16 in ECB and CBC.
    package mutating func update(
        _ input: UnsafeRawPointer,
        to output: UnsafeMutableRawPointer,
        count: Int
    ) throws(CryptoError) {
        guard count >= 0, mode == .ctr || count.isMultiple(of: AES128.blockSize) else { throw wrongSize(count) }
        // Called for every 16 blocks of media, so a short input takes the shortest way.
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

    /// Passes all bytes of `bytes` through where they lie, going on from the call before.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if ECB or CBC is given other than whole blocks.
    package mutating func update(inPlace bytes: inout MutableRawSpan) throws(CryptoError) {
        guard mode == .ctr || bytes.byteCount.isMultiple(of: AES128.blockSize) else { throw wrongSize(bytes.byteCount) }
        let (context, operation) = (context, Self.operation(mode, direction))
        try bytes.withUnsafeMutableBytes { bytes throws(CryptoError) in
            try Cipher.update(context, UnsafeRawBufferPointer(bytes), to: bytes.baseAddress, operation: operation)
        }
    }
}

/// AES-128-CBC with PKCS #7 padding (RFC 5652, 6.3) over bytes that come in parts of any size: whole media segments.
///
/// Encryption appends 1 to 16 bytes of padding at the end; decryption checks and drops them. The output of a part may
/// lag behind by up to 16 bytes. The context is wiped when the value goes.
package struct AES128PaddedStream: ~Copyable {
    private let context: OpaquePointer
    private let direction: AES128Stream.Direction
    private let operation: String

    /// Sets up the key of 16 bytes and the IV.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` for another size of the key.
    package init(_ direction: AES128Stream.Direction, key: SecretBytes, iv: SIMD16<UInt8>) throws(CryptoError) {
        operation = "AES-128-CBC " + (direction == .encrypt ? "encryption" : "decryption") + " with padding"
        self.direction = direction
        try requireSize(key.count, AES128.blockSize, of: "key", operation: operation)
        let cipher = Cipher.aes128CBC
        context = try Cipher.makeContext(cipher, direction, key: key, iv: iv, padding: true, operation: operation)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Passes the next part through and appends to `output` what is complete.
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

    /// Ends the message: appends the padding's block, or the rest of the plaintext without its padding.
    ///
    /// - Throws: ``CryptoError/Code/decryptionFailed`` when the ciphertext is not a positive multiple of 16 bytes or
    ///   the padding is wrong. Which of the two is not said.
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
    /// Makes a context with its key and IV set. The caller frees it.
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

    /// Sets a context's IV again and drops what it held back. False: libcrypto refuses.
    fileprivate static func reset(_ context: OpaquePointer, iv: SIMD16<UInt8>) -> Bool {
        withUnsafeBytes(of: iv) { iv in
            EVP_CipherInit_ex2(context, nil, nil, iv.baseAddress?.assumingMemoryBound(to: UInt8.self), -1, nil)
        } == 1
    }
}
#endif
