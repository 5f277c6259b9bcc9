import FPSCrypto
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import Logging
import ServerCrypto
import Testing

@testable import KeyServer

@Suite("Certificate bundles that change while the server runs")
struct BundleCacheTests {
    private static let keys = Result { try (0..<2).map { _ in try RSAPrivateKey.generate(bits: 2048) } }
    private let bundleCache = BundleCache(configuration: .init(), allowsDevelopment: true)

    private func record(
        _ name: String,
        key index: Int = 0,
        ask: String = "development ask!",
        kind: CertificateBundleRecord.Kind = .development
    ) throws -> CertificateBundleRecord {
        let key = try Self.keys.get()[index]
        return try CertificateBundleRecord(
            name: name,
            kind: kind,
            certificate: try X509Certificate.selfSigned(subject: name, key: key, days: 30).der,
            privateKey: .pkcs8(try key.encodedPKCS8()),
            dask: .development(ask: SecretBytes(copying: Array(ask.utf8))),
            scope: .all
        )
    }

    @Test("New, changed and removed bundles are reported once, and the others are kept")
    func follows() throws {
        let (one, two) = (try record("one"), try record("two", key: 1))
        #expect(try bundleCache.update(with: [one]) == .init(added: ["one"]))
        #expect(try bundleCache.update(with: [one]) == .init())
        #expect(try bundleCache.update(with: [one, two]) == .init(added: ["two"]))
        #expect(bundleCache.module.bundles.map(\.name) == ["one", "two"])
        let changed = try record("two", key: 1, ask: "another ask.....")
        #expect(try bundleCache.update(with: [one, changed]) == .init(added: ["two"]))
        #expect(try bundleCache.update(with: [changed]) == .init(dropped: ["one"]))
        #expect(try bundleCache.update(with: []) == .init(dropped: ["two"]))
        #expect(bundleCache.module.bundles.isEmpty)
    }

    @Test("A bundle that cannot be used is reported once, and is skipped")
    func leavesOut() throws {
        let good = try record("good")
        let bad = try CertificateBundleRecord(
            name: "bad",
            kind: .development,
            certificate: [0x30],
            privateKey: good.privateKey,
            dask: good.dask,
            scope: .all
        )
        let change = try bundleCache.update(with: [bad, good])
        #expect(change.added == ["good"])
        #expect(change.skipped.keys.sorted() == ["bad"])
        #expect(try bundleCache.update(with: [bad, good]) == .init())
        // Development bundles are not used in production.
        let serious = BundleCache(configuration: .init(), allowsDevelopment: false)
        #expect(try serious.update(with: [good]).skipped.keys.sorted() == ["good"])
        #expect(serious.module.bundles.isEmpty)
    }

    @Test("Two bundles with the same certificate are refused, and those in use stay in use")
    func duplicate() throws {
        let one = try record("one")
        _ = try bundleCache.update(with: [one])
        let same = try CertificateBundleRecord(
            name: "same",
            kind: .development,
            certificate: one.certificate,
            privateKey: one.privateKey,
            dask: one.dask,
            scope: .all
        )
        #expect(throws: BundleError.self) { try bundleCache.update(with: [one, same]) }
        #expect(bundleCache.module.bundles.map(\.name) == ["one"])
    }

    @Test("The server checks the store, and logs changes")
    func reloads() async throws {
        let store = InMemoryKeyStore()
        let log = LogRecorder()
        let reload = BundleReload(
            bundleCache: bundleCache,
            store: store,
            interval: .seconds(600),
            logger: Logger(label: "test") { _ in log }
        )
        await reload.reload()
        #expect(bundleCache.module.bundles.isEmpty)
        try await store.putCertificateBundle(try record("app"), replacing: false)
        await reload.reload(keysToo: true)
        #expect(bundleCache.module.bundles.map(\.name) == ["app"])
        try await store.deleteCertificateBundle(name: "app")
        await reload.reload()
        #expect(bundleCache.module.bundles.isEmpty)
        let lines = log.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("bundle app is in use") == true)
        #expect(lines.last?.contains("bundle app is no longer in use") == true)
    }
}
