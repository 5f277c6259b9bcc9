/// A ring buffer of the most recent items.
struct RingBuffer<Item: Sendable>: Sendable {
    private var items: [Item] = []
    private var next = 0
    private let capacity: Int
    /// The number of items that were ever appended.
    private(set) var count = 0

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    mutating func append(_ item: Item) {
        count += 1
        if items.count < capacity {
            items.append(item)
        } else {
            items[next] = item
            next = (next + 1) % capacity
        }
    }

    /// Returns the newest items, newest first.
    func newest(_ limit: Int) -> [Item] {
        (0..<min(max(limit, 0), items.count)).map { items[(next + items.count - 1 - $0) % items.count] }
    }
}
