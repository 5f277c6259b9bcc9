/// One round trip, or one key that was loaded, in the access log. Its types cannot hold keys, tokens or messages.
public struct KeyAccess: Hashable, Sendable {
    /// What was done.
    public enum Kind: String, Sendable {
        /// The application certificate was fetched.
        case certificate
        /// A key was loaded that somebody waited for.
        case onDemand = "on-demand"
        /// A key was loaded before somebody needed it.
        case preload
        /// A lease was renewed.
        case renewal
    }

    /// What was done.
    public let kind: Kind
    /// The key, or where the certificate is.
    public let label: KeyLabel
    /// When it was done, by the loader's clock.
    public let time: Duration
    /// How long it took, from the request's arrival; all attempts included.
    public let duration: Duration
    /// How many attempts it took.
    public let attempts: Int
    /// How many keys shared the last round trip.
    public let batchSize: Int
    /// The size of SPC and CKC, or of the certificate, in bytes.
    public let bytesSent: Int
    /// The size of the answer, in bytes.
    public let bytesReceived: Int
}

/// One failure in the error log. Its types cannot hold keys, tokens or messages.
public struct KeyErrorEntry: Hashable, Sendable, CustomStringConvertible {
    /// The key, or where the certificate is.
    public let label: KeyLabel
    /// When, by the loader's clock.
    public let time: Duration
    /// What went wrong.
    public let failure: KeyFailure
    /// After what time it is tried again; nil: this was the end, and the request was answered with the failure.
    public let retryAfter: Duration?

    /// What the user, or whoever looks after the app, can do.
    public var advice: String { failure.kind.rule.advice }

    /// One line.
    public var description: String {
        let next = retryAfter.map { "again in \($0)" } ?? "given up"
        return "\(label): \(failure), \(next). \(advice)"
    }
}

/// The last entries of a log.
public struct BoundedLog<Entry: Sendable>: Sendable {
    /// The oldest first.
    public private(set) var entries: [Entry] = []
    /// How many older ones are gone.
    public private(set) var dropped = 0
    private let maximum: Int

    init(maximum: Int) { self.maximum = max(1, maximum) }

    mutating func append(_ entry: Entry) {
        // Halving keeps an append cheap on average.
        if entries.count >= maximum * 2 {
            dropped += entries.count - maximum
            entries.removeFirst(entries.count - maximum)
        }
        entries.append(entry)
    }
}
