/// Values by name in bounded memory, of which the least used are forgotten: those that were not asked for while `capacity`
/// others were. At most twice as many as `capacity` are remembered.
///
/// Two tables, a young and an old one. What is used is in the young one; when that is full it becomes the old one, and
/// the old one goes. So each step takes the same time, however many there are.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { young.count + old.count }

    /// The value, if there is one. To look is not to use.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    /// The value, if there is one.
    mutating func use(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        set(key, value)
        return value
    }

    /// Remembers a value.
    mutating func set(_ key: Key, _ value: Value) {
        makeRoom(for: key)
        young[key] = value
        old[key] = nil
    }

    /// Forgets a value.
    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Changes a value, which begins as `initial` says.
    mutating func update<Result>(
        _ key: Key,
        initial: @autoclosure () -> Value,
        _ change: (inout Value) -> Result
    ) -> Result {
        makeRoom(for: key)
        return change(&young[key, default: old.removeValue(forKey: key) ?? initial()])
    }

    private mutating func makeRoom(for key: Key) {
        guard young.count >= capacity, young[key] == nil else { return }
        // What is about to be used must not go with the old ones.
        let value = old[key]
        old = young
        young = [:]
        if let value { old[key] = value }
    }
}
