/// Something that decrypts several RSA-OAEP messages of one key at once, faster than one after the other.
///
/// The key server module takes one; what the machine offers is for the server to find out.
public protocol BatchOAEPDecryptor: Sendable {
    /// How many messages are best decrypted at once.
    var batchSize: Int { get }

    /// Decrypts each message as ``RSAPrivateKey/decryptOAEP(_:)`` does. The results are in the order of the messages.
    func decryptOAEP(_ ciphertexts: [[UInt8]], with key: RSAPrivateKey) -> [Result<SecretBytes, CryptoError>]
}
