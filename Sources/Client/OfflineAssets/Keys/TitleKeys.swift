public import ContentKeySession
import Locking

/// The stored keys of one title, for a key loader and a session delegate. The history of a key is updated in the same
/// transaction.
public final class TitleKeys: VersionedPersistentKeyStore {
    /// The title.
    public let title: String
    private let store: OfflineKeyStore
    private let device: any PersistentKeyDevice
    private let now: @Sendable () -> Int64
    /// True if stored keys are ignored, so that new keys are requested from the server.
    private let ignoresStoredKeys: Bool
    /// The origin of the key server; nil without a server.
    private let server: String?
    private let lastError = Lock<OfflineStorageError?>(nil)

    init(
        _ title: String,
        store: OfflineKeyStore,
        device: any PersistentKeyDevice,
        server: String?,
        ignoresStoredKeys: Bool,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.title, self.store, self.device) = (title, store, device)
        (self.server, self.ignoresStoredKeys, self.now) = (server, ignoresStoredKeys, now)
    }

    /// The last error of reading or storing a key.
    public var error: OfflineStorageError? { lastError.withLock { $0 } }

    /// Returns the stored key for an identifier; nil if new keys are to be requested.
    public func key(for identifier: String) async -> [UInt8]? {
        ignoresStoredKeys ? nil : attempt { () throws(OfflineStorageError) in try storedKey(identifier)?.bytes?.bytes }
    }

    /// Returns the protocol versions that the stored key was requested with, also if it is to be replaced.
    public func protocolVersions(for identifier: String) async -> [UInt32]? {
        attempt { () throws(OfflineStorageError) in try storedKey(identifier)?.entry.protocolVersions }
    }

    /// Stores a key that the device created from a CKC, and replaces an older key, with its protocol versions.
    public func save(_ key: [UInt8], for identifier: String) async {
        await save(key, protocolVersions: protocolVersions(for: identifier) ?? [1], for: identifier)
    }

    /// Stores a key that the device created from a CKC, and replaces an older key.
    public func save(_ key: [UInt8], protocolVersions: [UInt32], for identifier: String) async {
        let now = now()
        // Without information from the device, the terms are unknown.
        let facts = try? await device.facts(ofPersistableKey: key)
        var entry = facts.map { KeyHistoryEntry($0) } ?? KeyHistoryEntry(terms: .unknown, issued: now)
        entry.protocolVersions = protocolVersions
        change(identifier, issuedBy: server) { [entry] old in
            var new = OfflineKeyRecord(kind: .fairPlay, bytes: RedactedBytes(key), entry: old?.entry ?? entry)
            if old != nil { new.entry.note(.renewed(entry), at: now) } else { new.entry.note(.taken, at: now) }
            return new
        }
    }

    /// Stores a Clear Key of 16 bytes.
    func storeClearKey(_ key: [UInt8], for identifier: String) {
        let now = now()
        change(identifier) { _ in
            OfflineKeyRecord(
                kind: .clear,
                bytes: RedactedBytes(key),
                entry: KeyHistoryEntry(terms: .limited(nil), issued: now)
            )
        }
    }

    /// Replaces a stored key that became invalid at first playback, before the first frame is shown.
    func replace(with key: [UInt8], for identifier: String) {
        let now = now()
        change(identifier) { old in
            guard var new = old else { return nil }
            new.bytes = RedactedBytes(key)
            new.entry.note(.played, at: now)
            return new
        }
    }

    /// Records an event of a key.
    func note(_ event: KeyHistoryEvent, for identifier: String) {
        let now = now()
        change(identifier) { old in
            guard var new = old else { return nil }
            new.entry.note(event, at: now)
            return new
        }
    }

    /// Records that the device accepted a key. This has an effect only after a rejection.
    func noteAccepted(_ identifier: String) {
        guard (try? storedKey(identifier))?.entry.refusal != nil else { return }
        note(.taken, for: identifier)
    }

    /// The history of the keys, with the states that the device would decide now; empty if it cannot be read.
    public var ledger: TitleKeyHistory {
        get async {
            let kept = try? store.title(title)
            return await kept?.confirmed(by: device).ledger ?? TitleKeyHistory(title: title, entries: [:])
        }
    }

    /// Records that the title was played.
    public func notePlayback() {
        let now = now()
        _ = attempt { () throws(OfflineStorageError) in try store.change(title) { $0.lastPlayed = now } }
    }

    /// Returns the stored key for an identifier.
    func storedKey(_ identifier: String) throws(OfflineStorageError) -> OfflineKeyRecord? {
        try store.title(title)?.keys[identifier]
    }

    private func change(
        _ identifier: String,
        issuedBy server: String? = nil,
        _ change: (OfflineKeyRecord?) -> OfflineKeyRecord?
    ) {
        _ = attempt { () throws(OfflineStorageError) in
            try store.change(title) { kept in
                if let server { kept.server = server }
                if let key = change(kept.keys[identifier]) { kept.keys[identifier] = key }
            }
        }
    }

    private func attempt<Value>(_ body: () throws(OfflineStorageError) -> Value?) -> Value? {
        do throws(OfflineStorageError) {
            return try body()
        } catch {
            lastError.withLock { $0 = error }
            return nil
        }
    }
}
