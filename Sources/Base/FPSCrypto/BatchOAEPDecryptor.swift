/// A decryptor that decrypts several RSA-OAEP messages with one key in a batch, which is faster than decrypting them
/// one after the other.
///
/// The key server module accepts a decryptor in its configuration; the server selects one that the CPU supports.
public protocol BatchOAEPDecryptor: Sendable {
    /// The number of messages to decrypt in one batch for the best throughput.
    var batchSize: Int { get }

    /// Decrypts each message as ``RSAPrivateKey/decryptOAEP(_:)`` does. The results are in the order of the messages.
    func decryptOAEP(_ ciphertexts: [[UInt8]], with key: RSAPrivateKey) -> [Result<SecretBytes, CryptoError>]
}
