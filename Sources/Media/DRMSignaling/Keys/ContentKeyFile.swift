public import FPSCrypto

/// The key file of Apple's HLS tools.
///
///     key                     16 bytes
///     initialization vector   16 bytes
///
/// The file is binary and contains no key ID.
public struct ContentKeyFile: Sendable, Equatable {
    /// The size of the file in bytes.
    public static let size = 32

    /// The key, 16 bytes.
    public let key: SecretBytes
    /// The initialization vector, 16 bytes.
    public let iv: SecretBytes

    /// Parses the content of a file.
    ///
    /// - Parameters:
    ///   - content: The content of the file.
    ///   - name: The name of the file, for errors.
    /// - Throws: `invalid-key` if the size is not 32 bytes.
    public init(_ content: SecretBytes, name: String = "key file") throws(SignalingError) {
        guard content.count == Self.size else {
            throw SignalingError(
                .invalidKey,
                name,
                "a key file must have 32 bytes (16-byte key, 16-byte IV), but this file has \(content.count)"
                    + (Self.likelyCause(content.count).map { ": " + $0 } ?? "")
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

    /// Returns the likely cause of a wrong size.
    private static func likelyCause(_ size: Int) -> String? {
        switch size {
        case 16: "if the file contains only the key, append the IV"
        case 33: "if the file ends with a line break, remove it"
        case 64, 65: "if the file contains hexadecimal digits, convert them to binary"
        default: nil
        }
    }
}
