public import FPSCrypto
import TextCoding

/// A content key of a packager: its ID, the key of 16 bytes, and the IV if it is constant.
public struct PackagingKey: Sendable, Equatable {
    /// The key ID.
    public let keyID: ContentKeyID
    /// The AES-128 key of 16 bytes.
    public let key: SecretBytes
    /// The initialization vector of 16 bytes, which a FairPlay key server returns with the key; nil if the media
    /// contain their IVs.
    public let iv: SecretBytes?

    /// Creates a key.
    ///
    /// - Throws: `invalid-key` if the key or the IV does not have 16 bytes.
    public init(keyID: ContentKeyID, key: SecretBytes, iv: SecretBytes?) throws(SignalingError) {
        for (field, secret) in [("key", key), ("initialization vector", iv)] {
            guard let secret, secret.count != 16 else { continue }
            throw SignalingError(.invalidKey, field, "must have 16 bytes, but has \(secret.count)")
        }
        self.keyID = keyID
        self.key = key
        self.iv = iv
    }

    /// Creates a key from the content of Apple's key file, which contains no key ID.
    public init(keyID: ContentKeyID, file: ContentKeyFile) {
        self.keyID = keyID
        key = file.key
        iv = file.iv
    }

    /// Generates a key with an IV. The key ID is a version 4 UUID (RFC 9562, 5.4).
    ///
    /// - Parameter generator: The random number generator, which must be `SecureRandom` except in tests.
    public init(randomFrom generator: inout some RandomNumberGenerator) {
        keyID = ContentKeyID(randomFrom: &generator)
        key = SecretBytes(count: 16, randomFrom: &generator)
        iv = SecretBytes(count: 16, randomFrom: &generator)
    }

    /// Parses a key from three options, each in hexadecimal.
    ///
    /// - Throws: `invalid-key` with the name of the option.
    public init(keyID: String, key: String, iv: String?) throws(SignalingError) {
        self.keyID = try ContentKeyID(parsing: keyID, field: "--key-id")
        self.key = try Self.secret(key, "--key")
        self.iv = if let iv { try Self.secret(iv, "--iv") } else { nil }
    }

    /// Parses `KID:KEY` or `KID:KEY:IV`, each in hexadecimal.
    ///
    /// - Parameter option: The name of the option, for errors.
    /// - Throws: `invalid-key` with the name of the part.
    public init(parsing text: String, option: String = "--key") throws(SignalingError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else {
            throw SignalingError(
                .invalidKey,
                option,
                "expected KID:KEY or KID:KEY:IV, each in hexadecimal; found \(parts.count) "
                    + "part\(parts.count == 1 ? "" : "s") separated by colons"
            )
        }
        keyID = try ContentKeyID(parsing: parts[0], field: "KID of \(option)")
        key = try Self.secret(parts[1], "KEY of \(option)")
        iv = parts.count == 3 ? try Self.secret(parts[2], "IV of \(option)") : nil
    }

    /// Indexes keys by their IDs.
    ///
    /// - Throws: `duplicate-key-id` if two different keys have the same ID; the same key may be listed more than once.
    public static func index(_ keys: [PackagingKey]) throws(SignalingError) -> [ContentKeyID: PackagingKey] {
        var index: [ContentKeyID: PackagingKey] = [:]
        for key in keys {
            guard index[key.keyID] == nil || index[key.keyID] == key else {
                throw SignalingError(
                    .duplicateKeyID,
                    "key \(key.keyID)",
                    "the key ID is given twice with different keys or IVs: remove one"
                )
            }
            index[key.keyID] = key
        }
        return index
    }

    /// Parses 32 hexadecimal digits, optionally after `0x`. Errors do not contain the text.
    private static func secret(_ text: some StringProtocol, _ field: String) throws(SignalingError) -> SecretBytes {
        let digits = Hexadecimal.digits(of: text)
        guard digits.count == 32 else {
            throw SignalingError(
                .invalidKey,
                field,
                "expected 32 hexadecimal digits (16 bytes); found \(digits.count) characters"
            )
        }
        var areDigits = true
        let secret = SecretBytes(count: 16) { memory in
            for (index, digit) in digits.enumerated() {
                guard let value = Hexadecimal.value(of: digit) else {
                    areDigits = false
                    return
                }
                memory[index / 2] = memory[index / 2] << 4 | value
            }
        }
        guard areDigits else {
            throw SignalingError(.invalidKey, field, "not hexadecimal: use only the digits 0 to 9 and a to f")
        }
        return secret
    }
}
