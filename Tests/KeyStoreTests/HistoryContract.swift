import KeyStore
import Testing

extension KeyStoreContract {
    static let histories: [KeyStoreContract] = [
        .init("Each change of a policy is kept with its time, its actor and the document before it") { store in
            @Sendable func audit(_ time: Int64) -> AuditRecord {
                var record = Sample.audit(time)
                record.actor = "token-\(time)"
                return record
            }
            let (one, two) = (try policy([1]), try policy([2]))
            try await store.putPolicy(one, replacing: true) { _ in audit(1) }
            try await store.putPolicy(two, replacing: true) { _ in audit(2) }
            // Without a change there is no entry.
            try await store.putPolicy(two, replacing: true) { _ in audit(3) }
            #expect(try await store.deletePolicy(name: "p", audit: audit(4)))
            try await store.putPolicy(one, replacing: true) { _ in audit(5) }
            let history = try await store.policyHistory(name: "p", before: nil, limit: 10)
            #expect(history.map(\.number) == [4, 3, 2, 1])
            #expect(history.map(\.kind) == [.created, .deleted, .replaced, .created])
            #expect(history.map(\.milliseconds) == [5, 4, 2, 1])
            #expect(history.map(\.actor) == ["token-5", "token-4", "token-2", "token-1"])
            #expect(history.map(\.document) == [nil, [2], [1], nil])
            let older = try await store.policyHistory(name: "p", before: 3, limit: 1)
            #expect(older.map(\.number) == [2])
            #expect(try await store.policyHistory(name: "q", before: nil, limit: 10).isEmpty)
        },
        .init("A change that is refused is not in the history") { store in
            try await store.putPolicy(try policy([1]), replacing: false)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putPolicy(try PolicyRecord(name: "p", document: [2]), replacing: false)
            }
            try await store.putContent(try Sample.content("asset", policy: "p"), replacing: false)
            await expectError(.conflict) { () throws(KeyStoreError) in try await store.deletePolicy(name: "p") }
            #expect(try await store.policyHistory(name: "p", before: nil, limit: 10).map(\.kind) == [.created])
        },
        .init("The last 200 changes of a policy are kept") { store in
            for number in 0..<202 {
                let document = [UInt8](String(number).utf8)
                try await store.putPolicy(try PolicyRecord(name: "p", document: document), replacing: true)
            }
            try await store.putPolicy(try PolicyRecord(name: "q", document: [1]), replacing: true)
            let newest = try await store.policyHistory(name: "p", before: nil, limit: 1)
            #expect(newest.map(\.number) == [202])
            let oldest = try await store.policyHistory(name: "p", before: 5, limit: 10)
            #expect(oldest.map(\.number) == [4, 3])
        },
        .init("The uses of a policy are counted, and the first of each kind listed") { store in
            try await store.putPolicy(try policy([1]), replacing: false)
            for name in ["b", "a", "c"] {
                try await store.putTitle(TitleRecord(name: name, policyName: "p", time: 1), replacing: false)
                try await store.putContent(try Sample.content("asset-" + name, policy: "p"), replacing: false)
            }
            let track = try TrackRecord(title: "c", name: "hd", kind: .hd, policyName: "p")
            try await store.putTrack(track, replacing: false)
            let uses = try await store.policyUses(name: "p", limit: 2)
            #expect(uses.titles.items == ["a", "b"])
            #expect(uses.titles.total == 3)
            #expect(uses.tracks.items == [.init(title: "c", name: "hd")])
            #expect(uses.tracks.total == 1)
            #expect(uses.assets.items == [Array("asset-a".utf8), Array("asset-b".utf8)])
            #expect(uses.assets.total == 3)
            #expect(try await store.policyUses(name: "q", limit: 2).titles.total == 0)
        },
        .init("Rows of activity are replaced by key, selected by time, title and class, and deleted by age") { store in
            func row(_ start: Int64, _ node: Int, title: String = "", deviceClass: String = "", _ count: Int64)
                -> ActivityRecord
            {
                ActivityRecord(
                    step: 60,
                    start: start,
                    node: Array(Sample.id(node).prefix(8)),
                    title: title,
                    deviceClass: deviceClass,
                    outcome: "issued",
                    requests: count,
                    latency: [1, 2]
                )
            }
            let rows = [
                row(60, 1, 5), row(60, 2, 6), row(120, 1, deviceClass: "appletv", 7), row(120, 1, title: "film", 8),
            ]
            try await store.writeActivity(rows)
            try await store.writeActivity([row(60, 1, 9)])
            func counts(_ query: ActivityQuery) async throws -> [Int64] {
                try await store.activity(query).map(\.requests).sorted()
            }
            #expect(try await counts(ActivityQuery(step: 60, from: 0, until: 1_000)) == [6, 7, 9])
            #expect(try await counts(ActivityQuery(step: 60, from: 60, until: 120)) == [6, 9])
            #expect(try await counts(ActivityQuery(step: 3_600, from: 0, until: 1_000)).isEmpty)
            #expect(try await counts(ActivityQuery(step: 60, from: 0, until: 1_000, title: "film")) == [8])
            let appletv = ActivityQuery(step: 60, from: 0, until: 1_000, deviceClass: "appletv")
            #expect(try await store.activity(appletv) == [rows[2]])
            #expect(try await store.pruneActivity(before: 120) == 2)
            #expect(try await counts(ActivityQuery(step: 60, from: 0, until: 1_000)) == [7])
        },
    ]
}

private func policy(_ document: [UInt8]) throws -> PolicyRecord { try PolicyRecord(name: "p", document: document) }
