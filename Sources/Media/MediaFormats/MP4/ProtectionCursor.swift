import ByteCoding

/// An iterator over the auxiliary information and the key groups of samples, in step with a sample cursor.
struct ProtectionCursor: Sendable {
    /// The default protection by sample description, from 0; nil if samples are clear.
    private let defaults: [Default?]
    private let trackID: UInt32
    /// The groups described in `stbl`, which fragments can also refer to.
    private let trackGroups: [ProtectionParameters]
    private let trackDefaultGroup: UInt32
    private var auxiliary = SampleAuxiliary()
    /// The offset in the span that `saio` is relative to.
    private var base = 0
    private var index = 0
    private var position = 0
    private var run = -1
    private var groupEntry = -1
    private var groupLeft: UInt32 = 0
    private var group: UInt32 = 0

    private struct Default {
        var scheme: FourCC
        var parameters: ProtectionParameters
    }

    /// Creates an iterator that starts at the first sample of the track's table.
    ///
    /// - Parameter base: the offset in the span that `saio` is relative to; 0 if the span is the file.
    init(_ track: Track, base: Int = 0) {
        trackID = track.id
        defaults = track.descriptions.map { entry in
            guard let sinf = entry.commonEncryption, let scheme = sinf.schemeType,
                let parameters = sinf.trackEncryption.flatMap(ProtectionParameters.init)
            else { return nil }
            return Default(scheme: scheme, parameters: parameters)
        }
        trackGroups = track.auxiliary.groupParameters
        trackDefaultGroup = track.auxiliary.defaultGroup
        auxiliary = track.auxiliary
        self.base = base
        position = track.auxiliary.entries?.offset ?? 0
    }

    /// Starts at the first sample of a fragment.
    mutating func start(_ auxiliary: SampleAuxiliary, base: Int) {
        self.auxiliary = auxiliary
        self.base = base
        index = 0
        position = auxiliary.entries?.offset ?? 0
        run = -1
        groupEntry = -1
        groupLeft = 0
        group = 0
    }

    /// Returns the protection of the next sample.
    ///
    /// - Parameters:
    ///   - description: the index of the sample description, from 1, which must exist.
    ///   - run: the index of the sample's run or chunk, from 0.
    mutating func next(
        _ file: RawSpan,
        description: UInt32,
        run: Int,
        size: Int
    ) throws(ParseError) -> SampleProtection? {
        guard let standard = defaults[Int(description) - 1] else {
            // The auxiliary information of a clear sample description is not used.
            if auxiliary.groups != nil { try advanceGroup(file) }
            index += 1
            return nil
        }
        var parameters = standard.parameters
        if auxiliary.groups != nil || auxiliary.defaultGroup != 0 || trackDefaultGroup != 0 {
            try advanceGroup(file)
            if let own = try groupParameters() { parameters = own }
        }
        var protection = SampleProtection(
            scheme: standard.scheme,
            keyID: parameters.keyID,
            iv: parameters.constantIV,
            cryptByteBlock: parameters.cryptByteBlock,
            skipByteBlock: parameters.skipByteBlock,
            subsamples: .none
        )
        if let entries = auxiliary.entries, index < entries.count {
            try readEntry(file, &protection, parameters.ivSize, end: entries.end, entries.hasSubsamples)
        } else if let sizes = auxiliary.sizes, let offsets = auxiliary.offsets {
            try readAuxiliary(file, &protection, parameters.ivSize, sizes, offsets, run: run)
        } else if parameters.isProtected, parameters.ivSize > 0 {
            throw error("the sample has no initialization vector")
        }
        if parameters.isProtected { try check(protection.subsamples, file, size) }
        index += 1
        return parameters.isProtected ? protection : nil
    }

    private func error(_ reason: String) -> ParseError {
        ParseError(
            .invalidValue,
            reading: "protection of sample \(index + 1) of track \(trackID)",
            offset: position,
            reason: reason
        )
    }

    private mutating func readEntry(
        _ file: RawSpan,
        _ protection: inout SampleProtection,
        _ ivSize: Int,
        end: Int,
        _ hasSubsamples: Bool
    ) throws(ParseError) {
        guard position >= 0, end <= file.byteCount, ivSize <= end - position else {
            throw error("the auxiliary information is truncated")
        }
        if ivSize > 0 {
            protection.iv = SampleIV(
                high: file.load(position, as: UInt64.self),
                low: ivSize == 16 ? file.load(position + 8, as: UInt64.self) : 0,
                count: ivSize
            )
            position += ivSize
        }
        guard hasSubsamples else { return }
        guard end - position >= 2 else { throw error("the auxiliary information is truncated") }
        let count = Int(file.load(position, as: UInt16.self))
        position += 2
        guard count <= (end - position) / 6 else { throw error("the \(count) subsamples are truncated") }
        protection.subsamples = SubsampleEntries(offset: position, count: count)
        position += 6 * count
    }

    private mutating func readAuxiliary(
        _ file: RawSpan,
        _ protection: inout SampleProtection,
        _ ivSize: Int,
        _ sizes: SampleAuxiliary.Sizes,
        _ offsets: TableEntries,
        run: Int
    ) throws(ParseError) {
        guard index < sizes.count else {
            guard ivSize == 0 else { throw error("saiz has fewer entries than there are samples") }
            return
        }
        // There is one offset for all samples, or one for each run or chunk.
        if self.run < 0 || (offsets.count > 1 && run != self.run) {
            let entry = offsets.count > 1 ? run : 0
            guard entry < offsets.count else { throw error("saio has too few offsets") }
            let entryOffset = offsets.offset + entry * offsets.entrySize
            let offset =
                offsets.entrySize == 8
                ? file.load(entryOffset, as: UInt64.self) : UInt64(file.load(entryOffset, as: UInt32.self))
            guard offset < 1 << 60 else { throw error("the offset is not below 2^60") }
            position = base + Int(offset)
            self.run = run
        }
        let size = sizes.defaultSize > 0 ? sizes.defaultSize : Int(file.load(sizes.offset + index, as: UInt8.self))
        guard size > 0 else {
            guard ivSize == 0 else { throw error("the sample has no initialization vector") }
            return
        }
        guard position >= 0, position <= file.byteCount - size else {
            throw error("the auxiliary information is outside of the available bytes")
        }
        let end = position + size
        try readEntry(file, &protection, ivSize, end: end, size > ivSize)
        position = end
    }

    private func check(_ subsamples: SubsampleEntries, _ file: RawSpan, _ size: Int) throws(ParseError) {
        guard subsamples.count > 0 else { return }
        var sum = 0
        for index in 0..<subsamples.count {
            let entry = subsamples.entry(index, in: file)
            sum += Int(entry.clear) + Int(entry.protected)
        }
        guard sum == size else { throw error("the subsamples have \(sum) bytes, the sample has \(size)") }
    }

    private mutating func advanceGroup(_ file: RawSpan) throws(ParseError) {
        group = 0
        guard let groups = auxiliary.groups else { return }
        while groupLeft == 0 {
            groupEntry += 1
            guard groupEntry < groups.count else { return }
            groupLeft = file.load(groups.offset + 8 * groupEntry, as: UInt32.self)
        }
        groupLeft -= 1
        group = file.load(groups.offset + 8 * groupEntry + 4, as: UInt32.self)
    }

    /// Returns the parameters of the current group. Numbers above 0x10000 are groups that the fragment describes.
    private func groupParameters() throws(ParseError) -> ProtectionParameters? {
        var list = trackGroups
        var number = group
        if group > 0x1_0000 {
            list = auxiliary.groupParameters
            number = group - 0x1_0000
        } else if group == 0, auxiliary.defaultGroup != 0 {
            list = auxiliary.groupParameters
            number = auxiliary.defaultGroup
        } else if group == 0 {
            number = trackDefaultGroup
        }
        guard number > 0 else { return nil }
        guard Int(number) <= list.count else {
            throw error("the sample is in group \(number), which has no description")
        }
        return list[Int(number) - 1]
    }
}
