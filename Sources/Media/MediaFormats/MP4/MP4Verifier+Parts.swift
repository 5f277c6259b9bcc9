import ByteCoding

/// The content of a `traf` box for the verifier.
struct VerifiedTrackFragment {
    struct Sample {
        var size: UInt32
        var duration: UInt32
        var flags: SampleFlags
        var compositionOffset: Int32
    }

    var header: TrackFragmentHeaderBox?
    var decodeTime: UInt64?
    var runs: [TrackRunBox] = []
    var sizes: AuxiliaryInformationSizesBox?
    var offsets: AuxiliaryInformationOffsetsBox?
    /// The content of the senc box, and the offset of its first entry in the input.
    var encryption: (content: [UInt8], entries: Int)?

    /// Reads the content of a traf box.
    ///
    /// - Parameter samplesLeft: the maximum number of samples that the input can still contain. Samples without fields
    ///   have no bytes in a run, so that without this limit a few bytes could describe any number of samples.
    init(reading reader: inout ByteReader, samplesLeft: inout Int) throws(ParseError) {
        try reader.readBoxes(in: "traf") { box, content throws(ParseError) in
            switch box.type {
            case "tfhd": header = try TrackFragmentHeaderBox(reading: &content)
            case "tfdt": decodeTime = try TrackFragmentDecodeTimeBox(reading: &content).baseMediaDecodeTime
            case "trun":
                var probe = content
                let (_, count) = try Self.readRunHeader(&probe)
                guard count <= samplesLeft else {
                    throw ParseError(
                        .invalidLength,
                        reading: "number of samples in a run",
                        offset: box.offset,
                        reason: "the number of samples, \(count), is larger than the number of bytes in the input"
                    )
                }
                samplesLeft -= count
                runs.append(try TrackRunBox(reading: &content))
            case "saiz": sizes = try AuxiliaryInformationSizesBox(reading: &content)
            case "saio": offsets = try AuxiliaryInformationOffsetsBox(reading: &content)
            case "senc":
                let start = content.offset
                encryption = (try content.readRest("senc box"), start + 8)
            default: break
            }
        }
    }

    private static func readRunHeader(_ reader: inout ByteReader) throws(ParseError) -> (flags: UInt32, count: Int) {
        let flags = try FullBoxHeader(reading: &reader, of: TrackRunBox.type, newest: 1).flags
        return (flags, Int(try reader.readUInt32("number of samples in a run")))
    }

    /// Skips the content of a trun box.
    static func skipRun(_ reader: inout ByteReader) throws(ParseError) {
        let (flags, count) = try readRunHeader(&reader)
        try reader.skip(4 * (flags & 5).nonzeroBitCount, "data offset and first sample flags")
        try reader.skip(count * 4 * (flags >> 8 & 15).nonzeroBitCount, "samples of a run")
    }

    func samples(extends: TrackExtendsBox?) -> [Sample] {
        let extends = extends ?? TrackExtendsBox(trackID: 0)
        var samples: [Sample] = []
        for run in runs {
            for (index, sample) in run.samples.enumerated() {
                let flags = sample.flags ?? (index == 0 ? run.firstSampleFlags : nil) ?? header?.sampleFlags
                samples.append(
                    Sample(
                        size: sample.size ?? header?.sampleSize ?? extends.sampleSize,
                        duration: sample.duration ?? header?.sampleDuration ?? extends.sampleDuration,
                        flags: flags ?? extends.sampleFlags,
                        compositionOffset: sample.compositionOffset ?? 0
                    )
                )
            }
        }
        return samples
    }

    /// Returns the ranges of the runs' samples in the file.
    func dataRanges(moof: Int, previousEnd: Int?, _ samples: [Sample]) -> [Range<Int>] {
        var base = moof
        if let offset = header?.baseDataOffset {
            base = Int(clamping: offset)
        } else if header?.isDefaultBaseMoof == false, let previousEnd {
            base = previousEnd
        }
        var ranges: [Range<Int>] = []
        var next = base
        var index = 0
        for run in runs {
            let start = run.dataOffset.map { base.addingReportingOverflow(Int($0)).partialValue } ?? next
            let size = samples[index..<index + run.samples.count].reduce(0) { $0 + Int($1.size) }
            index += run.samples.count
            guard start >= 0, start < 1 << 62 else { continue }
            next = start + size
            ranges.append(start..<next)
        }
        return ranges
    }
}

extension MP4Verifier {
    mutating func verifyEncryption(
        _ fragment: VerifiedTrackFragment,
        _ samples: [VerifiedTrackFragment.Sample],
        _ track: Track,
        _ moof: Int
    ) {
        let index = fragment.header?.sampleDescriptionIndex ?? track.extends?.sampleDescriptionIndex ?? 1
        guard index > 0, Int(index) <= track.descriptions.count else {
            return addFinding(.box, moof, "sample description \(index) does not exist")
        }
        guard let tenc = track.descriptions[Int(index) - 1].commonEncryption?.trackEncryption, tenc.isProtected else {
            if fragment.encryption != nil { addFinding(.box, moof, "track \(track.id) is clear, but has a senc box") }
            return
        }
        guard let encryption = fragment.encryption else {
            return addFinding(.missingBox, moof, "track \(track.id) is encrypted, but has no senc box")
        }
        let box: SampleEncryptionBox
        do throws(ParseError) {
            var reader = ByteReader(encryption.content.span.bytes)
            var probe = reader
            try probe.skip(4, "version and flags of the senc box")
            let count = Int(try probe.readUInt32("number of samples in the senc box"))
            // The count is checked before the entries are read, because entries can have no bytes.
            guard count <= samples.count else {
                return addFinding(.auxiliarySize, moof, "senc has \(count) samples, trun has \(samples.count)")
            }
            box = try SampleEncryptionBox(reading: &reader, ivSize: Int(tenc.perSampleIVSize))
            try reader.finish("senc box")
        } catch {
            return addFinding(.box, encryption.entries - 8 + error.offset, error.description)
        }
        if box.samples.count != samples.count {
            addFinding(.auxiliarySize, moof, "senc has \(box.samples.count) samples, trun has \(samples.count)")
        }
        for (number, (entry, sample)) in zip(box.samples, samples).enumerated() where !entry.subsamples.isEmpty {
            let sum = entry.subsamples.reduce(0) { $0 + Int($1.clear) + Int($1.protected) }
            if sum != Int(sample.size) {
                let detail = "the subsamples of sample \(number + 1) have \(sum) bytes, the sample has \(sample.size)"
                addFinding(.subsamples, moof, detail)
            }
        }
        let entrySizes = box.samples.map { $0.size(hasSubsamples: box.hasSubsamples) }
        verifyAuxiliary(fragment, entrySizes, at: encryption.entries, moof)
    }

    private mutating func verifyAuxiliary(
        _ fragment: VerifiedTrackFragment,
        _ entrySizes: [Int],
        at entries: Int,
        _ moof: Int
    ) {
        guard let sizes = fragment.sizes, let offsets = fragment.offsets else {
            // If entries are too large for saiz, or empty, only senc is written.
            if fragment.sizes != nil || fragment.offsets != nil
                || entrySizes.contains(where: { (1...255).contains($0) }),
                !entrySizes.contains(where: { $0 > 255 })
            {
                addFinding(.missingBox, moof, "senc requires saiz and saio in the same traf box")
            }
            return
        }
        let isSame =
            sizes.defaultSize > 0
            ? sizes.sampleCount == entrySizes.count && entrySizes.allSatisfy { $0 == Int(sizes.defaultSize) }
            : sizes.sizes.elementsEqual(entrySizes) { Int($0) == $1 }
        if !isSame { addFinding(.auxiliarySize, moof, "the sizes in saiz differ from the sizes in senc") }
        let base = fragment.header?.baseDataOffset.map { Int(clamping: $0) } ?? moof
        guard offsets.offsets.count == 1, let offset = offsets.offsets.first else {
            return addFinding(.auxiliaryOffset, moof, "saio has \(offsets.offsets.count) offsets, expected 1")
        }
        let target = base.addingReportingOverflow(Int(clamping: offset)).partialValue
        if target != entries {
            addFinding(
                .auxiliaryOffset,
                moof,
                "the offset in saio is byte \(target), the entries of senc are at byte \(entries)"
            )
        }
    }

    mutating func verifyIndex(
        _ part: RawSpan,
        _ box: TopLevelBox,
        edges: Set<Int>,
        mediaEnd: Int,
        _ segments: [FragmentSummary]
    ) {
        var reader = ByteReader(part.extracting(box.content), base: box.content.lowerBound)
        guard let index = try? SegmentIndexBox(reading: &reader) else { return }
        var rest = segments[...]
        var start = box.end.addingReportingOverflow(Int(clamping: index.firstOffset)).partialValue
        var isFirst = true
        for (number, reference) in index.references.enumerated() where start >= 0 && start < 1 << 62 {
            let end = start + Int(reference.size)
            defer { start = end }
            guard !reference.isIndex else { continue }
            guard edges.contains(start), edges.contains(end), end > start else {
                addFinding(
                    .index,
                    box.header.offset,
                    "reference \(number + 1), bytes \(start) to \(end), ends within a box"
                )
                return
            }
            rest = rest.drop { $0.offset < start }
            let inside = rest.prefix { $0.offset < end }
            let scale = movie?.track(index.referenceID)?.timescale
            let duration = inside.reduce(0) { $0 + ($1.durations[index.referenceID] ?? 0) }
            if scale == index.timescale, duration != UInt64(reference.duration) {
                let found = "\(reference.duration), its samples have \(duration)"
                addFinding(.index, box.header.offset, "the duration of reference \(number + 1) is \(found)")
            }
            if reference.startsWithSAP, reference.sapType == 1,
                inside.first?.startsWithSync[index.referenceID] == false
            {
                addFinding(.index, box.header.offset, "reference \(number + 1) does not begin with a sync sample")
            }
            // The earliest presentation time takes the edit list into account; times that it removes count as 0.
            let offset = (try? movie?.track(index.referenceID)?.timing())?.presentationOffset ?? 0
            if isFirst, scale == index.timescale, let earliest = inside.first?.earliest[index.referenceID],
                max(0, earliest + offset) != Int64(clamping: index.earliestPresentationTime)
            {
                let found = "\(index.earliestPresentationTime), expected \(max(0, earliest + offset))"
                addFinding(.index, box.header.offset, "the earliest presentation time is \(found)")
            }
            isFirst = false
        }
        if !index.references.contains(where: \.isIndex), start != mediaEnd {
            addFinding(.index, box.header.offset, "references end at byte \(start), the media end at byte \(mediaEnd)")
        }
    }

    /// Checks that samples outside of fragments are in mdat boxes, and that the tables agree on the number of samples.
    mutating func verifySampleTables(_ part: RawSpan, _ boxes: [TopLevelBox]) {
        guard let movie, boxes.contains(where: { $0.header.type == "moov" }) else { return }
        let data = boxes.filter { $0.header.type == "mdat" }.map(\.content)
        for track in movie.tracks {
            guard let table = track.table, var cursor = SampleTableCursor(track) else { continue }
            let offset = table.sampleSize.offset
            var durations = 0
            for index in 0..<table.timeToSample.entries.count {
                durations += Int(part.load(table.timeToSample.entries.offset + 8 * index, as: UInt32.self))
            }
            if durations != table.sampleCount {
                addFinding(
                    .table,
                    offset,
                    "track \(track.id): stts has \(durations) samples, stsz has \(table.sampleCount)"
                )
            }
            var bytes = 0
            do throws(ParseError) {
                while let sample = try cursor.next(part) {
                    bytes += sample.size
                    guard Self.isInside(sample.range, data), bytes <= part.byteCount else {
                        addFinding(
                            .sampleRange,
                            sample.offset,
                            "sample \(cursor.index) of track \(track.id) is not in an mdat box"
                        )
                        break
                    }
                }
            } catch {
                addFinding(.table, error.offset, error.description)
            }
        }
    }

    /// Returns whether a range is within one of the ascending ranges.
    private static func isInside(_ range: Range<Int>, _ ranges: [Range<Int>]) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < range.upperBound { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= range.lowerBound
    }
}
