#if SwiftCrypto
import Crypto

/// The hash functions of swift-crypto.
enum Digest {
    enum Function {
        case sha1
        case sha256
    }

    static let sha1 = Function.sha1
    static let sha256 = Function.sha256

    static func compute(
        _ message: UnsafeRawBufferPointer,
        _ digest: Function,
        _ output: UnsafeMutableRawBufferPointer
    ) {
        switch digest {
        case .sha1:
            var hash = Insecure.SHA1()
            hash.update(bufferPointer: message)
            hash.finalize().withUnsafeBytes { output.copyMemory(from: $0) }
        case .sha256:
            var hash = Crypto.SHA256()
            hash.update(bufferPointer: message)
            hash.finalize().withUnsafeBytes { output.copyMemory(from: $0) }
        }
    }
}

/// SHA-256 (FIPS 180-4) of a message that is passed in parts, such as a file during its download.
package struct SHA256Stream: ~Copyable {
    private var hash = Crypto.SHA256()

    /// Creates a hash of an empty message.
    package init() {}

    /// Adds bytes to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    /// Returns the hash of all bytes, 32 bytes.
    package consuming func finish() -> [UInt8] { Array(hash.finalize()) }
}

/// HMAC with one hash function (RFC 2104, FIPS 198-1).
enum HMACFunction {
    case sha256
    case sha512

    /// The size of an authentication code in bytes.
    var size: Int { self == .sha256 ? 32 : 64 }

    /// Returns the authentication code of `message`. The key can have any size.
    func authenticate(_ message: some Collection<UInt8>, key: SecretBytes) -> [UInt8] {
        withContiguousBytes(message) { message in makeBytes(count: size) { compute(message, key, $0) } }
    }

    /// Returns the authentication code as a secret.
    func derive(_ message: some Collection<UInt8>, key: SecretBytes) -> SecretBytes {
        withContiguousBytes(message) { message in SecretBytes(count: size) { compute(message, key, $0) } }
    }

    private func compute(
        _ message: UnsafeRawBufferPointer,
        _ key: SecretBytes,
        _ output: UnsafeMutableRawBufferPointer
    ) {
        switch self {
        case .sha256:
            HMAC<Crypto.SHA256>.authenticationCode(for: message, using: key.symmetricKey)
                .withUnsafeBytes { output.copyMemory(from: $0) }
        case .sha512:
            HMAC<Crypto.SHA512>.authenticationCode(for: message, using: key.symmetricKey)
                .withUnsafeBytes { output.copyMemory(from: $0) }
        }
    }
}
#endif
