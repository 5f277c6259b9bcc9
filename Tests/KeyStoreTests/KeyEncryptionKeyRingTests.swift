import Synchronization
import Testing

@testable import KeyStore

@Suite("The key ring of a running store")
struct KeyEncryptionKeyRingTests {
    /// A source whose keys change.
    private final class Source: Sendable {
        private let keys: Mutex<[KeyEncryptionKey]?>
        init(_ keys: [KeyEncryptionKey]) { self.keys = Mutex(keys) }
        func set(_ new: [KeyEncryptionKey]?) { keys.withLock { $0 = new } }
        func read() throws(KeyStoreError) -> [KeyEncryptionKey] {
            guard let keys = keys.withLock({ $0 }) else { throw KeyStoreError(.unavailable, place: "test") }
            return keys
        }
    }

    private let column = EncryptedColumn(table: "t", column: "c", row: [], rowName: "r")

    @Test("The first key encrypts, and the others decrypt, until the store uses another key")
    func follows() throws {
        let (old, new) = (try KeyEncryptionKey.generate(), try KeyEncryptionKey.generate())
        let source = Source([old, new])
        let ring = try KeyEncryptionKeyRing(try source.read()) { () throws(KeyStoreError) in try source.read() }
        #expect(ring.current.id == old.id)
        let secret = Sample.secret()
        for key in [old, new] {
            let envelope = try key.encrypt(secret, for: column)
            #expect(try ring.key(for: envelope).decrypt(envelope, for: column) == secret)
        }
        #expect(try ring.selectCurrent(id: new.id).id == new.id)
        #expect(ring.current.id == new.id)
        // A transaction with an older snapshot still gets the previous key.
        #expect(try ring.selectCurrent(id: old.id).id == old.id)
    }

    @Test("An unknown key is rejected until the source contains it, and a source that fails changes nothing")
    func readsAgain() throws {
        let (old, new) = (try KeyEncryptionKey.generate(), try KeyEncryptionKey.generate())
        let source = Source([old])
        let ring = try KeyEncryptionKeyRing(try source.read()) { () throws(KeyStoreError) in try source.read() }
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try ring.selectCurrent(id: new.id) }
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try ring.selectCurrent(id: nil) }
        source.set(nil)
        #expect(throws: KeyStoreError(.unavailable, place: "")) { try ring.reload() }
        #expect(ring.current.id == old.id)
        source.set([old, new])
        #expect(try ring.reload() == 1)
        #expect(try ring.reload() == 0)
        #expect(try ring.selectCurrent(id: new.id).id == new.id)
    }

    @Test("A source without keys is rejected")
    func empty() {
        #expect(throws: KeyStoreError(.missingKEK, place: "")) {
            try KeyEncryptionKeyRing([]) { () throws(KeyStoreError) in [] }
        }
    }
}
