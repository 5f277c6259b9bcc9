import ContentKeySession

/// The time in which a downloaded film may still be watched.
public enum RemainingTime: Hashable, Sendable, CustomStringConvertible {
    /// The film does not expire.
    case unlimited
    /// The time in seconds.
    case seconds(Int64)
    /// A key is missing, or cannot be used any more.
    case over

    /// Determines the time from the film's keys; the shortest counts.
    ///
    /// - Parameter keys: The histories of the film's keys; nil for a key that is not stored.
    public init(_ keys: [KeyHistoryEntry?], at now: Int64) {
        self = .unlimited
        for key in keys {
            guard let key, key.state(at: now).isPlayable else {
                self = .over
                return
            }
            guard let remaining = key.remaining(at: now) else { continue }
            if case .seconds(let shortest) = self, shortest <= remaining { continue }
            self = .seconds(remaining)
        }
    }

    /// The text for the label.
    public var description: String {
        switch self {
        case .unlimited: "Downloaded"
        case .seconds(let seconds) where seconds >= 2 * 86_400: "\(seconds / 86_400) days left"
        case .seconds(let seconds) where seconds >= 2 * 3600: "\(seconds / 3600) hours left"
        case .seconds(let seconds): "\(max(1, seconds / 60)) minutes left"
        case .over: "Connect to the internet to watch"
        }
    }
}
