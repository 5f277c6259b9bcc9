import FPSCrypto
import KeyStore
import Testing

@Suite("Encrypted columns")
struct EncryptedColumnTests {
    private let key: KeyEncryptionKey
    private let secret = Sample.secret()
    private let place = EncryptedColumn(table: "content", column: "content_key", row: [[1, 2]], rowName: "a")

    init() throws { key = try KeyEncryptionKey.generate() }

    @Test("A value can be decrypted, and encrypting a secret twice gives different values")
    func roundTrip() throws {
        let first = try key.encrypt(secret, for: place)
        let second = try key.encrypt(secret, for: place)
        #expect(try key.decrypt(first, for: place) == secret)
        #expect(first != second)
        #expect(first.count == 9 + 12 + 16 + 16)
        #expect(Array(first[1..<9]) == key.id)
    }

    @Test("A value that was moved to another row, column or table cannot be decrypted")
    func movedValues() throws {
        let envelope = try key.encrypt(secret, for: place)
        let others = [
            EncryptedColumn(table: "content", column: "content_key", row: [[1, 3]], rowName: "b"),
            EncryptedColumn(table: "content", column: "content_key", row: [[1], [2]], rowName: "b"),
            EncryptedColumn(table: "content", column: "content_key", row: [[1, 2], []], rowName: "b"),
            EncryptedColumn(table: "content", column: "iv", row: [[1, 2]], rowName: "a"),
            EncryptedColumn(table: "contentc", column: "ontent_key", row: [[1, 2]], rowName: "a"),
        ]
        for other in others {
            #expect(throws: KeyStoreError(.corrupt, place: "")) { try key.decrypt(envelope, for: other) }
        }
    }

    @Test("Every flipped bit and every truncation is detected")
    func damage() throws {
        let envelope = try key.encrypt(secret, for: place)
        for index in envelope.indices {
            var damaged = envelope
            damaged[index] ^= 1
            #expect(throws: KeyStoreError.self) { try key.decrypt(damaged, for: place) }
            #expect(throws: KeyStoreError.self) { try key.decrypt(Array(envelope[..<index]), for: place) }
        }
        #expect(throws: KeyStoreError.self) { try key.decrypt(envelope + [0], for: place) }
    }

    @Test("A wrong key-encryption key has its own error")
    func wrongKey() throws {
        let envelope = try key.encrypt(secret, for: place)
        let other = try KeyEncryptionKey.generate()
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try other.decrypt(envelope, for: place) }
    }

    @Test("An error contains the table and the row")
    func errorNamesRow() throws {
        do {
            _ = try key.decrypt([1] + key.id, for: place)
            Issue.record("a value without content was decrypted")
        } catch {
            #expect("\(error)" == "corrupt in content a, content_key: the encrypted value cannot be decrypted")
        }
    }
}
