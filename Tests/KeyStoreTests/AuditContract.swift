import KeyStore
import Testing

extension KeyStoreContract {
    static let audit: [KeyStoreContract] = [
        .init("An audit record is stored with every field") { store in
            var record = AuditRecord(
                milliseconds: 1_763_000_000_123,
                route: "/fps/license",
                outcome: "refused",
                microseconds: 480
            )
            record.detail = "the policy wants HDCP Type 1; naïve 漢字 '; DROP TABLE audit"
            record.transactionID = .max
            record.sessionID = 1 << 63
            record.assetID = [0, 0xFF, 0x80]
            record.device = store.deviceHash(hu: Array(repeating: 5, count: 20))
            record.account = "viewer 漢字"
            record.deviceClass = "Apple TV"
            record.bundleName = "app"
            record.policyName = "premium"
            record.remoteAddress = "2001:db8::1"
            record.requestID = "0123456789abcdef"
            try await store.append(record)
            let plain = Sample.audit(7)
            try await store.append(plain)
            #expect(try await store.auditEntries(before: nil, limit: 10).map(\.record) == [plain, record])
        },
        .init("The audit log is read backward from the newest entry, page by page") { store in
            for time in 1...5 { try await store.append(Sample.audit(Int64(time))) }
            let newest = try await store.auditEntries(before: nil, limit: 2)
            #expect(newest.map(\.record.milliseconds) == [5, 4])
            let older = try await store.auditEntries(before: newest[1].number, limit: 10)
            #expect(older.map(\.record.milliseconds) == [3, 2, 1])
            #expect(try await store.auditEntries(before: older[2].number, limit: 10).isEmpty)
        },
        .init("Records that are appended concurrently are stored exactly once") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for time in 0..<700 { group.addTask { try await store.append(Sample.audit(Int64(time))) } }
                try await group.waitForAll()
            }
            let entries = try await store.auditEntries(before: nil, limit: 1_000)
            #expect(entries.map(\.record.milliseconds).sorted() == Array(0..<700))
            let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.number > $1.number }
            #expect(isSorted)
        },
        .init("The audit log is read forward from the oldest entry, page by page") { store in
            for time in 1...5 { try await store.append(Sample.audit(Int64(time))) }
            let oldest = try await store.auditEntries(after: nil, limit: 2)
            #expect(oldest.map(\.record.milliseconds) == [1, 2])
            let newer = try await store.auditEntries(after: oldest[1].number, limit: 10)
            #expect(newer.map(\.record.milliseconds) == [3, 4, 5])
            #expect(try await store.auditEntries(after: newer[2].number, limit: 10).isEmpty)
        },
        .init("The entries of a node are numbered and chained, and the log is intact") { store in
            #expect(try await store.verifyAudit().isIntact)
            for time in 1...3 { try await store.append(Sample.audit(Int64(time))) }
            _ = try await store.grant(Sample.proposal().slot())
            let entries = try await store.auditEntries(after: nil, limit: 10)
            #expect(entries.map(\.sequence) == [1, 2, 3, 4])
            #expect(Set(entries.map(\.node)).count == 1)
            #expect(entries[0].node.count == 8)
            var head = AuditHead(startOf: entries[0].node)
            for entry in entries {
                head = head.appending(entry.record)
                #expect(entry.hash == head.hash)
            }
            let found = try await store.verifyAudit()
            #expect(found.isIntact)
            #expect(found.entries == 4)
            #expect(found.heads == [head])
        },
        .init("A known head is found later, and a head of another log is not") { store in
            for time in 1...3 { try await store.append(Sample.audit(Int64(time))) }
            let head = try #require(try await store.verifyAudit().heads.first)
            try await store.append(Sample.audit(4))
            #expect(try await store.verifyAudit(expecting: head).isIntact)
            let other = AuditHead(node: head.node, sequence: 3, hash: Sample.hash(3))
            #expect(try await store.verifyAudit(expecting: other).firstBreak?.fault == .changed)
            let later = AuditHead(node: head.node, sequence: 9, hash: Sample.hash(3))
            let found = try await store.verifyAudit(expecting: later).firstBreak
            #expect(found?.fault == .truncated)
            #expect(found?.sequence == 5)
        },
        .init("A device's hash is stable, differs between devices and does not contain the HU") { store in
            let hu: [UInt8] = Array(1...20)
            let hash = store.deviceHash(hu: hu)
            #expect(hash == store.deviceHash(hu: hu))
            #expect(hash != store.deviceHash(hu: Array(2...21)))
            #expect(hash.bytes.count == 16)
            #expect(hash.bytes != Array(hu.prefix(16)))
        },
    ]
}
