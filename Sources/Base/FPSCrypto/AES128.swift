/// AES with a 128-bit key (FIPS 197) in the two modes of FairPlay Streaming's messages: single blocks (ECB) and cipher
/// block chaining without padding (SP 800-38A, 6.1 and 6.2).
///
/// Keys have 16 bytes. The functions whose name ends in `Secret` return ``SecretBytes``, for results that are keys. All
/// functions throw ``CryptoError/Code/invalidLength`` if a size is wrong.
public enum AES128 {
    /// The size of a block, of a key and of an initialization vector, in bytes.
    public static let blockSize = 16

    // MARK: Single blocks

    /// Encrypts one block of 16 bytes.
    public static func encryptBlock(
        _ block: some Collection<UInt8>,
        key: SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try withContiguousBytes(block) { block throws(CryptoError) in
            try bytes { out throws(CryptoError) in try oneBlock(.encrypt, block, to: out, key: key) }
        }
    }

    /// Encrypts one secret of 16 bytes, such as a content key.
    public static func encryptBlock(_ block: SecretBytes, key: SecretBytes) throws(CryptoError) -> [UInt8] {
        try block.withUnsafeBytes { block throws(CryptoError) in
            try bytes { out throws(CryptoError) in try oneBlock(.encrypt, block, to: out, key: key) }
        }
    }

    /// Encrypts one block of 16 bytes to a secret, such as a key that is derived from a seed.
    public static func encryptBlockSecret(
        _ block: some Collection<UInt8>,
        key: SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(block) { block throws(CryptoError) in
            try secret { out throws(CryptoError) in try oneBlock(.encrypt, block, to: out, key: key) }
        }
    }

    /// Decrypts one block of 16 bytes.
    public static func decryptBlock(
        _ block: some Collection<UInt8>,
        key: SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try withContiguousBytes(block) { block throws(CryptoError) in
            try bytes { out throws(CryptoError) in try oneBlock(.decrypt, block, to: out, key: key) }
        }
    }

    /// Decrypts one block of 16 bytes that contains a secret.
    public static func decryptBlockSecret(
        _ block: some Collection<UInt8>,
        key: SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(block) { block throws(CryptoError) in
            try secret { out throws(CryptoError) in try oneBlock(.decrypt, block, to: out, key: key) }
        }
    }

    // MARK: Cipher block chaining

    /// Encrypts bytes whose count is a multiple of 16 and can be 0.
    public static func encryptCBC(
        _ data: some Collection<UInt8>,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try withContiguousBytes(data) { data throws(CryptoError) in
            try makeBytes(count: data.count) { out throws(CryptoError) in
                try chain(.encrypt, data, to: out, key: key, iv: iv)
            }
        }
    }

    /// Encrypts a secret whose size is a multiple of 16 bytes and can be 0.
    public static func encryptCBC(
        _ data: SecretBytes,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try data.withUnsafeBytes { data throws(CryptoError) in
            try makeBytes(count: data.count) { out throws(CryptoError) in
                try chain(.encrypt, data, to: out, key: key, iv: iv)
            }
        }
    }

    /// Encrypts a part of `data`, or all of it, in place. The size of the part must be a multiple of 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength``, also if `range` is not within `data`, which is unchanged then.
    public static func encryptCBC(
        inPlace data: inout [UInt8],
        range: Range<Int>? = nil,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) {
        let range = range ?? 0..<data.count
        guard range.lowerBound >= 0, range.upperBound <= data.count else {
            throw CryptoError(
                .invalidLength,
                operation: operationCBC(.encrypt),
                reason:
                    "bytes \(range.lowerBound)..<\(range.upperBound) are not within the \(data.count) bytes of data"
            )
        }
        try data.withUnsafeMutableBufferPointer { data throws(CryptoError) in
            let part = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: data[range]))
            try chain(.encrypt, UnsafeRawBufferPointer(part), to: part, key: key, iv: iv)
        }
    }

    /// Decrypts bytes whose count is a multiple of 16 and can be 0.
    public static func decryptCBC(
        _ data: some Collection<UInt8>,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try withContiguousBytes(data) { data throws(CryptoError) in
            try makeBytes(count: data.count) { out throws(CryptoError) in
                try chain(.decrypt, data, to: out, key: key, iv: iv)
            }
        }
    }

    /// Decrypts a secret whose size is a multiple of 16 bytes and can be 0.
    public static func decryptCBCSecret(
        _ data: some Collection<UInt8>,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(data) { data throws(CryptoError) in
            try SecretBytes(count: data.count) { out throws(CryptoError) in
                try chain(.decrypt, data, to: out, key: key, iv: iv)
            }
        }
    }

    // MARK: Counter mode

    /// Encrypts or decrypts any number of bytes in counter mode (SP 800-38A, 6.5). `counter` is the first counter block
    /// of 16 bytes, which is incremented as one 128-bit big-endian number.
    public static func encryptCTR(
        _ data: some Collection<UInt8>,
        key: SecretBytes,
        counter: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        let operation = "AES-128-CTR"
        try requireSize(key.count, blockSize, of: "key", operation: operation)
        try requireSize(counter.count, blockSize, of: "counter block", operation: operation)
        return try withContiguousBytes(data) { data throws(CryptoError) in
            try withContiguousBytes(counter) { counter throws(CryptoError) in
                try makeBytes(count: data.count) { out throws(CryptoError) in
                    let (cipher, out) = (Cipher.aes128CTR, out.baseAddress)
                    try Cipher.transform(cipher, .encrypt, data, to: out, key: key, iv: counter, operation: operation)
                }
            }
        }
    }

    // MARK: Common implementation

    private static func bytes(
        _ body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
    ) throws(CryptoError) -> [UInt8] {
        try makeBytes(count: blockSize, body)
    }

    private static func secret(
        _ body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
    ) throws(CryptoError) -> SecretBytes {
        try SecretBytes(count: blockSize, initializingWith: body)
    }

    private static func oneBlock(
        _ direction: Cipher.Direction,
        _ block: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer,
        key: SecretBytes
    ) throws(CryptoError) {
        let operation = direction == .encrypt ? "AES-128 block encryption" : "AES-128 block decryption"
        try requireSize(key.count, blockSize, of: "key", operation: operation)
        try requireSize(block.count, blockSize, of: "block", operation: operation)
        let cipher = Cipher.aes128ECB
        try Cipher.transform(cipher, direction, block, to: output.baseAddress, key: key, iv: nil, operation: operation)
    }

    private static func chain(
        _ direction: Cipher.Direction,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) {
        let operation = operationCBC(direction)
        try requireSize(key.count, blockSize, of: "key", operation: operation)
        try requireSize(iv.count, blockSize, of: "initialization vector", operation: operation)
        guard input.count.isMultiple(of: blockSize) else {
            let reason = "data: \(input.count) bytes, must be a multiple of \(blockSize)"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
        let out = output.baseAddress
        try withContiguousBytes(iv) { iv throws(CryptoError) in
            let cipher = Cipher.aes128CBC
            try Cipher.transform(cipher, direction, input, to: out, key: key, iv: iv, operation: operation)
        }
    }

    private static func operationCBC(_ direction: Cipher.Direction) -> String {
        direction == .encrypt ? "AES-128-CBC encryption" : "AES-128-CBC decryption"
    }
}
