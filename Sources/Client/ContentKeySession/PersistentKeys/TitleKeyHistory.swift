/// The history of all stored keys of a title.
public struct TitleKeyHistory: Sendable, Hashable {
    /// The title.
    public var title: String
    /// The history of each key, by identifier.
    public var entries: [String: KeyHistoryEntry]

    /// Creates the history of a title.
    public init(title: String, entries: [String: KeyHistoryEntry]) { (self.title, self.entries) = (title, entries) }

    /// Returns the key that determines how long the title can be watched: the key with the worst state, and of those
    /// the one that expires first. Nil if there are no keys.
    public func deciding(at now: Int64) -> KeyHistoryEntry? {
        entries.sorted { $0.key < $1.key }.map(\.value).min { left, right in
            let (first, second) = (Self.rank(left.state(at: now)), Self.rank(right.state(at: now)))
            return first == second ? (left.end ?? .max) < (right.end ?? .max) : first > second
        }
    }

    /// Returns whether playback has started and can continue.
    public func isBegun(at now: Int64) -> Bool { entries.values.contains { $0.state(at: now) == .playing } }

    private static func rank(_ state: OfflineKeyState) -> Int {
        switch state {
        case .stored: 0
        // A key whose playback period runs is worse than one whose period has not started.
        case .playing: 1
        case .refused: 2
        case .storageExpired: 3
        case .playbackExpired: 4
        case .revoked: 5
        }
    }
}
