import ByteCoding

/// The loudness metadata in the fill elements of an AAC raw data block (ISO/IEC 14496-3, 4.4.2.7).
///
///     id_syn_ele                   3 bits    6: fill element
///     count                        4 bits    bytes; 15: 8 more bits follow, minus 1
///     extension_type               4 bits    4: EXT_UNI_DRC, 11: EXT_DYNAMIC_RANGE
///     dynamic_range_info()
///       pce_tag_present            1 bit     then 8 bits
///       excluded_chns_present      1 bit     then 8 bits, of which the last one continues
///       drc_bands_present          1 bit     then drc_band_incr 4 bits, 4 bits, and 8 bits for each band
///       prog_ref_level_present     1 bit     then prog_ref_level 7 bits, 1 bit
///       dyn_rng                    8 bits    each band
///     uniDrc() (ISO/IEC 23003-4)
///       loudnessInfoSetPresent     1 bit
///
/// The elements before the channels are read forward. Those after them are found from the end of the block backward, because
/// the channels have no length: each element whose length leads to the start of the next one may be one, so that metadata are
/// never missed, but can be seen where there are none. In mono and stereo there is only one element with channels, so that
/// nothing else is left out.
struct AACLoudness: Hashable {
    /// The maximum number of elements after the channels.
    private static let maximumDepth = 8
    /// The maximum number of positions that are tried in a block.
    private static let maximumSteps = 20_000

    /// The `prog_ref_level`; nil if it is absent.
    private(set) var programLevel: UInt8?
    /// True if there is a set of `loudnessInfo()`.
    private(set) var hasInformation = false
    /// False if metadata could be where they were not looked for.
    private(set) var isConclusive: Bool

    private static let fill = 6
    private static let data = 4

    /// Inspects a block.
    ///
    /// - Parameter channelConfiguration: The channel configuration; 1 is mono, 2 is stereo.
    init(_ block: RawSpan, channelConfiguration: UInt8) {
        isConclusive = channelConfiguration == 1 || channelConfiguration == 2
        readStart(block)
        guard let end = Self.end(block) else {
            isConclusive = false
            return
        }
        var steps = Self.maximumSteps
        searchBackward(block, from: end, depth: 0, &steps)
        if steps <= 0 { isConclusive = false }
    }

    // MARK: Elements

    /// Reads the elements before the first one with channels.
    private mutating func readStart(_ block: RawSpan) {
        var position = 0
        for _ in 0..<Self.maximumDepth {
            switch Self.bits(block, position, 3) {
            case Self.fill:
                guard let (start, count) = Self.fillContent(block, position), start + 8 * count <= 8 * block.byteCount
                else { return }
                readExtensions(block, start, count)
                position = start + 8 * count
            case Self.data:
                guard let next = Self.dataEnd(block, position) else { return }
                position = next
            // A single, a pair, a coupling or a low-frequency channel, and the end.
            case (0...3)?, 7: return
            default:
                // A program element has a size that is not known here.
                isConclusive = false
                return
            }
        }
        isConclusive = false
    }

    /// Returns the position of the end element in bits: the last three 1 bits, before fewer than eight 0 bits; nil without one.
    private static func end(_ block: RawSpan) -> Int? {
        guard block.byteCount > 0 else { return nil }
        let last = block.unsafeLoad(fromByteOffset: block.byteCount - 1, as: UInt8.self)
        let position = block.byteCount * 8 - 3 - last.trailingZeroBitCount
        return last != 0 && bits(block, position, 3) == 7 ? position : nil
    }

    /// Searches the fill and data elements that end at a position.
    private mutating func searchBackward(_ block: RawSpan, from end: Int, depth: Int, _ steps: inout Int) {
        guard depth < Self.maximumDepth else {
            isConclusive = false
            return
        }
        for count in 0...269 {
            for header in [7, 15] where end - 8 * count - header >= 0 {
                steps -= 1
                guard steps > 0 else { return }
                let start = end - 8 * count - header
                guard Self.bits(block, start, 3) == Self.fill, let content = Self.fillContent(block, start),
                    content.start == start + header, content.count == count
                else { continue }
                readExtensions(block, content.start, count)
                searchBackward(block, from: start, depth: depth + 1, &steps)
            }
        }
        // A data stream element: 3 + 4 + 1 + 8 bits, 8 more for 255 bytes and above, up to 7 bits of alignment, and the bytes.
        // Only elements that end with a byte can be aligned.
        let headers = end & 7 == 0 ? Array(16...31) : [16, 24]
        for count in 0...510 {
            for header in headers where end - 8 * count - header >= 0 {
                let start = end - 8 * count - header
                guard Self.bits(block, start, 3) == Self.data else { continue }
                steps -= 1
                guard steps > 0 else { return }
                guard Self.dataEnd(block, start) == end else { continue }
                searchBackward(block, from: start, depth: depth + 1, &steps)
            }
        }
    }

    /// Returns the position of the content of a fill element and its number of bytes; nil if the block ends before it.
    private static func fillContent(_ block: RawSpan, _ position: Int) -> (start: Int, count: Int)? {
        guard let count = bits(block, position + 3, 4) else { return nil }
        guard count == 15 else { return (position + 7, count) }
        return bits(block, position + 7, 8).map { (position + 15, $0 + 14) }
    }

    /// Returns the position after a data stream element; nil if the block ends within it.
    private static func dataEnd(_ block: RawSpan, _ position: Int) -> Int? {
        guard let isAligned = bits(block, position + 7, 1), var count = bits(block, position + 8, 8) else { return nil }
        var start = position + 16
        if count == 255 {
            guard let more = bits(block, start, 8) else { return nil }
            count += more
            start += 8
        }
        if isAligned == 1 { start = (start + 7) & ~7 }
        let end = start + 8 * count
        return end <= block.byteCount * 8 ? end : nil
    }

    // MARK: Extensions

    /// Reads the extension payloads of a fill element.
    private mutating func readExtensions(_ block: RawSpan, _ start: Int, _ count: Int) {
        var (position, left) = (start, count)
        while left > 0 {
            switch Self.bits(block, position, 4) {
            case 4:
                if Self.bits(block, position + 4, 1) == 1 { hasInformation = true }
                return
            case 11:
                guard let (size, level) = Self.dynamicRange(block, position), size <= left else { return }
                if let level { programLevel = level }
                position += 8 * size
                left -= size
            // Every other payload has all remaining bytes.
            default: return
            }
        }
    }

    /// Reads the size of dynamic_range_info() in bytes, with its type, and the level; nil if the block ends within it.
    private static func dynamicRange(_ block: RawSpan, _ start: Int) -> (size: Int, level: UInt8?)? {
        var position = start + 4
        guard let hasProgram = flag(block, &position) else { return nil }
        if hasProgram { position += 8 }
        guard let hasExcluded = flag(block, &position) else { return nil }
        if hasExcluded {
            var isLast = false
            while !isLast {
                guard let continues = bits(block, position + 7, 1) else { return nil }
                isLast = continues == 0
                position += 8
            }
        }
        var bands = 1
        guard let hasBands = flag(block, &position) else { return nil }
        if hasBands {
            guard let more = bits(block, position, 4) else { return nil }
            bands += more
            position += 8 + 8 * bands
        }
        var level: UInt8?
        guard let hasLevel = flag(block, &position) else { return nil }
        if hasLevel {
            guard let value = bits(block, position, 7) else { return nil }
            level = UInt8(value)
            position += 8
        }
        position += 8 * bands
        return position <= block.byteCount * 8 ? ((position - start) / 8, level) : nil
    }

    /// Reads one bit; nil outside of the block.
    private static func flag(_ block: RawSpan, _ position: inout Int) -> Bool? {
        position += 1
        return bits(block, position - 1, 1).map { $0 == 1 }
    }

    /// Returns up to 8 bits at a position in bits; nil outside of the block.
    private static func bits(_ block: RawSpan, _ position: Int, _ count: Int) -> Int? {
        guard position >= 0, position + count <= block.byteCount * 8 else { return nil }
        let byte = position >> 3
        var value = Int(block.unsafeLoad(fromByteOffset: byte, as: UInt8.self)) << 8
        if byte + 1 < block.byteCount { value |= Int(block.unsafeLoad(fromByteOffset: byte + 1, as: UInt8.self)) }
        return value >> (16 - (position & 7) - count) & (1 << count - 1)
    }
}
