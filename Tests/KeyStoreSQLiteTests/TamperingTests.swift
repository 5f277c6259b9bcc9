import FPSCrypto
import GRDB
import KeyStore
import KeyStoreSQLite
import KeyStoreTests
import Testing

@Suite("Changes in the database file")
struct TamperingTests {
    private let folder = TemporaryFolder()
    private let store: SQLiteKeyStore
    private var path: String { folder.path + "/keyway.sqlite" }

    init() throws { store = try SQLiteKeyStore(dataFolder: folder.path, key: .dataFolder) }

    @Test("A content key that was copied to another asset cannot be decrypted")
    func movedContentKey() async throws {
        try await store.putContent(try Sample.content("cheap"), replacing: false)
        try await store.putContent(try Sample.content("dear"), replacing: false)
        try tamper(
            path,
            """
            UPDATE content SET content_key = (SELECT content_key FROM content WHERE asset_id = CAST('dear' AS BLOB))
            WHERE asset_id = CAST('cheap' AS BLOB)
            """
        )
        do {
            _ = try await store.content(assetID: Array("cheap".utf8))
            Issue.record("the moved key was decrypted")
        } catch {
            #expect("\(error)" == "corrupt in content cheap, content_key: the encrypted value cannot be decrypted")
        }
        #expect(try await store.content(assetID: Array("dear".utf8)) != nil)
    }

    @Test("An asset whose ID was changed cannot be decrypted")
    func renamedAsset() async throws {
        try await store.putContent(try Sample.content("cheap"), replacing: false)
        try tamper(path, "UPDATE content SET asset_id = CAST('other' AS BLOB)")
        await #expect(throws: KeyStoreError(.corrupt, place: "")) {
            try await store.content(assetID: Array("other".utf8))
        }
    }

    @Test(
        "A bundle whose plaintext columns were changed cannot be decrypted",
        arguments: [
            "kind = 'production'", "scope = NULL", "scope = x'0161'", "certificate = x'3000'", "name = 'other'",
            "dask_kind = 'fixed'", "private_key_kind = 'store'", "private_key = dask_secret",
            "dask_secret = private_key",
            "private_key = x''", "dask_secret = NULL", "plugin_path = dask_secret",
        ]
    )
    func changedBundle(_ change: String) async throws {
        try await store.putCertificateBundle(try Sample.bundle("app"), replacing: false)
        #expect(try await store.certificateBundles().count == 1)
        try tamper(path, "UPDATE certificate_bundle SET \(change)")
        await #expect(throws: KeyStoreError(.corrupt, place: "")) { try await store.certificateBundles() }
    }

    @Test(
        "An invalid row is reported as corrupt and does not crash",
        arguments: ["track_kind = 'smell'", "content_key = x''", "content_key = x'01'", "policy_name = 'a b'"]
    )
    func impossibleContent(_ change: String) async throws {
        try await store.putContent(try Sample.content("asset"), replacing: false)
        try tamper(path, "UPDATE content SET \(change)")
        await #expect(throws: KeyStoreError(.corrupt, place: "")) {
            try await store.content(assetID: Array("asset".utf8))
        }
    }

    @Test("An invalid policy is reported as corrupt")
    func impossiblePolicy() async throws {
        try await store.putPolicy(try Sample.policy("p"), replacing: false)
        try tamper(path, "UPDATE policy SET document = x''")
        await #expect(throws: KeyStoreError(.corrupt, place: "")) { try await store.policy(name: "p") }
    }
}
