import KeyStore
import Testing

extension KeyStoreContract {
    /// Makes every kind of catalog change, each with a record that describes it.
    private static func changeEverything(_ store: any KeyServerStore) async throws {
        @Sendable func put(_ name: String) -> AuditRecordProvider { { outcome in audit("\(name) \(outcome)") } }
        @Sendable func audit(_ outcome: String) -> AuditRecord {
            AuditRecord(milliseconds: 1, route: "test", outcome: outcome, microseconds: 1)
        }
        let policy = try Sample.policy("p")
        try await store.putPolicy(policy, replacing: false, audit: put("policy"))
        try await store.putPolicy(policy, replacing: true, audit: put("policy"))
        try await store.putTitle(try TitleRecord(name: "film", time: 0), replacing: false, audit: put("title"))
        let track = try TrackRecord(title: "film", name: "hd", kind: .hd)
        try await store.putTrack(track, replacing: false, audit: put("track"))
        let channel = try ChannelRecord(title: "film", tracks: ["hd"], length: 600, ahead: 0, time: 0)
        try await store.putChannel(channel, replacing: false, audit: put("channel"))
        let period = try Sample.period("film", "hd", 1)
        try await store.putContent(period, replacing: false, audit: put("content"))
        let batch = ContentBatch(contents: [try Sample.period("film", "hd", 2)])
        try await store.put(batch, replacing: false, audit: audit("batch"))
        try await store.putCertificateBundle(try Sample.bundle("app"), replacing: false, audit: put("bundle"))
        let (token, _) = try AdminTokenRecord.make(name: "ann", role: .viewer, time: 0)
        try await store.addAdminToken(token, audit: audit("token"))

        try await store.deleteAdminToken(name: "ann", audit: audit("token deleted"))
        try await store.deleteCertificateBundle(name: "app", audit: audit("bundle deleted"))
        for record in batch.contents { try await store.deleteContent(assetID: record.info.assetID) }
        try await store.deleteContent(assetID: period.info.assetID, audit: audit("content deleted"))
        try await store.deleteChannel(title: "film", audit: audit("channel deleted"))
        try await store.deleteTrack(title: "film", name: "hd", audit: audit("track deleted"))
        try await store.deleteTitle(name: "film", audit: audit("title deleted"))
        try await store.deletePolicy(name: "p", audit: audit("policy deleted"))
    }

    static let auditedChanges: [KeyStoreContract] = [
        .init("Every change of the catalog is audited with its outcome, in one chain with licenses") { store in
            _ = try await store.grant(Sample.proposal().slot())
            try await changeEverything(store)
            _ = try await store.grant(Sample.proposal(device: 2).slot())
            let entries = try await store.auditEntries(after: nil, limit: 100).dropFirst().dropLast()
            #expect(
                entries.map(\.record.outcome) == [
                    "policy created", "policy replaced", "title created", "track created", "channel created",
                    "content created", "batch", "bundle created", "token", "token deleted", "bundle deleted",
                    "content deleted", "channel deleted", "track deleted", "title deleted", "policy deleted",
                ]
            )
            #expect(try await store.verifyAudit().isIntact)
        },
        .init("A change that is rejected, or that changes nothing, is not audited") { store in
            let audit = AuditRecord(milliseconds: 1, route: "test", outcome: "wrong", microseconds: 1)
            let note: AuditRecordProvider = { _ in audit }
            let policy = try Sample.policy("p")
            try await store.putPolicy(policy, replacing: false)
            await expectError(.conflict) { () throws(KeyStoreError) in
                try await store.putPolicy(policy, replacing: false, audit: note)
            }
            let orphan = try Sample.period("film", "hd", 1)
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.putContent(orphan, replacing: false, audit: note)
            }
            await expectError(.missingReference) { () throws(KeyStoreError) in
                try await store.put(ContentBatch(contents: [orphan]), replacing: false, audit: audit)
            }
            #expect(try await store.deletePolicy(name: "q", audit: audit) == false)
            #expect(try await store.deleteContent(assetID: [1, 2], audit: audit) == false)
            #expect(try await store.deleteTitle(name: "film", audit: audit) == false)
            #expect(try await store.deleteTrack(title: "film", name: "hd", audit: audit) == false)
            #expect(try await store.deleteChannel(title: "film", audit: audit) == false)
            #expect(try await store.deleteCertificateBundle(name: "app", audit: audit) == false)
            #expect(try await store.deleteAdminToken(name: "ann", audit: audit) == false)
            #expect(try await store.auditEntries(after: nil, limit: 10).isEmpty)
        },
        .init("Concurrent changes and licenses are all audited, without a deadlock") { store in
            let count = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask { _ = try await store.grant(Sample.proposal(device: number).slot()) }
                    group.addTask {
                        let record = AuditRecord(
                            milliseconds: 1,
                            route: "test",
                            outcome: "policy \(number)",
                            microseconds: 1
                        )
                        try await store.putPolicy(try Sample.policy("p\(number)"), replacing: false) { _ in record }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await store.verifyAudit()
            #expect(found.isIntact)
            #expect(found.entries == 2 * count)
        },
    ]
}
