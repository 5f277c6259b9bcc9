import FPSCrypto
import KeyStore
import Testing

@Suite("Records reject invalid fields")
struct RecordTests {
    @Test("Asset IDs have 2 to 200 bytes", arguments: [0, 1, 2, 200, 201])
    func assetIDSizes(_ count: Int) throws {
        let make = { try content(assetID: Array(repeating: 65, count: count)) }
        if (2...200).contains(count) {
            #expect(try make().info.assetID.count == count)
        } else {
            #expect(throws: KeyStoreError(.invalidRecord, place: "")) { try make() }
        }
    }

    @Test("Keys, IVs and IDs have 16 bytes", arguments: [0, 15, 17, 32])
    func sixteenBytes(_ count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        let error = KeyStoreError(.invalidRecord, place: "")
        #expect(throws: error) { try content(contentKey: Sample.secret(count)) }
        #expect(throws: error) { try content(iv: bytes) }
        #expect(throws: error) { try content(keyID: bytes) }
        #expect(throws: error) { try content(streamID: bytes) }
        #expect(throws: error) { try content(titleID: bytes) }
        #expect(throws: error) { try Sample.bundle("app", dask: .fixed(Sample.secret(count))) }
        #expect(throws: error) { try Sample.bundle("app", dask: .development(ask: Sample.secret(count))) }
        #expect(throws: error) { try Sample.bundle("app", dask: .plugin(.init(path: "/x", ask: Sample.secret(count)))) }
    }

    @Test("Names are short and plain", arguments: ["", "a b", "a/b", "ä", "a\n", String(repeating: "a", count: 101)])
    func names(_ name: String) {
        #expect(throws: KeyStoreError(.invalidRecord, place: "")) { try Sample.policy(name) }
        #expect(throws: KeyStoreError(.invalidRecord, place: "")) { try Sample.bundle(name) }
        #expect(throws: KeyStoreError(.invalidRecord, place: "")) { try content(policyName: name) }
    }

    @Test("A production bundle accepts no fixed and no development DASk")
    func productionNeedsPlugin() {
        for dask in [CertificateBundleRecord.DASk.fixed(Sample.secret()), .development(ask: Sample.secret())] {
            #expect(throws: KeyStoreError(.invalidRecord, place: "")) {
                try Sample.bundle("app", kind: .production, dask: dask)
            }
        }
    }

    @Test(
        "The URI of a private key contains no PIN",
        arguments: ["pkcs11:token=a?pin-value=1234", "pkcs11:a?PIN-VALUE=1"]
    )
    func noPIN(_ uri: String) {
        #expect(throws: KeyStoreError(.invalidRecord, place: "")) {
            try Sample.bundle("app", privateKey: .store(uri: uri))
        }
    }

    @Test("The path of a plug-in is absolute", arguments: ["", "dask.so", "./dask.so", "/a\u{0}b"])
    func absolutePlugin(_ path: String) {
        #expect(throws: KeyStoreError(.invalidRecord, place: "")) {
            try Sample.bundle("app", dask: .plugin(.init(path: path, ask: nil)))
        }
    }

    @Test("A scope includes IDs with one of its prefixes, and an empty list includes nothing")
    func scopes() {
        let scope = ContentScope.assetIDPrefixes([Array("demo/".utf8), Array("test".utf8)])
        #expect(scope.covers(assetID: Array("demo/1".utf8)))
        #expect(scope.covers(assetID: Array("test".utf8)))
        #expect(!scope.covers(assetID: Array("demo".utf8)))
        #expect(!scope.covers(assetID: Array("xdemo/1".utf8)))
        #expect(!ContentScope.assetIDPrefixes([]).covers(assetID: Array("demo/1".utf8)))
        #expect(ContentScope.all.covers(assetID: [0, 0]))
    }

    @Test("A bundle's prefixes have 1 to 200 bytes", arguments: [0, 201, 300])
    func prefixSizes(_ count: Int) {
        #expect(throws: KeyStoreError(.invalidRecord, place: "")) {
            try Sample.bundle("app", scope: .assetIDPrefixes([Array(repeating: 1, count: count)]))
        }
    }

    @Test("An encoded scope can be decoded, and damage is detected")
    func scopeEncoding() {
        let scope = ContentScope.assetIDPrefixes([[1, 2], [3]])
        #expect(ContentScope(encoded: scope.encoded) == scope)
        #expect(ContentScope(encoded: ContentScope.all.encoded) == .all)
        #expect(ContentScope(encoded: []) == .assetIDPrefixes([]))
        for damaged in [[0], [1], [2, 1], [1, 1, 0], [255]] as [[UInt8]] {
            #expect(ContentScope(encoded: damaged) == nil)
        }
    }

    @Test("Text in the audit log is truncated at whole characters and contains no control characters")
    func auditText() {
        var record = AuditRecord(
            milliseconds: 0,
            route: String(repeating: "é", count: 60),
            outcome: "x" + String(repeating: "漢", count: 60),
            microseconds: 0
        )
        #expect(record.route == String(repeating: "é", count: 50))
        #expect(record.outcome == "x" + String(repeating: "漢", count: 33))
        record.detail = "a\u{0}b\u{1B}[31mc\r\nd\u{85}"
        #expect(record.detail == "a\u{FFFD}b\u{FFFD}[31mc\u{FFFD}\u{FFFD}d\u{FFFD}")
        record.detail = String(repeating: "a", count: 5_000)
        #expect(record.detail?.utf8.count == 2_000)
        record.assetID = Array(repeating: 1, count: 1_000)
        #expect(record.assetID?.count == 200)
    }

    private func content(
        assetID: [UInt8] = [1, 2],
        keyID: [UInt8]? = nil,
        contentKey: SecretBytes = Sample.secret(),
        iv: [UInt8] = Array(repeating: 0, count: 16),
        policyName: String? = nil,
        streamID: [UInt8]? = nil,
        titleID: [UInt8]? = nil
    ) throws(KeyStoreError) -> ContentRecord {
        try ContentRecord(
            assetID: assetID,
            keyID: keyID,
            contentKey: contentKey,
            iv: iv,
            policyName: policyName,
            streamID: streamID,
            titleID: titleID,
            time: 0
        )
    }
}
