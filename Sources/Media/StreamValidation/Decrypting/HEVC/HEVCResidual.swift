/// Reads the coefficients of a transform block (ITU-T H.265, 7.3.8.11 and 9.3.4.2.4 to 9.3.4.2.7).
struct HEVCResidual {
    /// The order of the coefficients.
    enum Scan {
        case diagonal, horizontal, vertical
    }

    /// The size of the block as a base-2 logarithm, 2 to 5.
    let bits: Int
    let isLuma: Bool
    let scan: Scan
    let hidesSigns: Bool
    /// True if a transform_skip_flag is coded.
    let mayUseNoTransform: Bool

    /// The state of the contexts of coeff_abs_level_greater1_flag, which a subblock passes on to the next.
    private var greater1State = 1

    init(bits: Int, isLuma: Bool, scan: Scan, hidesSigns: Bool, mayUseNoTransform: Bool) {
        (self.bits, self.isLuma, self.scan) = (bits, isLuma, scan)
        (self.hidesSigns, self.mayUseNoTransform) = (hidesSigns, mayUseNoTransform)
    }

    private typealias Position = (x: Int, y: Int)

    mutating func read(
        _ decoder: inout HEVCArithmeticDecoder,
        _ contexts: inout HEVCContexts
    ) throws(HEVCIntraSlice.SyntaxError) {
        if mayUseNoTransform { _ = decoder.decode(&contexts.transformSkip[isLuma ? 0 : 1]) }
        let last = readLast(&decoder, &contexts)
        guard last.x < 1 << bits, last.y < 1 << bits else { throw HEVCIntraSlice.SyntaxError() }
        let subblocks = Self.order(scan, bits - 2)
        let positions = Self.order(scan, 2)
        let side = 1 << (bits - 2)
        let isLast = { (position: Position, x: Int, y: Int) in position.x == x && position.y == y }
        let lastSubblock = subblocks.firstIndex { isLast($0, last.x >> 2, last.y >> 2) } ?? 0
        let lastPosition = positions.firstIndex { isLast($0, last.x & 3, last.y & 3) } ?? 0
        var coded = [Bool](repeating: false, count: side * side)
        for index in stride(from: lastSubblock, through: 0, by: -1) {
            let (blockX, blockY) = subblocks[index]
            let right = blockX + 1 < side && coded[blockY * side + blockX + 1]
            let below = blockY + 1 < side && coded[(blockY + 1) * side + blockX]
            var isCoded = true
            var infersFirst = false
            if index < lastSubblock, index > 0 {
                isCoded = decoder.decode(&contexts.codedSubblock[(right || below ? 1 : 0) + (isLuma ? 0 : 2)])
                infersFirst = true
            }
            coded[blockY * side + blockX] = isCoded
            guard isCoded else { continue }
            // The positions of the coefficients that are not zero, from the last one to the first.
            var significant = index == lastSubblock ? [lastPosition] : []
            let start = index == lastSubblock ? lastPosition - 1 : 15
            for number in stride(from: start, through: 0, by: -1) {
                if number == 0, infersFirst {
                    significant.append(0)
                    break
                }
                let context = significanceContext(
                    blockX,
                    blockY,
                    positions[number],
                    neighbors: (right ? 1 : 0) + (below ? 2 : 0)
                )
                if decoder.decode(&contexts.significant[context]) {
                    significant.append(number)
                    infersFirst = false
                }
            }
            guard !significant.isEmpty else { continue }
            try readLevels(significant, &decoder, &contexts, isFirst: index == lastSubblock, isOrigin: index == 0)
            if decoder.isOverrun { throw HEVCIntraSlice.SyntaxError() }
        }
    }

    /// Reads the position of the last coefficient.
    private func readLast(_ decoder: inout HEVCArithmeticDecoder, _ contexts: inout HEVCContexts) -> Position {
        let offset = isLuma ? 3 * (bits - 2) + (bits - 1) >> 2 : 15
        let shift = isLuma ? (bits + 1) >> 2 : bits - 2
        let limit = bits << 1 - 1
        var (x, y) = (0, 0)
        while x < limit, decoder.decode(&contexts.lastX[offset + x >> shift]) { x += 1 }
        while y < limit, decoder.decode(&contexts.lastY[offset + y >> shift]) { y += 1 }
        func value(_ prefix: Int) -> Int {
            guard prefix > 3 else { return prefix }
            let count = prefix >> 1 - 1
            return 1 << count * (2 + prefix & 1) + decoder.decodeBypass(count)
        }
        x = value(x)
        y = value(y)
        return scan == .vertical ? (y, x) : (x, y)
    }

    /// Returns the context of sig_coeff_flag (9.3.4.2.5).
    private func significanceContext(_ blockX: Int, _ blockY: Int, _ position: Position, neighbors: Int) -> Int {
        var context: Int
        let (x, y) = position
        if bits == 2 {
            context = Self.smallContexts[y << 2 + x]
        } else if blockX + blockY + x + y == 0 {
            context = 0
        } else {
            switch neighbors {
            case 0: context = x + y == 0 ? 2 : x + y < 3 ? 1 : 0
            case 1: context = y == 0 ? 2 : y == 1 ? 1 : 0
            case 2: context = x == 0 ? 2 : x == 1 ? 1 : 0
            default: context = 2
            }
            if isLuma {
                if blockX + blockY > 0 { context += 3 }
                context += bits == 3 ? (scan == .diagonal ? 9 : 15) : 21
            } else {
                context += bits == 3 ? 9 : 12
            }
        }
        return isLuma ? context : 27 + context
    }

    /// Table 9-50 (ctxIdxMap); the last position has no flag.
    private static let smallContexts = [0, 1, 4, 5, 2, 3, 4, 5, 6, 6, 8, 8, 7, 7, 8, 8]

    /// Reads the absolute values and the signs of the coefficients of a subblock.
    private mutating func readLevels(
        _ significant: [Int],
        _ decoder: inout HEVCArithmeticDecoder,
        _ contexts: inout HEVCContexts,
        isFirst: Bool,
        isOrigin: Bool
    ) throws(HEVCIntraSlice.SyntaxError) {
        var set = isOrigin || !isLuma ? 0 : 2
        if !isFirst, greater1State == 0 { set += 1 }
        greater1State = 1
        var levels = [Int](repeating: 1, count: significant.count)
        var firstGreater: Int?
        for index in 0..<min(8, significant.count) {
            let context = set << 2 + greater1State + (isLuma ? 0 : 16)
            if decoder.decode(&contexts.greater1[context]) {
                levels[index] = 2
                greater1State = 0
                if firstGreater == nil { firstGreater = index }
            } else if greater1State > 0, greater1State < 3 {
                greater1State += 1
            }
        }
        if let firstGreater, decoder.decode(&contexts.greater2[set + (isLuma ? 0 : 4)]) { levels[firstGreater] = 3 }
        let isHidden = hidesSigns && significant[0] - significant[significant.count - 1] > 3
        _ = decoder.decodeBypass(significant.count - (isHidden ? 1 : 0))
        var rice = 0
        for index in significant.indices {
            let limit = index < 8 ? (index == firstGreater ? 3 : 2) : 1
            guard levels[index] == limit else { continue }
            levels[index] += try readRemaining(rice, &decoder)
            if levels[index] > 3 << rice { rice = min(rice + 1, 4) }
        }
    }

    /// Reads coeff_abs_level_remaining (9.3.3.11).
    private func readRemaining(
        _ rice: Int,
        _ decoder: inout HEVCArithmeticDecoder
    ) throws(HEVCIntraSlice.SyntaxError) -> Int {
        var prefix = 0
        while decoder.decodeBypass() {
            prefix += 1
            // The values have 16 bits.
            guard prefix <= 20 else { throw HEVCIntraSlice.SyntaxError() }
        }
        guard prefix > 3 else { return prefix << rice + decoder.decodeBypass(rice) }
        return (1 << (prefix - 3) + 3 - 1) << rice + decoder.decodeBypass(prefix - 3 + rice)
    }

    // MARK: Scan orders (6.5.3 to 6.5.5)

    private static func order(_ scan: Scan, _ bits: Int) -> [Position] {
        switch (scan, bits) {
        case (.diagonal, 0...3): diagonals[bits]
        case (.horizontal, 0...2): horizontals[bits]
        case (.vertical, 0...2): verticals[bits]
        default: []
        }
    }

    private static let diagonals: [[Position]] = (0...3).map { bits in
        let side = 1 << bits
        return (0..<2 * side - 1).flatMap { sum in
            (0...sum).compactMap { x -> Position? in x < side && sum - x < side ? (x, sum - x) : nil }
        }
    }
    private static let horizontals: [[Position]] = (0...2).map { bits in
        (0..<1 << (2 * bits)).map { number -> Position in (number & (1 << bits - 1), number >> bits) }
    }
    private static let verticals: [[Position]] = (0...2).map { bits in
        (0..<1 << (2 * bits)).map { number -> Position in (number >> bits, number & (1 << bits - 1)) }
    }
}
