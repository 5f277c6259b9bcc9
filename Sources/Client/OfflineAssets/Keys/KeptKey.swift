public import ContentKeySession

/// A key that is kept for a title: bytes that only the device can use, and what is known of it.
public struct KeptKey: Sendable, Equatable {
    /// What kind of key it is.
    public enum Kind: UInt8, Sendable {
        /// A persistable key of FairPlay Streaming.
        case fairPlay = 1
        /// 16 bytes that decrypt by themselves (KEYFORMAT `identity`).
        case clear = 2
    }

    /// What kind of key it is.
    public var kind: Kind
    /// What the device made, or 16 bytes; nil once it was invalidated.
    public var bytes: RedactedBytes?
    /// What is known of it.
    public var entry: KeyLedgerEntry

    /// Makes a key.
    public init(kind: Kind, bytes: RedactedBytes?, entry: KeyLedgerEntry) {
        (self.kind, self.bytes, self.entry) = (kind, bytes, entry)
    }
}

/// What is kept of a title.
public struct KeptTitle: Sendable, Equatable {
    /// The title.
    public var title: String
    /// Its keys by their identifiers.
    public var keys: [String: KeptKey] = [:]
    /// How it is to be kept when room runs short.
    public var policy = StoragePolicy()
    /// When it was last played, in seconds since 1970.
    public var lastPlayed: Int64?

    /// A title without keys.
    public init(title: String) { self.title = title }

    /// What is known of its keys.
    public var ledger: TitleLedger { TitleLedger(title: title, entries: keys.mapValues(\.entry)) }
}
