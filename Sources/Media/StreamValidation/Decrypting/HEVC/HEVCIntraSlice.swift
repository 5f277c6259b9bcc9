import MediaFormats

/// Reads the data of an intra slice (ITU-T H.265, 7.3.8), to find out whether it ends where it must: after its last coding tree
/// block, at the end of the NAL unit. Data that were decrypted with a wrong key lose synchronization with the first wrong byte, and
/// end elsewhere. Samples are not reconstructed.
struct HEVCIntraSlice {
    /// The error of data that are not a slice.
    struct SyntaxError: Error {}

    let sequence: HEVCSequenceParameterSet
    let picture: HEVCPictureParameterSet
    let header: HEVCSliceHeader
    private let width: Int
    private let height: Int
    private let treesPerRow: Int

    var decoder: HEVCArithmeticDecoder
    var contexts: HEVCContexts
    private var rowContexts: HEVCContexts?
    private let data: [UInt8]
    /// The depth of the coding quadtree for each smallest coding block; -1 outside of the slice.
    private var depths: [Int8]
    /// The luma prediction mode for each block of 4x4 samples; -1 outside of the slice.
    private var modes: [Int8]
    private let depthStride: Int
    private let modeStride: Int
    private var isQuantizerDeltaCoded = false
    private var isLossless = false
    private var chromaMode = 0

    /// Creates a reader of slice data; nil if their syntax is not supported: inter prediction, dependent segments, tiles,
    /// uncompressed blocks, extensions, and chroma formats other than 4:2:0.
    ///
    /// - Parameter payload: The NAL unit without emulation prevention bytes.
    init?(
        _ payload: [UInt8],
        _ header: HEVCSliceHeader,
        _ sequence: HEVCSequenceParameterSet,
        _ picture: HEVCPictureParameterSet
    ) {
        guard header.kind == .i, !header.isDependent, !picture.hasTiles, !sequence.hasSampleBlocks,
            !sequence.hasExtensions,
            !picture.hasExtensions, sequence.chromaArrayType == 1, sequence.codedSize.width <= Self.maximumSide,
            sequence.codedSize.height <= Self.maximumSide
        else { return nil }
        (self.sequence, self.picture, self.header, data) = (sequence, picture, header, payload)
        (width, height) = (sequence.codedSize.width, sequence.codedSize.height)
        treesPerRow = sequence.sizeInTreeBlocks.width
        depthStride = (width >> sequence.blocks.minimumCodingBits) + 1
        modeStride = (width + 3) / 4
        depths = [Int8](repeating: -1, count: depthStride * ((height >> sequence.blocks.minimumCodingBits) + 1))
        modes = [Int8](repeating: -1, count: modeStride * ((height + 3) / 4))
        contexts = HEVCContexts(quantizer: picture.initialQuantizer + header.quantizerDelta)
        decoder = HEVCArithmeticDecoder(payload, from: header.bitCount / 8)
    }

    /// The largest supported width and height of pictures in samples, which bounds the memory (level 6.2).
    private static let maximumSide = 16_888

    /// Returns the address of the coding tree block after the slice; nil if its data do not end at the end of the NAL unit.
    mutating func endAddress() -> Int? {
        var address = header.address
        let count = treesPerRow * sequence.sizeInTreeBlocks.height
        while address < count {
            if picture.hasEntropySync, address % treesPerRow == 0, address > header.address { synchronize(address) }
            do { try readTree(address) } catch { return nil }
            if picture.hasEntropySync, address % treesPerRow == 1 { rowContexts = contexts }
            address += 1
            if decoder.decodeTerminate() {
                guard let end = decoder.endOfSubstream(), isEnd(end) else { return nil }
                return address
            }
            guard picture.hasEntropySync, address % treesPerRow == 0 else { continue }
            // end_of_subset_one_bit, and the next row begins with a whole byte.
            guard decoder.decodeTerminate(), let next = decoder.endOfSubstream() else { return nil }
            decoder = HEVCArithmeticDecoder(data, from: next)
        }
        return nil
    }

    /// Returns whether only cabac_zero_words (00 00) follow.
    private func isEnd(_ position: Int) -> Bool { data[position...].allSatisfy { $0 == 0 } }

    /// Sets the contexts at the start of a row to those after the second block of the row above (9.3.1).
    private mutating func synchronize(_ address: Int) {
        // The block above and to the right must be in the same slice.
        if treesPerRow > 1, address - treesPerRow + 1 >= header.address, let rowContexts {
            contexts = rowContexts
        } else {
            contexts = HEVCContexts(quantizer: picture.initialQuantizer + header.quantizerDelta)
        }
    }

    private mutating func readTree(_ address: Int) throws(SyntaxError) {
        let (column, row) = (address % treesPerRow, address / treesPerRow)
        if header.filtersLuma || header.filtersChroma { readOffsets(address, column, row) }
        let bits = sequence.blocks.treeBits
        try readQuadtree(column << bits, row << bits, bits, 0)
    }

    /// Reads the parameters of sample adaptive offset (7.3.8.3).
    private mutating func readOffsets(_ address: Int, _ column: Int, _ row: Int) {
        if column > 0, address > header.address, decoder.decode(&contexts.saoMerge[0]) { return }
        if row > 0, address - treesPerRow >= header.address, decoder.decode(&contexts.saoMerge[0]) { return }
        var type = 0
        for component in 0..<3 where component == 0 ? header.filtersLuma : header.filtersChroma {
            if component < 2 {
                type = decoder.decode(&contexts.saoType[0]) ? (decoder.decodeBypass() ? 2 : 1) : 0
            }
            guard type > 0 else { continue }
            let depth = component == 0 ? sequence.lumaBitDepth : sequence.chromaBitDepth
            let limit = 1 << (min(depth, 10) - 5) - 1
            var nonzero = 0
            for _ in 0..<4 {
                var offset = 0
                while offset < limit, decoder.decodeBypass() { offset += 1 }
                if offset > 0 { nonzero += 1 }
            }
            if type == 1 {
                _ = decoder.decodeBypass(nonzero + 5)
            } else if component < 2 {
                _ = decoder.decodeBypass(2)
            }
        }
    }

    /// Reads a coding quadtree (7.3.8.4).
    private mutating func readQuadtree(_ x: Int, _ y: Int, _ bits: Int, _ depth: Int8) throws(SyntaxError) {
        if decoder.isOverrun { throw SyntaxError() }
        let size = 1 << bits
        var splits = bits > sequence.blocks.minimumCodingBits
        if splits, x + size <= width, y + size <= height {
            let left = x > 0 && self.depth(x - 1, y) > depth
            let above = y > 0 && self.depth(x, y - 1) > depth
            splits = decoder.decode(&contexts.splitCodingUnit[(left ? 1 : 0) + (above ? 1 : 0)])
        }
        if let quantizerDepth = picture.quantizerDepth, bits >= sequence.blocks.treeBits - quantizerDepth {
            isQuantizerDeltaCoded = false
        }
        guard splits else { return try readUnit(x, y, bits, depth) }
        let half = size >> 1
        for (childX, childY) in [(x, y), (x + half, y), (x, y + half), (x + half, y + half)]
        where childX < width && childY < height {
            try readQuadtree(childX, childY, bits - 1, depth + 1)
        }
    }

    private func depth(_ x: Int, _ y: Int) -> Int8 {
        let bits = sequence.blocks.minimumCodingBits
        return depths[(y >> bits) * depthStride + x >> bits]
    }

    /// Reads a coding unit (7.3.8.5).
    private mutating func readUnit(_ x: Int, _ y: Int, _ bits: Int, _ depth: Int8) throws(SyntaxError) {
        let blockBits = sequence.blocks.minimumCodingBits
        for row in y >> blockBits..<(y + 1 << bits) >> blockBits {
            for column in x >> blockBits..<(x + 1 << bits) >> blockBits { depths[row * depthStride + column] = depth }
        }
        isLossless = picture.allowsLosslessBlocks ? decoder.decode(&contexts.lossless[0]) : false
        let isDivided = bits == blockBits && !decoder.decode(&contexts.partition[0])
        let parts = isDivided ? 4 : 1
        var predicted = [Bool](repeating: false, count: parts)
        for part in 0..<parts { predicted[part] = decoder.decode(&contexts.predictedLumaMode[0]) }
        let size = isDivided ? 1 << (bits - 1) : 1 << bits
        for part in 0..<parts {
            let (partX, partY) = (x + (part & 1) * size, y + (part >> 1) * size)
            setMode(lumaMode(partX, partY, isPredicted: predicted[part]), partX, partY, size)
        }
        let first = Int(mode(x, y))
        if decoder.decode(&contexts.chromaMode[0]) {
            let angular = [0, 26, 10, 1][decoder.decodeBypass(2)]
            chromaMode = angular == first ? 34 : angular
        } else {
            chromaMode = first
        }
        let depth = sequence.blocks.intraTransformDepth + (isDivided ? 1 : 0)
        let unit = TransformUnit(x: x, y: y, bits: bits, depth: 0, hasBlue: true, hasRed: true)
        try readTransforms(unit, 0, maximumDepth: depth, isDivided: isDivided)
    }

    // MARK: Prediction modes

    private func mode(_ x: Int, _ y: Int) -> Int8 { modes[(y >> 2) * modeStride + x >> 2] }

    private mutating func setMode(_ mode: Int, _ x: Int, _ y: Int, _ size: Int) {
        for row in y >> 2..<min(y + size, height) >> 2 {
            for column in x >> 2..<min(x + size, width) >> 2 { modes[row * modeStride + column] = Int8(mode) }
        }
    }

    /// Reads the luma prediction mode of a block (8.4.2).
    private mutating func lumaMode(_ x: Int, _ y: Int, isPredicted: Bool) -> Int {
        let (planar, mean, vertical) = (0, 1, 26)
        let left = x > 0 ? Int(mode(x - 1, y)) : -1
        let isInTree = y & (1 << sequence.blocks.treeBits - 1) != 0
        let above = isInTree ? Int(mode(x, y - 1)) : -1
        let (first, second) = (left < 0 ? mean : left, above < 0 ? mean : above)
        var candidates: [Int]
        if first == second {
            candidates =
                first < 2 ? [planar, mean, vertical] : [first, 2 + (first + 29) % 32, 2 + (first - 2 + 1) % 32]
        } else {
            let third =
                first != planar && second != planar ? planar : first != mean && second != mean ? mean : vertical
            candidates = [first, second, third]
        }
        if isPredicted { return candidates[decoder.decodeBypass() ? (decoder.decodeBypass() ? 2 : 1) : 0] }
        var mode = decoder.decodeBypass(5)
        candidates.sort()
        for candidate in candidates where mode >= candidate { mode += 1 }
        return mode
    }

    // MARK: Transform trees

    /// A node of a transform tree, with the coded flags of chroma that it inherits.
    private struct TransformUnit {
        var x: Int
        var y: Int
        var bits: Int
        var depth: Int
        var hasBlue: Bool
        var hasRed: Bool
    }

    /// Reads a transform tree (7.3.8.8).
    private mutating func readTransforms(
        _ parent: TransformUnit,
        _ index: Int,
        maximumDepth: Int,
        isDivided: Bool
    ) throws(SyntaxError) {
        if decoder.isOverrun { throw SyntaxError() }
        var unit = parent
        let blocks = sequence.blocks
        let isDividedRoot = isDivided && unit.depth == 0
        var splits = unit.bits > blocks.maximumTransformBits || isDividedRoot
        if unit.bits <= blocks.maximumTransformBits, unit.bits > blocks.minimumTransformBits, unit.depth < maximumDepth,
            !isDividedRoot
        {
            splits = decoder.decode(&contexts.splitTransform[5 - unit.bits])
        }
        // The chroma of four blocks of 4x4 samples is one block, whose flags are those of the parent.
        if unit.bits > 2 {
            if unit.hasBlue { unit.hasBlue = decoder.decode(&contexts.codedChroma[unit.depth]) }
            if unit.hasRed { unit.hasRed = decoder.decode(&contexts.codedChroma[unit.depth]) }
        }
        guard splits else { return try readBlocks(unit, index) }
        let half = 1 << (unit.bits - 1)
        for child in 0..<4 {
            var next = unit
            (next.bits, next.depth) = (unit.bits - 1, unit.depth + 1)
            (next.x, next.y) = (unit.x + (child & 1) * half, unit.y + (child >> 1) * half)
            try readTransforms(next, child, maximumDepth: maximumDepth, isDivided: isDivided)
        }
    }

    /// Reads a transform unit (7.3.8.10).
    private mutating func readBlocks(_ unit: TransformUnit, _ index: Int) throws(SyntaxError) {
        let hasLuma = decoder.decode(&contexts.codedLuma[unit.depth == 0 ? 1 : 0])
        guard hasLuma || unit.hasBlue || unit.hasRed else { return }
        if picture.quantizerDepth != nil, !isQuantizerDeltaCoded {
            isQuantizerDeltaCoded = true
            try readQuantizerDelta()
        }
        if hasLuma { try readResidual(unit.bits, isLuma: true, mode: Int(mode(unit.x, unit.y))) }
        guard unit.bits > 2 || index == 3 else { return }
        let bits = max(2, unit.bits - 1)
        if unit.hasBlue { try readResidual(bits, isLuma: false, mode: chromaMode) }
        if unit.hasRed { try readResidual(bits, isLuma: false, mode: chromaMode) }
    }

    private mutating func readQuantizerDelta() throws(SyntaxError) {
        var value = 0
        while value < 5, decoder.decode(&contexts.quantizerDelta[value == 0 ? 0 : 1]) { value += 1 }
        if value == 5 {
            var order = 0
            while decoder.decodeBypass() {
                value += 1 << order
                order += 1
                guard order < 8 else { throw SyntaxError() }
            }
            value += decoder.decodeBypass(order)
        }
        if value > 0 { _ = decoder.decodeBypass() }
        // CuQpDeltaVal is in the range of the quantization parameter (7.4.9.14).
        guard value <= 26 + 3 * (sequence.lumaBitDepth - 8) else { throw SyntaxError() }
    }

    private mutating func readResidual(_ bits: Int, isLuma: Bool, mode: Int) throws(SyntaxError) {
        var scan = HEVCResidual.Scan.diagonal
        if bits == 2 || bits == 3 && isLuma {
            if (6...14).contains(mode) { scan = .vertical }
            if (22...30).contains(mode) { scan = .horizontal }
        }
        var residual = HEVCResidual(
            bits: bits,
            isLuma: isLuma,
            scan: scan,
            hidesSigns: picture.hidesSigns && !isLossless,
            mayUseNoTransform: picture.skipsTransforms && !isLossless && bits == 2
        )
        try residual.read(&decoder, &contexts)
    }
}
