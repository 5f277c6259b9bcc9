public import FPSCrypto
import TextCoding

/// A content key as a packager holds it: its ID, its 16 bytes, and the IV where that is fixed.
public struct PackagingKey: Sendable, Equatable {
    /// Which key it is.
    public let keyID: ContentKeyID
    /// AES-128: 16 bytes.
    public let key: SecretBytes
    /// The initialization vector that goes with the key, 16 bytes, which FairPlay hands out beside it; nil when the media
    /// have their own.
    public let iv: SecretBytes?

    /// Makes a key.
    ///
    /// - Throws: `invalid-key` when the key or the IV does not have 16 bytes.
    public init(keyID: ContentKeyID, key: SecretBytes, iv: SecretBytes?) throws(SignalingError) {
        for (field, secret) in [("key", key), ("initialization vector", iv)] {
            guard let secret, secret.count != 16 else { continue }
            throw SignalingError(.invalidKey, field, "it has 16 bytes, not \(secret.count)")
        }
        self.keyID = keyID
        self.key = key
        self.iv = iv
    }

    /// Makes a key from the content of Apple's key file, which names none.
    public init(keyID: ContentKeyID, file: ContentKeyFile) {
        self.keyID = keyID
        key = file.key
        iv = file.iv
    }

    /// A new key with an IV. Its ID is a UUID of version 4 (RFC 9562, 5.4).
    ///
    /// - Parameter generator: `SecureRandom` for every real key.
    public init(randomFrom generator: inout some RandomNumberGenerator) {
        keyID = ContentKeyID(randomFrom: &generator)
        key = SecretBytes(count: 16, randomFrom: &generator)
        iv = SecretBytes(count: 16, randomFrom: &generator)
    }

    /// Reads a key from three options, each in hexadecimal.
    ///
    /// - Throws: `invalid-key`, which names the option.
    public init(keyID: String, key: String, iv: String?) throws(SignalingError) {
        self.keyID = try ContentKeyID(parsing: keyID, field: "--key-id")
        self.key = try Self.secret(key, "--key")
        self.iv = if let iv { try Self.secret(iv, "--iv") } else { nil }
    }

    /// Reads `KID:KEY` or `KID:KEY:IV`, each in hexadecimal.
    ///
    /// - Parameter option: What an error calls it.
    /// - Throws: `invalid-key`, which names the part.
    public init(parsing text: String, option: String = "--key") throws(SignalingError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else {
            throw SignalingError(
                .invalidKey,
                option,
                "write KID:KEY or KID:KEY:IV, each in hexadecimal; there \(parts.count == 1 ? "is" : "are") "
                    + "\(parts.count) part\(parts.count == 1 ? "" : "s") between the colons"
            )
        }
        keyID = try ContentKeyID(parsing: parts[0], field: "KID of \(option)")
        key = try Self.secret(parts[1], "KEY of \(option)")
        iv = parts.count == 3 ? try Self.secret(parts[2], "IV of \(option)") : nil
    }

    /// Keys by their IDs.
    ///
    /// - Throws: `duplicate-key-id` when one ID has two keys; the same key twice is no mistake.
    public static func index(_ keys: [PackagingKey]) throws(SignalingError) -> [ContentKeyID: PackagingKey] {
        var index: [ContentKeyID: PackagingKey] = [:]
        for key in keys {
            guard index[key.keyID] == nil || index[key.keyID] == key else {
                throw SignalingError(
                    .duplicateKeyID,
                    "key \(key.keyID)",
                    "it is given twice, with different keys or IVs: leave one out"
                )
            }
            index[key.keyID] = key
        }
        return index
    }

    /// Reads 32 hexadecimal digits, with `0x` before them or not. The text is never repeated.
    private static func secret(_ text: some StringProtocol, _ field: String) throws(SignalingError) -> SecretBytes {
        let digits = Hexadecimal.digits(of: text)
        guard digits.count == 32 else {
            throw SignalingError(
                .invalidKey,
                field,
                "16 bytes are 32 hexadecimal digits; \(digits.count) characters found"
            )
        }
        var areDigits = true
        let secret = SecretBytes(count: 16) { memory in
            for (place, digit) in digits.enumerated() {
                guard let value = Hexadecimal.value(of: digit) else {
                    areDigits = false
                    return
                }
                memory[place / 2] = memory[place / 2] << 4 | value
            }
        }
        guard areDigits else {
            throw SignalingError(.invalidKey, field, "not hexadecimal: write 0 to 9 and a to f")
        }
        return secret
    }
}
