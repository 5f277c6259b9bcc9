/// An entry of the access log: a certificate fetch or a loaded key. Its types cannot contain keys, tokens or messages.
public struct KeyAccess: Hashable, Sendable {
    /// The kind of access.
    public enum Kind: String, Sendable {
        /// A fetch of the application certificate.
        case certificate
        /// A key that was loaded for playback that waited for it.
        case onDemand = "on-demand"
        /// A key that was loaded before it was needed.
        case preload
        /// A renewed lease.
        case renewal
    }

    /// The kind of access.
    public let kind: Kind
    /// The key, or the address of the certificate.
    public let label: KeyLabel
    /// The time of the access, by the loader's clock.
    public let time: Duration
    /// The time from the arrival of the request to the result, including all attempts.
    public let duration: Duration
    /// The number of attempts.
    public let attempts: Int
    /// The number of keys in the last round trip.
    public let batchSize: Int
    /// The size of the SPC in bytes; 0 for the certificate.
    public let bytesSent: Int
    /// The size of the response (a CKC, a key or the certificate) in bytes.
    public let bytesReceived: Int
}

/// A failure in the error log. Its types cannot contain keys, tokens or messages.
public struct KeyErrorEntry: Hashable, Sendable, CustomStringConvertible {
    /// The key, or the address of the certificate.
    public let label: KeyLabel
    /// The time of the failure, by the loader's clock.
    public let time: Duration
    /// The failure.
    public let failure: KeyFailure
    /// The delay before the next attempt; nil if no attempt follows: the request ended with the failure, or succeeded
    /// although its key could not be stored (``KeyFailure/Kind/keyNotStored``).
    public let retryAfter: Duration?

    /// True if no attempt follows.
    public var isFinal: Bool { retryAfter == nil }

    /// The advice to the user or to the operator of the app.
    public var advice: String { failure.advice }

    /// The label, the failure, the next step, the advice, and the meaning of the device's error number, on one line.
    public var description: String {
        let next = retryAfter.map { "retry in \(($0 / .milliseconds(1)).rounded() / 1000) s" } ?? "not retried"
        let device = failure.platformCode.map { code in
            " Device: \(code)" + (failure.explanation.map { ", \($0.name): \($0.summary)" } ?? "")
        }
        return "\(label): \(failure), \(next). \(advice)\(device ?? "")"
    }
}

/// The most recent entries of a log.
public struct BoundedLog<Entry: Sendable>: Sendable {
    /// The entries, oldest first.
    public private(set) var entries: [Entry] = []
    /// The number of older entries that were removed.
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
