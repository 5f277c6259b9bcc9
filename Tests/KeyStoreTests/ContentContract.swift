import FPSCrypto
import KeyStore
import Testing

extension KeyStoreContract {
    static let content: [KeyStoreContract] = [
        .init("An asset that was never stored is nil, not an error") { store in
            let found = try await store.content(assetID: Array("nothing".utf8))
            #expect(found == nil)
            #expect(try await store.deleteContent(assetID: Array("nothing".utf8)) == false)
        },
        .init("A content key is stored with every field") { store in
            try await store.putPolicy(try Sample.policy("premium"), replacing: false)
            let record = try ContentRecord(
                assetID: Array(0...199),
                keyID: Array(repeating: 1, count: 16),
                contentKey: Sample.secret(),
                iv: Array(repeating: 2, count: 16),
                track: .audio,
                policyName: "premium",
                streamID: Array(repeating: 3, count: 16),
                titleID: Array(repeating: 4, count: 16),
                time: 1_763_000_000
            )
            #expect(try await store.putContent(record, replacing: false) == .created)
            #expect(ContentRecord.same(try await store.content(assetID: record.info.assetID), record))
        },
        .init("A content key without optional fields is stored without them") { store in
            let record = try Sample.content("plain")
            try await store.putContent(record, replacing: false)
            #expect(ContentRecord.same(try await store.content(assetID: record.info.assetID), record))
        },
        .init("An existing asset is not overwritten unless requested") { store in
            let first = try Sample.content("asset")
            try await store.putContent(first, replacing: false)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putContent(try asStoreError { try Sample.content("asset") }, replacing: false)
            }
            #expect(ContentRecord.same(try await store.content(assetID: first.info.assetID), first))
        },
        .init("Replacing changes everything except the creation time") { store in
            try await store.putContent(try Sample.content("asset", time: 1_000), replacing: true)
            let second = try ContentRecord(
                assetID: Array("asset".utf8),
                keyID: Array(repeating: 9, count: 16),
                contentKey: Sample.secret(),
                iv: Array(repeating: 8, count: 16),
                track: .video,
                time: 2_000
            )
            #expect(try await store.putContent(second, replacing: true) == .replaced)
            let found = try #require(try await store.content(assetID: second.info.assetID))
            #expect(found.contentKey == second.contentKey)
            #expect(found.iv == second.iv)
            #expect(found.info.keyID == second.info.keyID)
            #expect(found.info.track == .video)
            #expect(found.info.created == 1_000)
            #expect(found.info.updated == 2_000)
        },
        .init("Content cannot refer to a policy that does not exist") { store in
            let record = try Sample.content("asset", policy: "missing")
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.putContent(record, replacing: false)
            }
            #expect(try await store.content(assetID: record.info.assetID) == nil)
        },
        .init("Asset IDs are compared byte by byte") { store in
            let ids: [[UInt8]] = [
                [0, 0], [0, 0, 0], [0xFF, 0xFE], [0xFF, 0xFF], Array("a ".utf8), Array("A ".utf8),
            ]
            for id in ids {
                let record = try ContentRecord(
                    assetID: id,
                    contentKey: Sample.secret(),
                    iv: Array(repeating: 0, count: 16),
                    time: 0
                )
                #expect(try await store.putContent(record, replacing: false) == .created)
            }
            #expect(try await store.contents(after: nil, limit: 100).count == ids.count)
        },
        .init("Deleting removes only the given asset") { store in
            try await store.putContent(try Sample.content("one"), replacing: false)
            try await store.putContent(try Sample.content("two"), replacing: false)
            #expect(try await store.deleteContent(assetID: Array("one".utf8)))
            #expect(try await store.content(assetID: Array("one".utf8)) == nil)
            #expect(try await store.content(assetID: Array("two".utf8)) != nil)
            #expect(try await store.deleteContent(assetID: Array("one".utf8)) == false)
        },
        .init("Assets are listed in the order of their bytes, page by page") { store in
            for name in ["bb", "aa", "a\u{FF}", "cc", "b"].map({ $0 + "x" }) {
                try await store.putContent(try Sample.content(name), replacing: false)
            }
            let all = try await store.contents(after: nil, limit: 10).map(\.assetID)
            #expect(all.count == 5)
            let isSorted = zip(all, all.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
            #expect(isSorted)
            #expect(try await store.contents(after: nil, limit: 2).map(\.assetID) == Array(all[..<2]))
            #expect(try await store.contents(after: all[1], limit: 10).map(\.assetID) == Array(all[2...]))
            #expect(try await store.contents(after: all[4], limit: 10).isEmpty)
        },
        .init("If several clients store the same asset at the same time, one succeeds") { store in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            try await store.putContent(try Sample.content("asset"), replacing: false)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 1)
        },
    ]
}

/// Converts the errors of a fixture to errors of a store.
func asStoreError<Value>(_ make: () throws -> Value) throws(KeyStoreError) -> Value {
    do { return try make() } catch { throw error as? KeyStoreError ?? KeyStoreError(.unavailable, place: "\(error)") }
}
