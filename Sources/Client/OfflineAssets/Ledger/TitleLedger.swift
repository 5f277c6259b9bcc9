/// The kept keys of a title together: what holds for all of them.
public struct TitleLedger: Sendable, Hashable {
    /// The title.
    public var title: String
    /// What is known of each key, by its identifier.
    public var entries: [String: KeyLedgerEntry]

    /// Puts the keys of a title together.
    public init(title: String, entries: [String: KeyLedgerEntry]) { (self.title, self.entries) = (title, entries) }

    /// The key that decides how long the title may be watched: the one whose state is worst, of those the one that ends
    /// first. Nil when there is none.
    public func deciding(at now: Int64) -> KeyLedgerEntry? {
        entries.sorted { $0.key < $1.key }.map(\.value).min { left, right in
            let (first, second) = (Self.rank(left.state(at: now)), Self.rank(right.state(at: now)))
            return first == second ? (left.end ?? .max) < (right.end ?? .max) : first > second
        }
    }

    /// Whether any of it has played, and may go on.
    public func isBegun(at now: Int64) -> Bool { entries.values.contains { $0.state(at: now) == .playing } }

    private static func rank(_ state: KeptKeyState) -> Int {
        switch state {
        case .stored: 0
        // One that has begun to run out says more than one that has not.
        case .playing: 1
        case .refused: 2
        case .storageExpired: 3
        case .playbackExpired: 4
        case .revoked: 5
        }
    }
}
