import KeyStore
import Testing

extension KeyStoreContract {
    static let probe: [KeyStoreContract] = [
        .init("The write probe can be repeated, and does not change any record") { store in
            try await store.append(Sample.audit(1))
            let before = try await store.auditEntries(before: nil, limit: 10)
            for _ in 0..<3 { try await store.probeWrite() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for time: Int64 in 2...20 {
                    group.addTask { try await store.append(Sample.audit(time)) }
                    group.addTask { try await store.probeWrite() }
                }
                try await group.waitForAll()
            }
            #expect(try await store.auditEntries(before: nil, limit: 100).count == 20)
            #expect(try await store.auditEntries(before: 2, limit: 10) == before)
            let verification = try await store.verifyAudit()
            #expect(verification.isIntact)
        }
    ]
}
