#if canImport(AVFoundation)
public import ContentKeySession
public import Foundation

/// A store of persistent keys and their histories in one file of the app. Only the device that created a persistent key
/// can open it.
///
/// Each change replaces the file atomically, so that a crash leaves either the old keys or the new ones. Put the file
/// into a folder that is not backed up, because another device cannot use it.
///
/// For clear keys (``OfflineClearKeys``), write a store that uses the keychain: they are usable on any device.
public actor PersistentKeyFile: VersionedPersistentKeyStore {
    /// A stored key and its history.
    public struct Record: Sendable, Hashable {
        /// The persistent key; nil after it was invalidated.
        public var key: [UInt8]?
        /// The terms of the key and what happened to it.
        public var history: KeyHistoryEntry

        /// Creates a record.
        public init(key: [UInt8]?, history: KeyHistoryEntry) { (self.key, self.history) = (key, history) }
    }

    /// An event of a key that could not be recorded in its history.
    public struct UnrecordedEvent: Sendable, Hashable {
        /// The identifier of the key.
        public let identifier: String
        /// The event.
        public let event: KeyHistoryEvent
        /// The reason, and what to do.
        public let error: PersistentKeyFileError
    }

    private let file: URL
    private let protection: Data.WritingOptions
    private let now: @Sendable () -> Int64
    private var records: [String: Record]?
    private let changeBroadcast = Broadcast<[String: KeyHistoryEntry]>()
    private let unrecorded = Broadcast<UnrecordedEvent>()

    /// Creates a store for a file. The file does not have to exist; its folder is created.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - protection: The data protection of the file. The default allows background downloads and renewals while the
    ///     device is locked, after it was unlocked once.
    ///   - now: Returns the time in seconds since 1970.
    public init(
        _ file: URL,
        protection: Data.WritingOptions = .completeFileProtectionUntilFirstUserAuthentication,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        (self.file, self.protection, self.now) = (file, protection, now)
    }

    deinit {
        changeBroadcast.finish()
        unrecorded.finish()
    }

    /// Returns the stored key for an identifier; nil if no key is stored or the file cannot be read now.
    public func key(for identifier: String) -> [UInt8]? { (try? all())?[identifier]?.key }

    /// Returns the protocol versions that the stored key was requested with, also after it was invalidated.
    public func protocolVersions(for identifier: String) -> [UInt32]? {
        (try? all())?[identifier]?.history.protocolVersions
    }

    /// Stores a key that the device created from a CKC, like ``save(_:protocolVersions:for:)``, with the protocol
    /// versions of the older key.
    ///
    /// - Throws: ``PersistentKeyFileError``; the stored keys are then unchanged.
    public func save(_ key: [UInt8], for identifier: String) throws {
        try save(key, protocolVersions: protocolVersions(for: identifier) ?? [1], for: identifier)
    }

    /// Stores a key that the device created from a CKC. It replaces an older key, and is recorded as its renewal, with
    /// the same terms.
    ///
    /// - Throws: ``PersistentKeyFileError``; the stored keys are then unchanged.
    public func save(_ key: [UInt8], protocolVersions: [UInt32], for identifier: String) throws {
        let time = now()
        try change(identifier) { old in
            var entry = KeyHistoryEntry(terms: old?.history.terms ?? .unknown, issued: time)
            entry.protocolVersions = protocolVersions
            var record = Record(key: key, history: old?.history ?? entry)
            if old != nil { record.history.note(.renewed(entry), at: time) }
            return record
        }
    }

    /// Replaces a key at its first playback: the device no longer accepts the old one, and the playback period has
    /// started.
    ///
    /// - Throws: ``PersistentKeyFileError``; the stored keys are then unchanged.
    func replace(with key: [UInt8], for identifier: String) throws {
        let time = now()
        try change(identifier) { old in
            var record = old ?? Record(key: key, history: KeyHistoryEntry(terms: .unknown, issued: time))
            record.key = key
            record.history.note(.played, at: time)
            return record
        }
    }

    /// The records of all keys by identifier.
    ///
    /// - Throws: ``PersistentKeyFileError/unreadable``.
    public func allRecords() throws -> [String: Record] { try all() }

    /// The histories of all keys by identifier, from now on after each change. Each access starts a new sequence, which
    /// begins with the current histories.
    public var changes: AsyncStream<[String: KeyHistoryEntry]> {
        let current = (try? all()) ?? [:]
        let (stream, continuation) = AsyncStream.makeStream(of: [String: KeyHistoryEntry].self)
        continuation.yield(current.mapValues(\.history))
        let later = changeBroadcast.sequence()
        let task = Task {
            for await change in later { continuation.yield(change) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// The events of playbacks and refreshes that could not be recorded, from now on: the histories, and the advice that
    /// follows from them, do not contain them. Each access starts a new sequence.
    public nonisolated var unrecordedEvents: AsyncStream<UnrecordedEvent> { unrecorded.sequence() }

    /// Changes the record of a key; nil deletes it. The change is in the file when this returns.
    ///
    /// - Throws: ``PersistentKeyFileError``; the stored keys are then unchanged.
    public func change(
        _ identifier: String,
        _ body: @Sendable (Record?) -> Record?
    ) throws(PersistentKeyFileError) {
        var changed = try all()
        let before = changed[identifier]
        changed[identifier] = body(before)
        guard changed[identifier] != before else { return }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try encoder.encode(changed.mapValues(StoredRecord.init)).write(to: file, options: [.atomic, protection])
        } catch {
            throw .notWritten
        }
        records = changed
        changeBroadcast.add(changed.mapValues(\.history))
    }

    /// Records an event of a key. Does nothing if the key is not stored.
    public func note(_ event: KeyHistoryEvent, for identifier: String) throws(PersistentKeyFileError) {
        let time = now()
        try change(identifier) { old in
            guard var record = old else { return nil }
            record.history.note(event, at: time)
            if event == .invalidated { record.key = nil }
            return record
        }
    }

    /// Records an event that nothing waits for. A failure is an element of ``unrecordedEvents``.
    func noteOrReport(_ event: KeyHistoryEvent, for identifier: String) {
        do throws(PersistentKeyFileError) {
            try note(event, for: identifier)
        } catch {
            unrecorded.add(UnrecordedEvent(identifier: identifier, event: event, error: error))
        }
    }

    /// The identifiers of all keys, sorted.
    public var identifiers: [String] { ((try? all()) ?? [:]).keys.sorted() }

    private func all() throws(PersistentKeyFileError) -> [String: Record] {
        if let records { return records }
        guard FileManager.default.fileExists(atPath: file.path) else {
            records = [:]
            return [:]
        }
        // A file that cannot be read, as before the first unlock after a restart, must not be replaced.
        guard let data = try? Data(contentsOf: file),
            let stored = try? PropertyListDecoder().decode([String: StoredRecord].self, from: data)
        else { throw .unreadable }
        let read = stored.mapValues(\.record)
        records = read
        return read
    }
}

/// An error of a ``PersistentKeyFile``.
public enum PersistentKeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file exists and cannot be read: the device was not unlocked since it started, or the file is damaged.
    case unreadable
    /// The file could not be written: the storage is full, or the device was not unlocked since it started.
    case notWritten

    /// The error and what to do.
    public var description: String {
        switch self {
        case .unreadable: "the file of the persistent keys cannot be read: unlock the device, then try again"
        case .notWritten: "the file of the persistent keys cannot be written: free storage, then try again"
        }
    }
}

/// A record in the file.
private struct StoredRecord: Codable {
    var key: Data?
    /// 0: unknown, 1: one expiry period, 2: two expiry periods.
    var terms: Int
    var storage: Int64?
    var playback: Int64?
    var issued: Int64
    var firstPlayed: Int64?
    var renewals: UInt32
    var renewed: Int64?
    var renewalRefusal: String?
    var reported: Int64?
    var refusalCode: String?
    var refusalTime: Int64?
    var revoked: Int64?
    var latest: Int64
    var protocolVersions: [UInt32]

    init(_ record: PersistentKeyFile.Record) {
        let history = record.history
        key = record.key.map { Data($0) }
        switch history.terms {
        case .unknown: terms = 0
        case .limited(let duration): (terms, storage) = (1, duration)
        case .dual(let storage, let playback): (terms, self.storage, self.playback) = (2, storage, playback)
        }
        (issued, firstPlayed, latest) = (history.issued, history.firstPlayed, history.latest)
        (renewals, renewed, renewalRefusal) = (history.renewals, history.renewed, history.renewalRefusal?.description)
        (refusalCode, refusalTime) = (history.refusal?.code.rawValue, history.refusal?.moment)
        (reported, revoked) = (history.reported, history.revoked)
        protocolVersions = history.protocolVersions
    }

    var record: PersistentKeyFile.Record {
        let terms: KeyHistoryEntry.Terms =
            switch self.terms {
            case 1: .limited(storage)
            case 2: .dual(storage: storage, playback: playback)
            default: .unknown
            }
        var history = KeyHistoryEntry(terms: terms, issued: issued, firstPlayed: firstPlayed)
        (history.renewals, history.renewed) = (renewals, renewed)
        history.renewalRefusal = renewalRefusal.flatMap(LogSafeWord.init)
        (history.reported, history.revoked, history.latest) = (reported, revoked, latest)
        history.protocolVersions = protocolVersions
        if let refusalCode, let refusalTime {
            history.refusal = .init(code: .init(rawValue: refusalCode), moment: refusalTime)
        }
        return PersistentKeyFile.Record(key: key.map { Array($0) }, history: history)
    }
}
#endif
