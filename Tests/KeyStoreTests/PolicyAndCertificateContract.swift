import FPSCrypto
import KeyStore
import Testing

extension KeyStoreContract {
    static let policies: [KeyStoreContract] = [
        .init("A policy is stored byte for byte") { store in
            let record = try PolicyRecord(name: "rental-48h", document: [0x7B, 0x00, 0xFF, 0x7D])
            #expect(try await store.putPolicy(record, replacing: false) == .created)
            #expect(try await store.policy(name: "rental-48h") == record)
            #expect(try await store.policy(name: "rental") == nil)
        },
        .init("An existing policy is not overwritten unless requested") { store in
            let first = try PolicyRecord(name: "p", document: [1])
            let second = try PolicyRecord(name: "p", document: [2])
            try await store.putPolicy(first, replacing: false)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putPolicy(second, replacing: false)
            }
            #expect(try await store.policy(name: "p") == first)
            #expect(try await store.putPolicy(second, replacing: true) == .replaced)
            #expect(try await store.policy(name: "p") == second)
        },
        .init("A policy cannot be deleted while content refers to it, even after it was replaced") { store in
            try await store.putPolicy(try Sample.policy("premium"), replacing: false)
            try await store.putContent(try Sample.content("asset", policy: "premium"), replacing: false)
            try await store.putPolicy(try Sample.policy("premium"), replacing: true)
            await expectError(.conflict) { () throws(KeyStoreError) in try await store.deletePolicy(name: "premium") }
            #expect(try await store.policy(name: "premium") != nil)
            #expect(try await store.content(assetID: Array("asset".utf8))?.info.policyName == "premium")
            try await store.deleteContent(assetID: Array("asset".utf8))
            #expect(try await store.deletePolicy(name: "premium"))
            #expect(try await store.deletePolicy(name: "premium") == false)
        },
        .init("Policies are listed by name, page by page") { store in
            for name in ["b", "a", "c", "B"] { try await store.putPolicy(try Sample.policy(name), replacing: false) }
            #expect(try await store.policies(after: nil, limit: 10).map(\.name) == ["B", "a", "b", "c"])
            #expect(try await store.policies(after: "a", limit: 1).map(\.name) == ["b"])
        },
    ]

    static let certificates: [KeyStoreContract] = [
        .init("A certificate bundle is stored with its secrets, of any kind") { store in
            let bundles = [
                try Sample.bundle("a", privateKey: .store(uri: "pkcs11:token=hsm;object=fps"), scope: .all),
                try Sample.bundle("b", dask: .fixed(Sample.secret()), scope: .assetIDPrefixes([])),
                try Sample.bundle("c", scope: .assetIDPrefixes([[1], Array(repeating: 255, count: 200)])),
                try Sample.bundle("d", kind: .production, dask: .plugin(.init(path: "/opt/dask.so", ask: nil))),
                try Sample.bundle(
                    "e",
                    kind: .production,
                    dask: .plugin(
                        .init(
                            path: "/ö/d",
                            configuration: "ü",
                            ask: Sample.secret(),
                            provisioningData: Sample.secret(300)
                        )
                    )
                ),
            ]
            for bundle in bundles.reversed() {
                #expect(try await store.putCertificateBundle(bundle, replacing: false) == .created)
            }
            let found = try await store.certificateBundles()
            #expect(found.map(\.name) == ["a", "b", "c", "d", "e"])
            for (found, bundle) in zip(found, bundles) {
                #expect(CertificateBundleRecord.same(found, bundle), "bundle \(bundle.name)")
            }
        },
        .init("An existing certificate bundle is not overwritten unless requested") { store in
            let first = try Sample.bundle("app")
            let second = try Sample.bundle("app", dask: .fixed(Sample.secret()))
            try await store.putCertificateBundle(first, replacing: false)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putCertificateBundle(second, replacing: false)
            }
            #expect(try await store.putCertificateBundle(second, replacing: true) == .replaced)
            let found = try await store.certificateBundles()
            #expect(found.count == 1)
            let kept = try #require(found.first)
            #expect(CertificateBundleRecord.same(kept, second))
            #expect(try await store.deleteCertificateBundle(name: "app"))
            #expect(try await store.deleteCertificateBundle(name: "app") == false)
            #expect(try await store.certificateBundles().isEmpty)
        },
    ]
}
