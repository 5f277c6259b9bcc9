import FPSCrypto
import KeyStore
import KeyStoreTests
import Synchronization
import Testing

@testable import KeyStorePostgres

@Suite(
    "Rotating the key-encryption key in PostgreSQL",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed; scripts/setup installs it"),
    .timeLimit(.minutes(10))
)
struct RotationTests {
    /// A file with keys, as a server reads it.
    private final class KeyFile: Sendable {
        let keys: Mutex<[KeyEncryptionKey]>
        init(_ keys: [KeyEncryptionKey]) { self.keys = Mutex(keys) }
        func put(_ new: [KeyEncryptionKey]) { keys.withLock { $0 = new } }

        func open(_ settings: PostgresSettings) async throws -> PostgresKeyStore {
            try await PostgresKeyStore.open(settings) { _ in self.keys.withLock { $0 } }
        }
    }

    @Test("After a rotation the new key decrypts every secret, and servers with both keys continue to read and write")
    func withoutPause() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let (old, new) = (try KeyEncryptionKey.generate(), try KeyEncryptionKey.generate())
            let file = KeyFile([old])
            let server = try await file.open(settings)
            // More than one page.
            let contents = try (0..<501).map { try Sample.content("asset \($0)") }
            for record in contents { try await server.putContent(record, replacing: false) }
            let bundle = try Sample.bundle("app")
            try await server.putCertificateBundle(bundle, replacing: false)
            let hash = server.deviceHash(hu: [1])

            file.put([old, new])
            #expect(try server.reloadKeys() == 1)
            let command = try await KeyFile([old]).open(settings)
            try await command.rotate(to: new)
            for store in [command, server] {
                for record in [contents[0], contents[499], contents[500]] {
                    #expect(ContentRecord.same(try await store.content(assetID: record.info.assetID), record))
                }
                #expect(try await store.certificateBundles() == [bundle])
            }
            let later = try Sample.content("later")
            try await server.putContent(later, replacing: false)
            try await command.rotate(to: new)

            let restarted = try await KeyFile([new]).open(settings)
            #expect(ContentRecord.same(try await restarted.content(assetID: later.info.assetID), later))
            #expect(restarted.deviceHash(hu: [1]) == hash)
            await #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try await KeyFile([old]).open(settings) }
        }
    }

    @Test("A server without the new key is refused until it has reloaded its keys")
    func stranger() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let (old, new) = (try KeyEncryptionKey.generate(), try KeyEncryptionKey.generate())
            let file = KeyFile([old])
            let server = try await file.open(settings)
            let record = try Sample.content("asset")
            try await server.putContent(record, replacing: false)
            let command = try await KeyFile([old]).open(settings)
            try await command.rotate(to: new)
            await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
                try await server.content(assetID: record.info.assetID)
            }
            await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
                try await server.putContent(try Sample.content("other"), replacing: false)
            }
            file.put([new])
            #expect(try server.reloadKeys() == 1)
            #expect(ContentRecord.same(try await server.content(assetID: record.info.assetID), record))
            try await server.putContent(try Sample.content("other"), replacing: false)
        }
    }

    @Test("A secret that cannot be decrypted leaves all secrets encrypted with the old key")
    func damaged() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let (old, new) = (try KeyEncryptionKey.generate(), try KeyEncryptionKey.generate())
            let store = try await KeyFile([old]).open(settings)
            let record = try Sample.content("asset")
            try await store.putContent(record, replacing: false)
            try await store.putContent(try Sample.content("zzz"), replacing: false)
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            try connection.script(
                "SET search_path = keyway; UPDATE content SET content_key = '\\x0102' WHERE asset_id = 'zzz'",
                until: .now + .seconds(60)
            )
            await #expect(throws: KeyStoreError(.corrupt, place: "")) { try await store.rotate(to: new) }
            #expect(ContentRecord.same(try await store.content(assetID: record.info.assetID), record))
            _ = try await KeyFile([old]).open(settings)
        }
    }
}
