import MediaFormats

/// The timestamps of PES packets, by the position of their payloads in the elementary stream.
///
/// The timestamps of a PES packet apply to the first access unit that starts in it (ISO/IEC 13818-1, 2.4.3.7). Later
/// access units in the packet have none, nor does a packet's continuation of an earlier access unit.
struct PacketTimes {
    /// The timestamps of a packet.
    struct Entry {
        /// The offset of its payload in the elementary stream.
        var offset: Int
        /// The presentation time in units of 1/90,000 second; nil if absent.
        var presentation: Int64?
        /// The decode time in units of 1/90,000 second; nil if absent.
        var decode: Int64?
        /// True if packets were lost before or in this one.
        var isDamaged: Bool
        /// The number of program map tables that applied when the packet started.
        var mapCount: Int
    }

    private var entries = Queue<Entry>()

    /// Adds a packet whose payload starts at `offset`.
    mutating func append(_ packet: TransportDemuxer.Packet, at offset: Int) {
        var entry = Entry(
            offset: offset,
            presentation: packet.presentationTime,
            decode: packet.decodeTime,
            isDamaged: packet.isDamaged,
            mapCount: packet.mapCount
        )
        // Ignore decode times after the presentation time, or more than a minute before it.
        if let presentation = entry.presentation, let decode = entry.decode,
            !(0...60 * ProgramClock.rate).contains(presentation - decode)
        {
            entry.decode = presentation
        }
        entries.append(entry)
    }

    /// Removes and returns the timestamps of the packet in which an access unit starts; nil if an earlier access unit
    /// consumed them.
    mutating func removeEntry(at offset: Int) -> Entry? {
        var entry: Entry?
        while let first = entries.first, first.offset <= offset {
            let isDamaged = entry?.isDamaged == true
            entry = first
            entry?.isDamaged = first.isDamaged || isDamaged
            entries.removeFirst()
        }
        return entry
    }
}
