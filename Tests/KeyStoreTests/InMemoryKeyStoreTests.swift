import KeyStore
import KeyStoreTestSupport
import Testing

@Suite("The in-memory store")
struct InMemoryKeyStoreTests {
    @Test("It fulfills the contract of all stores", arguments: KeyStoreContract.all)
    func keepsContract(_ promise: KeyStoreContract) async throws {
        try await promise.check(InMemoryKeyStore())
    }

    @Test("Two stores hash the same device differently")
    func deviceHashesAreKeyed() {
        let hu = [UInt8](repeating: 1, count: 20)
        #expect(InMemoryKeyStore().deviceHash(hu: hu) != InMemoryKeyStore().deviceHash(hu: hu))
    }
}
