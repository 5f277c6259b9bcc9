import FPSCrypto
import GRDB
import KeyStore
import KeyStoreTests
import Testing

@testable import KeyStoreSQLite

@Suite("The SQLite store")
struct SQLiteKeyStoreTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/keyway.sqlite" }

    @Test("It fulfills the contract of all stores", arguments: KeyStoreContract.all)
    func keepsContract(_ promise: KeyStoreContract) async throws {
        try await promise.check(try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder))
    }

    @Test("Stored records exist after the store was closed and opened again")
    func survives() async throws {
        let content = try Sample.content("asset")
        let bundle = try Sample.bundle("app")
        let hash: DeviceHash
        do {
            let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
            try await store.putContent(content, replacing: false)
            try await store.putCertificateBundle(bundle, replacing: false)
            try await store.append(Sample.audit(7))
            hash = store.deviceHash(hu: Array(repeating: 1, count: 20))
            try store.close()
        }
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        #expect(ContentRecord.same(try await store.content(assetID: content.info.assetID), content))
        #expect(try await store.certificateBundles().first.map { CertificateBundleRecord.same($0, bundle) } == true)
        #expect(try await store.auditEntries(before: nil, limit: 1).first?.record == Sample.audit(7))
        #expect(store.deviceHash(hu: Array(repeating: 1, count: 20)) == hash)
    }

    @Test("Two stores on one folder see each other's writes")
    func shared() async throws {
        let server = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        let tool = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        let record = try Sample.content("asset")
        try await tool.putContent(record, replacing: false)
        #expect(ContentRecord.same(try await server.content(assetID: record.info.assetID), record))
    }

    @Test("Other users cannot read the files")
    func permissionsOfFiles() async throws {
        let store = try SQLiteKeyStore(dataFolder: folder.path + "/new", key: .dataFolder)
        try await store.putContent(try Sample.content("asset"), replacing: false)
        #expect(permissions(of: folder.path + "/new") == 0o700)
        for name in ["kek", "keyway.sqlite", "keyway.sqlite-wal", "keyway.sqlite-shm"] {
            #expect(permissions(of: folder.path + "/new/" + name) == 0o600, "\(name)")
        }
    }

    @Test("The files contain no secret: not raw, not in hexadecimal, not in base64")
    func secretsAreEncrypted() async throws {
        let key = Sample.secret()
        let privateKey = Sample.secret(1_200)
        let ask = Sample.secret()
        let hu = Sample.secret(20)
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        let content = try ContentRecord(
            assetID: Array("asset".utf8),
            contentKey: key,
            iv: Array(repeating: 0, count: 16),
            time: 0
        )
        try await store.putContent(content, replacing: false)
        try await store.putCertificateBundle(
            try Sample.bundle("app", privateKey: .pkcs8(privateKey), dask: .development(ask: ask)),
            replacing: false
        )
        var record = Sample.audit(0)
        record.device = store.deviceHash(hu: hu.reveal())
        try await store.append(record)

        var files = ["keyway.sqlite", "keyway.sqlite-wal", "keyway.sqlite-shm"].map { folder.bytes(of: $0) }
        #expect(files.allSatisfy { !$0.isEmpty })
        // The search itself works: a plaintext value is found.
        #expect(files.contains { holds($0, Array("asset".utf8)) })
        try store.close()
        files.append(folder.bytes(of: "keyway.sqlite"))
        for secret in [key, privateKey, ask, hu].map({ $0.reveal() }) {
            for form in forms(of: secret) { #expect(!files.contains { holds($0, form) }) }
        }
    }

    @Test("SQLite syncs at every commit, enforces foreign keys and does not trust the schema")
    func settings() async throws {
        let store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder)
        for (pragma, expected) in [
            ("synchronous", "2"), ("journal_mode", "wal"), ("foreign_keys", "1"), ("trusted_schema", "0"),
            ("secure_delete", "1"), ("user_version", "\(SQLiteSchema.version)"), ("application_id", "1266243449"),
        ] {
            #expect(try await store.writerSetting(pragma) == expected, "\(pragma)")
        }
    }

    /// The forms in which a secret might appear: its bytes, and the beginnings of its text forms (the end of base64
    /// depends on the following bytes).
    private func forms(of secret: [UInt8]) -> [[UInt8]] {
        let part = Array(secret.prefix(15))
        let digits = part.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return [
            part, Array(digits.utf8), Array(digits.uppercased().utf8), Array(base64(part).utf8),
            Array(base64(part, urlSafe: true).utf8),
        ]
    }
}
