public import FPSCrypto

/// The key file of Apple's packaging tools.
///
///     key                     16 bytes
///     initialization vector   16 bytes
///
/// It is binary, and has no key ID.
public struct ContentKeyFile: Sendable, Equatable {
    /// The size of a file in bytes.
    public static let size = 32

    /// The key, 16 bytes.
    public let key: SecretBytes
    /// The initialization vector, 16 bytes.
    public let iv: SecretBytes

    /// Takes the content of a file apart.
    ///
    /// - Parameters:
    ///   - content: The whole file.
    ///   - name: What an error calls it.
    /// - Throws: `invalid-key` for any other size than 32 bytes.
    public init(_ content: SecretBytes, name: String = "key file") throws(SignalingError) {
        guard content.count == Self.size else {
            throw SignalingError(
                .invalidKey,
                name,
                "a key file has 32 bytes, 16 of the key and 16 of the IV; this one has \(content.count)"
                    + (Self.likelyMistake(content.count).map { ": " + $0 } ?? "")
            )
        }
        key = content[0..<16]
        iv = content[16..<32]
    }

    /// The content of a file, 32 bytes.
    public var content: SecretBytes {
        SecretBytes(count: Self.size) { memory in
            key.withUnsafeBytes { memory.copyMemory(from: $0) }
            iv.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: memory[16...]).copyMemory(from: $0) }
        }
    }

    /// What a size gives away.
    private static func likelyMistake(_ size: Int) -> String? {
        switch size {
        case 16: "a key alone? Put the IV behind it"
        case 33: "a line break at the end? Write the file without it"
        case 64, 65: "hexadecimal digits? Write the bytes themselves"
        default: nil
        }
    }
}
