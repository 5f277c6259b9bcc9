/// A cache with bounded memory that evicts the least recently used values. It keeps the last `capacity` used values,
/// and at most twice as many.
///
/// It consists of two tables, a young one and an old one. Used values move to the young table. When that is full, it
/// becomes the old table, and the previous old table is dropped. Each operation therefore takes constant time.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { young.count + old.count }

    /// Returns the value, if there is one, without marking it as used.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    /// Returns the value, if there is one.
    mutating func use(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        set(key, value)
        return value
    }

    /// Stores a value.
    mutating func set(_ key: Key, _ value: Value) {
        rotateIfFull(for: key)
        young[key] = value
        old[key] = nil
    }

    /// Removes a value.
    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Changes a value, which is created as `initial` if there is none.
    mutating func update<Result>(
        _ key: Key,
        initial: @autoclosure () -> Value,
        _ change: (inout Value) -> Result
    ) -> Result {
        rotateIfFull(for: key)
        return change(&young[key, default: old.removeValue(forKey: key) ?? initial()])
    }

    private mutating func rotateIfFull(for key: Key) {
        guard young.count >= capacity, young[key] == nil else { return }
        // Keep the value that is about to be used.
        let value = old[key]
        old = young
        young = [:]
        if let value { old[key] = value }
    }
}
