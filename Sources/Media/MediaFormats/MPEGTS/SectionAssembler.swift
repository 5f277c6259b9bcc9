import ByteCoding

/// Assembles the sections of a PID, which start anywhere in a packet and can span several packets (ISO/IEC 13818-1,
/// 2.4.4).
struct SectionAssembler: Sendable {
    /// The bytes of the current section; nil until a section starts.
    private var section: [UInt8]?

    /// Drops the section that has started, because a packet is missing.
    mutating func reset() { section = nil }

    /// Adds the payload of a packet, and returns the sections that it completes. A section has at most 4098 bytes, so
    /// the amount of data that is kept is bounded.
    ///
    /// - Parameter isUnitStart: Whether a section starts in the payload, which then begins with a pointer to it.
    mutating func add(_ payload: [UInt8], isUnitStart: Bool) -> [[UInt8]] {
        var sections: [[UInt8]] = []
        var rest = payload[...]
        if isUnitStart {
            guard let pointer = rest.popFirst(), Int(pointer) <= rest.count else {
                section = nil
                return []
            }
            if section != nil { sections += append(rest.prefix(Int(pointer))) }
            rest = rest.dropFirst(Int(pointer))
            section = []
        }
        guard section != nil else { return sections }
        return sections + append(rest)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        guard var open = section else { return [] }
        section = nil
        var sections: [[UInt8]] = []
        open += bytes
        // Stuffing of 0xFF follows the last section of a packet.
        while let first = open.first, first != 0xFF {
            guard open.count >= 3 else { break }
            let size = 3 + (Int(open[1] & 15) << 8 | Int(open[2]))
            guard open.count >= size else { break }
            sections.append(Array(open.prefix(size)))
            open.removeFirst(size)
        }
        if open.first != 0xFF, !open.isEmpty || sections.isEmpty { section = open }
        return sections
    }
}
