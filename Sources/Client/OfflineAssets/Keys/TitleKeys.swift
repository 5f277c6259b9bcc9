public import ContentKeySession
import Locking

/// The kept keys of one title, as a key loader and the delegate of its session use them. What happens to a key is written
/// down beside it, in the same moment.
public final class TitleKeys: KeptKeys {
    /// The title.
    public let title: String
    private let store: KeptKeyStore
    private let device: any KeptKeyDevice
    private let now: @Sendable () -> Int64
    /// Whether the kept keys are passed over, so that the server is asked for others.
    private let asksForOthers: Bool
    private let trouble = Lock<OfflineStorageError?>(nil)

    init(
        _ title: String,
        store: KeptKeyStore,
        device: any KeptKeyDevice,
        asksForOthers: Bool,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.title, self.store, self.device) = (title, store, device)
        (self.asksForOthers, self.now) = (asksForOthers, now)
    }

    /// Why a key could not be read or kept, the last time that one could not.
    public var error: OfflineStorageError? { trouble.withLock { $0 } }

    /// The key that is kept for an identifier, unless others are wanted.
    public func key(for identifier: String) async -> [UInt8]? {
        asksForOthers ? nil : attempt { () throws(OfflineStorageError) in try kept(identifier)?.bytes?.bytes }
    }

    /// Keeps a key that the device made of a CKC, in the place of an older one.
    public func keep(_ key: [UInt8], for identifier: String) async {
        let now = now()
        // A device that does not say leaves the terms open.
        let facts = try? await device.facts(ofPersistableKey: key)
        let entry = facts.map { KeyLedgerEntry($0) } ?? KeyLedgerEntry(terms: .unknown, issued: now)
        change(identifier) { old in
            var new = KeptKey(kind: .fairPlay, bytes: RedactedBytes(key), entry: old?.entry ?? entry)
            if old != nil { new.entry.note(.renewed(entry), at: now) } else { new.entry.note(.taken, at: now) }
            return new
        }
    }

    /// Keeps a clear key, 16 bytes.
    func keep(clear key: [UInt8], for identifier: String) {
        let now = now()
        change(identifier) { _ in
            KeptKey(kind: .clear, bytes: RedactedBytes(key), entry: KeyLedgerEntry(terms: .limited(nil), issued: now))
        }
    }

    /// The device has begun to play, and the kept key is void: this one takes its place, before anything is shown.
    func replace(with key: [UInt8], for identifier: String) {
        let now = now()
        change(identifier) { old in
            guard var new = old else { return nil }
            new.bytes = RedactedBytes(key)
            new.entry.note(.played, at: now)
            return new
        }
    }

    /// Writes down what happened to a key.
    func note(_ event: KeyLedgerEvent, for identifier: String) {
        let now = now()
        change(identifier) { old in
            guard var new = old else { return nil }
            new.entry.note(event, at: now)
            return new
        }
    }

    /// The device has taken a key. That changes only what it had refused before.
    func noteTaken(_ identifier: String) {
        guard (try? kept(identifier))?.entry.refusal != nil else { return }
        note(.taken, for: identifier)
    }

    /// What is known of the keys; nothing where that cannot be read.
    public var ledger: TitleLedger { (try? store.title(title))?.ledger ?? TitleLedger(title: title, entries: [:]) }

    /// Writes down that the title was played.
    public func notePlayback() {
        let now = now()
        _ = attempt { () throws(OfflineStorageError) in try store.change(title) { $0.lastPlayed = now } }
    }

    /// What is kept for an identifier.
    func kept(_ identifier: String) throws(OfflineStorageError) -> KeptKey? { try store.title(title)?.keys[identifier] }

    private func change(_ identifier: String, _ change: (KeptKey?) -> KeptKey?) {
        _ = attempt { () throws(OfflineStorageError) in
            try store.change(title) { kept in
                if let key = change(kept.keys[identifier]) { kept.keys[identifier] = key }
            }
        }
    }

    private func attempt<Value>(_ body: () throws(OfflineStorageError) -> Value?) -> Value? {
        do throws(OfflineStorageError) {
            return try body()
        } catch {
            trouble.withLock { $0 = error }
            return nil
        }
    }
}
