import FPSCrypto
import KeyStore
import Testing

extension KeyStoreContract {
    static let adminTokens: [KeyStoreContract] = [
        .init("A token is found only by its hash") { store in
            let (record, token) = try AdminTokenRecord.make(name: "ann", role: .support, time: 1_000)
            let (other, _) = try AdminTokenRecord.make(name: "bob", role: .viewer, time: 2_000)
            try await store.addAdminToken(other)
            try await store.addAdminToken(record)
            let text = String(decoding: token.reveal(), as: UTF8.self)
            #expect(text.utf8.count == 68)
            #expect(try await store.adminToken(hash: AdminTokenRecord.hash(ofToken: text)) == record)
            #expect(try await store.adminToken(hash: AdminTokenRecord.hash(ofToken: text + "0")) == nil)
            #expect(try await store.adminToken(hash: Array(text.utf8)) == nil)
            #expect(try await store.adminTokens() == [record, other])
        },
        .init("A token's name is in use until the token is deleted") { store in
            let (first, _) = try AdminTokenRecord.make(name: "ann", role: .viewer, time: 0)
            let (second, _) = try AdminTokenRecord.make(name: "ann", role: .admin, time: 0)
            try await store.addAdminToken(first)
            await expectError(.conflict) { () throws(KeyStoreError) in try await store.addAdminToken(second) }
            #expect(try await store.adminTokens() == [first])
            #expect(try await store.deleteAdminToken(name: "ann"))
            #expect(try await store.deleteAdminToken(name: "ann") == false)
            #expect(try await store.adminToken(hash: first.hash) == nil)
            try await store.addAdminToken(second)
            #expect(try await store.adminTokens() == [second])
        },
        .init("The day of a token's last use only increases") { store in
            let (record, _) = try AdminTokenRecord.make(name: "ann", role: .viewer, time: 0)
            try await store.addAdminToken(record)
            #expect(record.lastUsedDay == nil)
            for (day, expected) in [(20_000, 20_000), (20_001, 20_001), (20_000, 20_001)] as [(Int64, Int64)] {
                try await store.noteUse(ofAdminToken: "ann", day: day)
                #expect(try await store.adminTokens().first?.lastUsedDay == expected)
            }
            try await store.noteUse(ofAdminToken: "missing", day: 1)
            #expect(try await store.adminTokens().count == 1)
        },
    ]
}
