import ContentKeySession
import FPSCrypto
import Foundation
import Testing

@testable import OfflineAssets

@Suite("Keys encrypted at rest")
struct OfflineKeyStoreTests {
    private let folder: Folder
    private let store: OfflineKeyStore

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    /// Every field has a different value.
    private static let full: OfflineTitle = {
        var entry = KeyHistoryEntry(terms: .dual(storage: 1, playback: nil), issued: 2, firstPlayed: 3)
        (entry.renewals, entry.renewed, entry.renewalRefusal) = (4, 5, LogSafeWord("six"))
        (entry.reported, entry.refusal) = (7, .init(code: .persistentKeyOutdated, moment: 8))
        (entry.revoked, entry.latest, entry.protocolVersions) = (9, 10, [16, 17])
        var title = OfflineTitle(title: "Der Spaziergänger 🎬")
        title.keys["skd://film/hd"] = OfflineKeyRecord(kind: .fairPlay, bytes: RedactedBytes([1, 2, 3]), entry: entry)
        title.keys["skd://gone"] = OfflineKeyRecord(
            kind: .fairPlay,
            bytes: nil,
            entry: .init(terms: .limited(11), issued: 12)
        )
        title.keys["https://a/key"] = OfflineKeyRecord(
            kind: .clear,
            bytes: RedactedBytes([UInt8](repeating: 0xa7, count: 16)),
            entry: .init(terms: .unknown, issued: -13)
        )
        title.policy = StoragePolicy(priority: .important, expirationDate: 14)
        (title.lastPlayed, title.server) = (15, "https://keys.example")
        return title
    }()

    @Test("Stored keys are read back completely, in another run too")
    func roundTrip() throws {
        try store.change(Self.full.title) { $0 = Self.full }
        #expect(try folder.store().title(Self.full.title) == Self.full)
        #expect(try folder.store().titles().titles == [Self.full])
        #expect(try store.title("another") == nil)
        #expect(try store.remove(Self.full.title))
        #expect(try store.title(Self.full.title) == nil)
        #expect(try !store.remove(Self.full.title))
    }

    @Test("The files reveal no key, title or identifier, not even in their names")
    func secrecy() throws {
        try store.change(Self.full.title) { $0 = Self.full }
        let name = try #require(folder.names("keys").first { $0.hasSuffix(".keys") })
        let bytes = try folder.bytes("keys/" + name)
        for secret in ["Spazier", "skd", "film", "https"] {
            #expect(bytes.firstRange(of: Array(secret.utf8)) == nil)
            #expect(!name.contains(secret))
        }
        #expect(bytes.firstRange(of: [UInt8](repeating: 0xa7, count: 4)) == nil)
        #expect(try folder.mode("keys/" + name) == 0o600)
        #expect(try folder.mode("storage.key") == 0o600)
        #expect(try folder.mode("keys") == 0o700)
    }

    @Test("Every truncation and changed byte is detected, and the other titles stay readable")
    func damage() throws {
        try store.change("one") { $0.lastPlayed = 1 }
        let name = try #require(folder.names("keys").first { $0.hasSuffix(".keys") })
        try store.change("two") { $0.lastPlayed = 2 }
        let bytes = try folder.bytes("keys/" + name)
        for count in 0..<bytes.count {
            try folder.write(bytes[..<count], to: "keys/" + name)
            #expect(throws: OfflineStorageError.self) { try store.title("one") }
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            try folder.write(changed, to: "keys/" + name)
            let (titles, damaged) = try store.titles()
            #expect(titles.map(\.title) == ["two"])
            #expect(damaged.map(\.code) == [.damaged])
        }
        // Its keys are already lost and can be replaced.
        try store.change("one") { $0.lastPlayed = 3 }
        #expect(try store.title("one")?.lastPlayed == 3)
    }

    @Test("A file that was swapped, or encrypted with another key, cannot be decrypted")
    func identity() throws {
        try store.change("one") { $0.lastPlayed = 1 }
        let one = try #require(folder.names("keys").first { $0.hasSuffix(".keys") })
        try store.change("two") { $0.lastPlayed = 2 }
        let two = try #require(folder.names("keys").first { $0.hasSuffix(".keys") && $0 != one })
        try folder.write(try folder.bytes("keys/" + two), to: "keys/" + one)
        #expect(throws: OfflineStorageError.self) { try store.title("one") }
        let other = try OfflineKeyStore(folder: folder.path + "/keys", key: .of(1))
        #expect(try other.title("two") == nil)
        #expect(try other.titles().damaged.count == 2)
    }

    @Test("Temporary files of a stopped process are removed at the next start")
    func drafts() throws {
        try store.change("one") { $0.lastPlayed = 1 }
        try folder.write([1, 2, 3], to: "keys/whatever.keys.123.draft")
        #expect(try folder.store().titles().titles.map(\.title) == ["one"])
        #expect(!folder.names("keys").contains { $0.hasSuffix(".draft") })
    }

    @Test("Concurrent changes are all stored")
    func concurrent() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let store = try folder.store()
                group.addTask {
                    try store.change("one") { kept in
                        kept.keys["skd://\(number)"] = OfflineKeyRecord(
                            kind: .fairPlay,
                            bytes: RedactedBytes([UInt8(number)]),
                            entry: KeyHistoryEntry(terms: .unknown, issued: 0)
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.title("one")?.keys.count == 40)
    }

    @Test("A storage key that others can read, or that is malformed, is rejected")
    func storageKey() throws {
        let path = folder.path + "/storage.key"
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        #expect(throws: OfflineStorageError(.unsafePermissions, place: path, reason: Self.permissions + path)) {
            try StorageKey.open(path)
        }
        for count in [0, 31, 33, 1000] {
            try folder.write([UInt8](repeating: 1, count: count), to: "storage.key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let code = { () -> OfflineStorageError.Code? in
                do throws(OfflineStorageError) {
                    _ = try StorageKey.open(path)
                    return nil
                } catch {
                    return error.code
                }
            }()
            #expect(code == .malformedKey)
        }
    }

    private static let permissions = "it contains a secret and is accessible to other users (mode 0604); chmod 600 "

    @Test("Many titles are listed, each once")
    func many() throws {
        for number in 0..<200 { try store.change("title \(number)") { $0.lastPlayed = Int64(number) } }
        #expect(try store.titles().titles.count == 200)
    }
}
