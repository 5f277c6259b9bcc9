import MediaFormats

/// What PES packets say of the access units that begin in them, by their places in the elementary stream.
///
/// The times of a PES packet are those of the first access unit that begins in it (ISO/IEC 13818-1, 2.4.3.7). Further
/// ones have none, and neither has one that a packet only continues.
struct PacketTimes {
    /// What a packet says.
    struct Entry {
        /// Where its payload begins in the elementary stream.
        var offset: Int
        /// When it is presented, in units of 1/90,000 second; nil when nothing is said.
        var presentation: Int64?
        /// When it is decoded.
        var decode: Int64?
        /// Whether packets were lost before or in it.
        var isDamaged: Bool
    }

    private var entries = Queue<Entry>()

    /// Takes note of a packet whose payload begins at `offset`.
    mutating func append(_ packet: TransportDemuxer.Packet, at offset: Int) {
        var entry = Entry(
            offset: offset,
            presentation: packet.presentationTime,
            decode: packet.decodeTime,
            isDamaged: packet.isDamaged
        )
        // A picture is not shown before it is decoded, and not a minute later.
        if let presentation = entry.presentation, let decode = entry.decode,
            !(0...60 * ProgramClock.rate).contains(presentation - decode)
        {
            entry.decode = presentation
        }
        entries.append(entry)
    }

    /// What the packet says in which an access unit begins; nil when an access unit before it has taken that.
    mutating func take(at offset: Int) -> Entry? {
        var taken: Entry?
        while let first = entries.first, first.offset <= offset {
            let isDamaged = taken?.isDamaged == true
            taken = first
            taken?.isDamaged = first.isDamaged || isDamaged
            entries.removeFirst()
        }
        return taken
    }
}

/// What is first in is first out.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }
    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    mutating func append(_ element: Element) { elements.append(element) }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
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

    /// Gives each element, which may be changed.
    mutating func update(_ body: (inout Element) -> Void) {
        for index in head..<elements.count { if elements[index] != nil { body(&elements[index]!) } }
    }
}
