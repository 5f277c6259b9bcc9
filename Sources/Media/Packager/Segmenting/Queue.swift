/// A first-in, first-out queue.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }
    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    /// Returns what a closure reads from the first element, which is not copied; nil if the queue is empty.
    func first<Value>(_ read: (borrowing Element) -> Value) -> Value? {
        isEmpty ? nil : elements[head].map { read($0) }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        var element: Element?
        swap(&element, &elements[head])
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 256, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Calls a closure with each element, which it may modify.
    mutating func update(_ body: (inout Element) -> Void) {
        for index in head..<elements.count { if elements[index] != nil { body(&elements[index]!) } }
    }
}

extension Queue: Sendable where Element: Sendable {}
