public import ContentKeySession

/// A stored key of a title: bytes that only the device can use, and the key's history.
public struct OfflineKeyRecord: Sendable, Equatable {
    /// The kind of key.
    public enum Kind: UInt8, Sendable {
        /// A persistent key of FairPlay Streaming.
        case fairPlay = 1
        /// A Clear Key of 16 bytes (KEYFORMAT `identity`).
        case clear = 2
    }

    /// The kind of key.
    public var kind: Kind
    /// The persistent key created by the device, or the Clear Key of 16 bytes; nil after it was invalidated.
    public var bytes: RedactedBytes?
    /// The history of the key.
    public var entry: KeyHistoryEntry

    /// Creates a key.
    public init(kind: Kind, bytes: RedactedBytes?, entry: KeyHistoryEntry) {
        (self.kind, self.bytes, self.entry) = (kind, bytes, entry)
    }
}

/// The stored keys and settings of a title.
public struct OfflineTitle: Sendable, Equatable {
    /// The title.
    public var title: String
    /// The keys by identifier.
    public var keys: [String: OfflineKeyRecord] = [:]
    /// The storage policy, which applies when disk space runs short.
    public var policy = StoragePolicy()
    /// The time of the last playback, in seconds since 1970.
    public var lastPlayed: Int64?

    /// The origin of the key server that issued the FairPlay keys last, such as `https://keys.example`; nil if unknown.
    public var server: String?

    /// Creates a title without keys.
    public init(title: String) { self.title = title }

    /// The history of the title's keys.
    public var ledger: TitleKeyHistory { TitleKeyHistory(title: title, entries: keys.mapValues(\.entry)) }
}
