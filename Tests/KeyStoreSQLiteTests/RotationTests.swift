import FPSCrypto
import GRDB
import KeyStore
import KeyStoreSQLite
import KeyStoreTests
import Testing

@Suite("Rotating the key-encryption key")
struct RotationTests {
    private let folder = TemporaryFolder()
    private let old: KeyEncryptionKey
    private let new: KeyEncryptionKey
    private let store: SQLiteKeyStore
    private var path: String { folder.path + "/keyway.sqlite" }

    init() throws {
        old = try .generate()
        new = try .generate()
        store = try SQLiteKeyStore(path: folder.path + "/keyway.sqlite", key: old)
    }

    @Test("After a rotation the new key decrypts every secret, and compacting removes all data of the old key")
    func rotates() async throws {
        let contents = try (0..<1_200).map { try Sample.content("asset \($0)") }
        for record in contents.prefix(3) { try await store.putContent(record, replacing: false) }
        // More than one page of the rotation, in one transaction.
        try await store.putAll(Array(contents.dropFirst(3)))
        let bundles = [
            try Sample.bundle("a"),
            try Sample.bundle("b", kind: .production, dask: .plugin(.init(path: "/x", ask: Sample.secret()))),
        ]
        for bundle in bundles { try await store.putCertificateBundle(bundle, replacing: false) }
        let hash = store.deviceHash(hu: [1])

        try await store.rotate(to: new)
        try await check(store, contents, bundles)
        try await store.putContent(try Sample.content("later"), replacing: false)
        try await store.compact()
        let files = folder.bytes(of: "keyway.sqlite") + folder.bytes(of: "keyway.sqlite-wal")
        #expect(!holds(files, [1] + old.id))
        #expect(holds(files, [1] + new.id))
        try store.close()

        let reopened = try SQLiteKeyStore(path: path, key: new)
        try await check(reopened, contents, bundles)
        #expect(reopened.deviceHash(hu: [1]) == hash)
        try reopened.close()
        #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try SQLiteKeyStore(path: path, key: old) }
    }

    @Test("A store with only the old key can neither read nor write")
    func staleStore() async throws {
        let record = try Sample.content("asset")
        try await store.putContent(record, replacing: false)
        let stale = try SQLiteKeyStore(path: path, key: old)
        try await store.rotate(to: new)
        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try await stale.content(assetID: record.info.assetID)
        }
        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try await stale.putContent(try Sample.content("other"), replacing: false)
        }
        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) {
            try await stale.putCertificateBundle(try Sample.bundle("app"), replacing: false)
        }
        await #expect(throws: KeyStoreError(.wrongKEK, place: "")) { try await stale.rotate(to: .generate()) }
    }

    @Test("A secret that cannot be decrypted aborts the rotation, and nothing has changed")
    func allOrNothing() async throws {
        let good = try Sample.content("good")
        try await store.putContent(good, replacing: false)
        try await store.putContent(try Sample.content("zzz"), replacing: false)
        try tamper(path, "UPDATE content SET content_key = zeroblob(53) WHERE asset_id = CAST('zzz' AS BLOB)")
        await #expect(throws: KeyStoreError(.corrupt, place: "")) { try await store.rotate(to: new) }
        #expect(ContentRecord.same(try await store.content(assetID: good.info.assetID), good))
        try store.close()
        let reopened = try SQLiteKeyStore(path: path, key: old)
        #expect(ContentRecord.same(try await reopened.content(assetID: good.info.assetID), good))
    }

    @Test("Keys can be read and stored during a rotation")
    func concurrentUse() async throws {
        let contents = try (0..<300).map { try Sample.content("asset \($0)") }
        try await store.putAll(contents)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await store.rotate(to: new) }
            for record in contents {
                group.addTask {
                    #expect(ContentRecord.same(try await store.content(assetID: record.info.assetID), record))
                    try await store.putContent(record, replacing: true)
                }
            }
            try await group.waitForAll()
        }
        try await check(store, contents, [])
    }

    private func check(
        _ store: SQLiteKeyStore,
        _ contents: [ContentRecord],
        _ bundles: [CertificateBundleRecord]
    ) async throws {
        for record in contents {
            let found = try await store.content(assetID: record.info.assetID)
            #expect(ContentRecord.same(found, record))
        }
        let found = try await store.certificateBundles()
        #expect(found.count == bundles.count)
        for (found, bundle) in zip(found, bundles) { #expect(CertificateBundleRecord.same(found, bundle)) }
    }
}
