import FPSCrypto
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStorePostgres

@Suite(
    "The PostgreSQL store",
    .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed; scripts/setup installs it"),
    .timeLimit(.minutes(10))
)
struct PostgresKeyStoreTests {
    @Test("It fulfills the contract of all stores", arguments: KeyStoreContract.all)
    func keepsContract(_ promise: KeyStoreContract) async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let store = try await PostgresKeyStore.open(settings)
            try await promise.check(store)
            await store.close()
        }
    }

    @Test("Servers that start at the same time on an empty database agree on its tables, its key and its secret")
    func startTogether() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            let hashes = try await withThrowingTaskGroup(of: DeviceHash.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await PostgresKeyStore.open(settings, key).deviceHash(hu: Array(repeating: 1, count: 20))
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(hashes.count == 1)
        }
    }

    @Test("Of 200 requests for three slots on four servers exactly three are granted, and the log is one chain")
    func sharedLimits() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            var stores: [PostgresKeyStore] = []
            for _ in 0..<4 { stores.append(try await PostgresKeyStore.open(settings, key)) }
            let granted = try await withThrowingTaskGroup(of: Bool.self) { [stores] group in
                for device in 0..<200 {
                    group.addTask {
                        try await stores[device % 4].grant(Sample.proposal(device: device).slot(limit: 3)) == .granted
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(granted == 3)
            #expect(try await stores[0].leaseCount(at: 1_000) == 3)
            let found = try await stores[1].verifyAudit()
            #expect(found.isIntact)
            #expect(found.entries == 200)
            #expect(found.heads.count == 1)
        }
    }

    @Test("A store in use is inspected without changing it; a wrong key and missing tables are errors")
    func inspection() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            await #expect(throws: KeyStoreError(.missingStore, place: "")) {
                try await PostgresKeyStore.inspect(settings) { [] }
            }
            let key = try KeyEncryptionKey.generate()
            let store = try await PostgresKeyStore.open(settings, key)
            for time in 1...3 as ClosedRange<Int64> { try await store.append(Sample.audit(time)) }
            let found = try await PostgresKeyStore.inspect(settings) { [key] }
            #expect(found.schema == found.supportedSchema && found.audit.isIntact && found.bundles.isEmpty)
            #expect(found.newest?.record == Sample.audit(3) && found.server?.hasPrefix("PostgreSQL ") == true)
            #expect(found.serverTime != nil)
            let other = try KeyEncryptionKey.generate()
            await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
                try await PostgresKeyStore.inspect(settings) { [other] }
            }
            await store.close()
        }
    }

    @Test("A license is not granted on a catalog that another server has changed")
    func catalogChanges() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            let (one, other) = (
                try await PostgresKeyStore.open(settings, key), try await PostgresKeyStore.open(settings, key)
            )
            let record = try Sample.content("asset")
            try await one.putContent(record, replacing: false)
            let version = try #require(try await one.lookup(assetID: record.info.assetID)).catalogVersion
            let proposal = Sample.proposal().with { $0.catalogVersion = version }
            #expect(try await one.grant(proposal) == .granted)
            try await other.putPolicy(try Sample.policy("strict"), replacing: false)
            #expect(try await one.grant(proposal) == .catalogChanged)
            let newer = try #require(try await one.lookup(assetID: record.info.assetID)).catalogVersion
            // One transaction increments the version once, regardless of the number of changed rows.
            #expect(newer == version + 1)
        }
    }

    @Test("A wrong key-encryption key decrypts nothing and changes nothing")
    func wrongKey() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            _ = try await PostgresKeyStore.open(settings)
            await #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try await PostgresKeyStore.open(settings) }
        }
    }

    @Test(
        "Without permission to create the store, neither tables nor a key are created; with it, they are created once"
    )
    func creation() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let key = try KeyEncryptionKey.generate()
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            let schemas = PostgresQuery("SELECT count(*) FROM pg_namespace WHERE nspname = 'keyway'")
            await #expect(throws: KeyStoreError(.missingStore, place: "")) {
                try await PostgresKeyStore.open(settings, creating: .never) { _ in
                    Issue.record("a key was requested")
                    return [key]
                }
            }
            #expect(try connection.run([schemas], until: .now + .seconds(60)).first?.rows.first?.integer(0) == 0)
            let store = try await PostgresKeyStore.open(settings, creating: .always) { mayCreate in
                #expect(mayCreate)
                return [key]
            }
            #expect(store.isNew)
            await #expect(throws: KeyStoreError(.conflict, place: "")) {
                try await PostgresKeyStore.open(settings, creating: .always) { _ in [key] }
            }
            let again = try await PostgresKeyStore.open(settings, creating: .never) { _ in [key] }
            #expect(!again.isNew)
            await again.close()
            await store.close()
        }
    }

    @Test("Tables of another program in the schema keyway are not changed")
    func foreignTables() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            try connection.script("CREATE SCHEMA keyway; CREATE TABLE theirs (id BIGINT)", until: .now + .seconds(60))
            await #expect(throws: KeyStoreError(.foreignDatabase, place: "")) {
                try await PostgresKeyStore.open(settings)
            }
        }
    }

    @Test("The tables contain no secret: not raw, not in hexadecimal, not in base64")
    func secretsAreEncrypted() async throws {
        try await PostgresServer.shared.withDatabase { settings in
            let store = try await PostgresKeyStore.open(settings)
            let (key, privateKey, ask) = (Sample.secret(), Sample.secret(1_200), Sample.secret())
            try await store.putContent(
                try ContentRecord(
                    assetID: Array("asset".utf8),
                    contentKey: key,
                    iv: Array(repeating: 0, count: 16),
                    time: 0
                ),
                replacing: false
            )
            try await store.putCertificateBundle(
                try Sample.bundle("app", privateKey: .pkcs8(privateKey), dask: .development(ask: ask)),
                replacing: false
            )
            let connection = try PostgresConnection(settings, until: .now + .seconds(60))
            var text = ""
            for table in ["content", "certificate_bundle", "encryption"] {
                let query = PostgresQuery("SELECT \(table)::text FROM \(table)")
                for row in try connection.run([query], until: .now + .seconds(60))[0].rows { text += row.text(0) ?? "" }
            }
            // The search itself works: a plaintext value is found.
            #expect(text.contains("\\x6173736574"))
            for secret in [key, privateKey, ask] {
                let digits = secret.reveal().prefix(15).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                #expect(!text.contains(digits))
            }
        }
    }
}
