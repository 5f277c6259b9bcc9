import KeyStore
import Testing

extension KeyStoreContract {
    static let keyPeriods: [KeyStoreContract] = [
        .init("A key period is found by its asset ID and by its key ID, with title and track") { store in
            for policy in ["a", "b", "c"] { try await store.putPolicy(try Sample.policy(policy), replacing: false) }
            let title = try TitleRecord(name: "film", policyName: "a", time: 0)
            let track = try TrackRecord(title: "film", name: "hd", kind: .hd, policyName: "b")
            let record = try Sample.period("film", "hd", 0xAB, policy: "c", from: 10, until: 20)
            try await store.putTitle(title, replacing: false)
            try await store.putTrack(track, replacing: false)
            try await store.putContent(record, replacing: false)
            #expect(record.info.assetID == Array("abababababababababababababababab".utf8))
            let found = [
                try #require(try await store.lookup(assetID: record.info.assetID)),
                try #require(try await store.lookup(keyID: Array(repeating: 0xAB, count: 16))),
            ]
            for lookup in found {
                #expect(ContentRecord.same(lookup.record, record))
                #expect(lookup.title == title)
                #expect(lookup.track == track)
                #expect(lookup.policies.map(\.name) == ["a", "b", "c"])
                #expect(lookup.kind == .hd)
                #expect(lookup.streamID == track.streamID)
                #expect(lookup.titleID == title.titleID)
            }
            #expect(ContentRecord.same(try await store.content(keyID: Array(repeating: 0xAB, count: 16)), record))
            #expect(try await store.lookup(assetID: Array("nothing".utf8)) == nil)
            #expect(try await store.lookup(keyID: Array(repeating: 1, count: 16)) == nil)
        },
        .init("Keys are found by their key IDs in one read, and missing ones are omitted") { store in
            try await store.putTitle(try TitleRecord(name: "film", time: 0), replacing: false)
            try await store.putTrack(try TrackRecord(title: "film", name: "hd", kind: .hd), replacing: false)
            var records: [ContentRecord] = []
            for byte in UInt8(1)...30 { records.append(try Sample.period("film", "hd", byte)) }
            for record in records { try await store.putContent(record, replacing: false) }
            let requested = ([40, 7, 29, 41] as [UInt8]).map { Array(repeating: $0, count: 16) }
            let found = try await store.contents(keyIDs: requested)
            #expect(Set(found.map(\.info.keyID)) == [requested[1], requested[2]])
            for record in found {
                let original = try #require(records.first { $0.info.keyID == record.info.keyID })
                #expect(ContentRecord.same(record, original))
            }
            #expect(try await store.contents(keyIDs: []).isEmpty)
        },
        .init("A separate key is found without title and track") { store in
            try await store.putPolicy(try Sample.policy("p"), replacing: false)
            let record = try ContentRecord(
                assetID: Array("asset".utf8),
                contentKey: Sample.secret(),
                iv: Array(repeating: 0, count: 16),
                track: .sd,
                policyName: "p",
                streamID: Array(repeating: 1, count: 16),
                titleID: Array(repeating: 2, count: 16),
                time: 0
            )
            try await store.putContent(record, replacing: false)
            let found = try #require(try await store.lookup(assetID: record.info.assetID))
            #expect(ContentRecord.same(found.record, record))
            #expect(found.title == nil)
            #expect(found.track == nil)
            #expect(found.policies.map(\.name) == ["p"])
            #expect(found.kind == .sd)
            #expect(found.streamID == record.info.streamID)
            #expect(found.titleID == record.info.titleID)
        },
        .init("Content without a policy has the policy named default, if it exists") { store in
            let record = try ContentRecord(
                assetID: Array("asset".utf8),
                contentKey: Sample.secret(),
                iv: Array(repeating: 0, count: 16),
                time: 0
            )
            try await store.putContent(record, replacing: false)
            #expect(try await store.lookup(assetID: record.info.assetID)?.policies == [])
            let policy = try Sample.policy("default")
            try await store.putPolicy(policy, replacing: false)
            #expect(try await store.lookup(assetID: record.info.assetID)?.policies == [policy])
        },
        .init("A proposal is valid until any part of the catalog changes") { store in
            try await store.putFilm()
            let record = try Sample.period("film", "hd", 1)
            try await store.putContent(record, replacing: false)
            func proposal() async throws -> GrantProposal {
                var proposal = Sample.proposal()
                proposal.catalogVersion = try await store.lookup(assetID: record.info.assetID)?.catalogVersion
                return proposal
            }
            let first = try await proposal()
            #expect(try await store.grant(first) == .granted)
            #expect(try await store.grant(first) == .granted)
            let title = try #require(try await store.title(name: "film"))
            let track = try #require(try await store.tracks(title: "film").first { $0.name == "hd" })
            let changes: [@Sendable (any KeyServerStore) async throws -> Void] = [
                { try await $0.putTitle(title, replacing: true) }, { try await $0.putTrack(track, replacing: true) },
                { try await $0.putContent(record, replacing: true) },
                { try await $0.putPolicy(try Sample.policy("new"), replacing: false) },
                { try await $0.putPolicy(try Sample.policy("new"), replacing: true) },
                { _ = try await $0.deletePolicy(name: "new") },
                { _ = try await $0.deleteContent(assetID: record.info.assetID) },
            ]
            for (number, change) in changes.enumerated() {
                let before = try await proposal()
                try await change(store)
                #expect(try await store.grant(before) == .catalogChanged, "change \(number)")
            }
            // Nothing was written, and a proposal without a catalog version is not checked.
            #expect(try await store.auditEntries(after: nil, limit: 10).count == 2)
            #expect(try await store.grant(Sample.proposal()) == .granted)
        },
        .init("Key periods are listed by start, page by page, of their track only") { store in
            try await store.putFilm()
            try await store.putFilm("other")
            let periods = [
                try Sample.period("film", "hd", 9), try Sample.period("film", "hd", 3, from: 0, until: 50),
                try Sample.period("film", "hd", 4, from: 50), try Sample.period("film", "hd", 5, from: 50),
                try Sample.period("film", "hd", 1, from: 100),
            ]
            for record in periods.shuffled() { try await store.putContent(record, replacing: false) }
            try await store.putContent(try Sample.period("film", "audio", 20), replacing: false)
            try await store.putContent(try Sample.period("other", "hd", 21), replacing: false)
            let all = try await store.keyPeriods(title: "film", track: "hd")
            #expect(all == periods.map(\.info))
            #expect(try await store.keyPeriods(title: "film", track: "hd", after: nil, limit: 2) == Array(all[..<2]))
            for place in all.indices {
                let rest = try await store.keyPeriods(title: "film", track: "hd", after: all[place], limit: 10)
                #expect(rest == Array(all[(place + 1)...]))
            }
            #expect(try await store.keyPeriods(title: "film", track: "nothing").isEmpty)
        },
        .init("A key period cannot refer to a track that does not exist") { store in
            try await store.putFilm()
            for (title, track) in [("film", "uhd"), ("nothing", "hd")] {
                let record = try Sample.period(title, track, 1)
                await expectError(.missingReference) { () throws(KeyStoreError) in
                    try await store.putContent(record, replacing: false)
                }
            }
            #expect(try await store.contents(after: nil, limit: 10).isEmpty)
        },
        .init("Two assets never have the same key ID") { store in
            try await store.putFilm()
            let first = try Sample.period("film", "hd", 1)
            try await store.putContent(first, replacing: false)
            let keyID = first.info.keyID
            let second = try ContentRecord(
                assetID: Array("second".utf8),
                keyID: keyID,
                contentKey: Sample.secret(),
                iv: Array(repeating: 0, count: 16),
                time: 0
            )
            for replacing in [false, true] {
                await expectError(.conflict) { () throws(KeyStoreError) in
                    try await store.putContent(second, replacing: replacing)
                }
            }
            // An asset may retain its own key ID, and a released one can be used.
            #expect(try await store.putContent(first, replacing: true) == .replaced)
            try await store.deleteContent(assetID: first.info.assetID)
            #expect(try await store.putContent(second, replacing: false) == .created)
            let third = try ContentRecord(
                assetID: second.info.assetID,
                contentKey: second.contentKey,
                iv: second.iv,
                time: 0
            )
            try await store.putContent(third, replacing: true)
            try await store.putContent(first, replacing: false)
            let found = try await store.lookup(keyID: keyID ?? [])
            #expect(found?.record.info.assetID == first.info.assetID)
        },
        .init("A batch is stored in one transaction") { store in
            let batch = ContentBatch(
                titles: [try TitleRecord(name: "film", time: 0)],
                tracks: [try TrackRecord(title: "film", name: "hd", kind: .hd)],
                contents: [try Sample.period("film", "hd", 1), try Sample.content("alone")]
            )
            try await store.put(batch, replacing: false)
            #expect(try await store.keyPeriods(title: "film", track: "hd").count == 1)
            #expect(try await store.contents(after: nil, limit: 10).count == 2)
            await expectError(.conflict) { () throws(KeyStoreError) in try await store.put(batch, replacing: false) }
            try await store.put(batch, replacing: true)
        },
        .init("A batch with an error stores nothing") { store in
            let batch = ContentBatch(
                titles: [try TitleRecord(name: "film", time: 0)],
                tracks: [try TrackRecord(title: "film", name: "hd", kind: .hd)],
                contents: [try Sample.period("film", "hd", 1), try Sample.period("film", "uhd", 2)]
            )
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.put(batch, replacing: false)
            }
            #expect(try await store.titles(after: nil, limit: 10).isEmpty)
            #expect(try await store.tracks(title: "film").isEmpty)
            #expect(try await store.contents(after: nil, limit: 10).isEmpty)
            #expect(try await store.lookup(keyID: Array(repeating: 1, count: 16)) == nil)
            let many = ContentBatch(titles: try (0...1_000).map { try TitleRecord(name: "t\($0)", time: 0) })
            await expectError(.invalidRecord) { () throws(KeyStoreError) in
                try await store.put(many, replacing: false)
            }
        },
    ]
}
