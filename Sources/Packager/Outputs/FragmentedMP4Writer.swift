import ByteCoding
package import MediaFormats
import SampleEncryption

/// Writes a track as CMAF: an init segment and media segments of one or more fragments each (ISO/IEC 23000-19).
///
/// A fragment begins at each key frame, so that an I-frame playlist can name key frames within a segment; between two
/// fragments there is half a second at least, so that video of key frames alone does not drown in headers.
///
/// Clear samples are never copied: what lies side by side in the input is handed on as one piece. Samples to be
/// encrypted are gathered in a buffer that stays in the processor's cache, some hundred kilobytes at a time.
package final class FragmentedMP4Writer: SegmentWriter {
    /// Media segments of CMAF.
    package let fileExtension = "m4s"

    /// How many bytes are gathered before the cipher runs over them.
    private static let gathering = 256 << 10

    private let track: MediaTrack
    private let protection: TrackProtection?
    private let systems: [ProtectionSystemHeaderBox]
    private let cipher: SampleCipher?
    /// Those of samples, with cenc.
    private var vectors: SampleVectors
    private let trackID: UInt32 = 1
    /// For video that is encrypted.
    private var units: NALUnitProtection?
    private var timing: FragmentTiming?
    private var sequenceNumber: UInt32 = 0

    private var clearFragment: FragmentWriter
    private var protectedFragment: FragmentWriter
    private var header = BoxWriter(capacity: 64 << 10)
    private var gathered: [UInt8] = []
    private var batch = SampleBatch()
    /// The subsamples of a fragment's samples, one after the other, and how many each sample has.
    private var subsamples: [SampleEncryptionBox.Subsample] = []
    private var subsampleCounts: [Int] = []

    /// Makes a writer for a track.
    ///
    /// - Parameters:
    ///   - protection: By which key samples are encrypted, with cbcs or cenc; nil: they stay clear. A protection by AES-128 is
    ///     not this writer's business.
    ///   - systems: The `pssh` boxes of protected init segments.
    /// - Throws: `ParseError` when parameter sets cannot be read; `SampleEncryptionError` for a key or IV of a wrong
    ///   size; ``OutputFailure`` for cenc without an IV.
    package init(
        _ track: MediaTrack,
        protection: TrackProtection? = nil,
        systems: [ProtectionSystemHeaderBox] = []
    ) throws {
        self.track = track
        self.systems = systems
        let scheme = protection?.sampleScheme(track.kind)
        let protection = scheme == nil ? nil : protection
        vectors = SampleVectors(first: scheme == .cenc ? protection?.iv : nil)
        self.protection = protection
        clearFragment = FragmentWriter(trackID: trackID)
        protectedFragment = FragmentWriter(
            trackID: trackID,
            encryption: scheme == .cenc
                ? (track.kind == .video ? .vectorsAndSubsamples : .vectors)
                : (track.kind == .video ? .subsamples : .wholeSamples)
        )
        guard let protection, let scheme else {
            cipher = nil
            return
        }
        if scheme == .cenc, protection.iv == nil { throw OutputFailure("cenc needs an IV") }
        cipher = try SampleCipher(
            scheme,
            .encrypt,
            key: protection.key,
            constantIV: scheme == .cenc ? nil : protection.iv
        )
        units = try NALUnitProtection(track.format, wholeBlocks: scheme == .cenc)
    }

    package func initialization(isProtected: Bool, first: MediaSegment) throws -> [UInt8]? {
        let timing = fragmentTiming(first)
        let isProtected = isProtected && protection != nil
        let kind = track.handler
        var entries = [SampleEntry]()
        if var entry = track.sampleEntry {
            entry.dataReferenceIndex = 1
            if isProtected, let protection {
                entry = entry.protected(
                    scheme: protection.scheme == .cenc ? "cenc" : "cbcs",
                    trackEncryption: protection.trackEncryption(track.kind)
                )
            }
            entries.append(entry)
        }
        let segment = InitializationSegment(
            fileType: .cmafHeader(kind: kind, hasEditList: timing.editList != nil),
            tracks: [
                InitializationSegment.Track(
                    id: trackID,
                    kind: kind,
                    timescale: track.timescale,
                    language: track.threeLetterLanguage,
                    extendedLanguage: track.extendedLanguage,
                    width: track.displaySize.width,
                    height: track.displaySize.height,
                    descriptions: entries,
                    editList: timing.editList
                )
            ],
            protectionSystemHeaders: isProtected ? systems : []
        )
        return segment.bytes
    }

    package func write(_ segment: MediaSegment, to output: any SegmentOutput) throws -> [KeyFrame] {
        let timing = fragmentTiming(segment)
        let isProtected = segment.isProtected && protection != nil
        var keyFrames: [KeyFrame] = []
        var start = 0
        let shortest = Int64(track.timescale / 2)
        while start < segment.samples.count {
            let first = segment.samples[start]
            var end = start + 1
            while end < segment.samples.count {
                let sample = segment.samples[end]
                let isDistant = sample.decodeTime - first.decodeTime >= shortest
                if track.kind == .video, sample.isSync, isDistant { break }
                end += 1
            }
            let offset = output.count
            let samples = segment.samples[start..<end]
            try writeHeader(of: samples, timing, isProtected: isProtected, isFirst: start == 0, to: output)
            if track.kind == .video, first.isSync {
                let presentation = first.presentationTime + track.timing.presentationOffset
                keyFrames.append(
                    KeyFrame(
                        offset: offset,
                        size: output.count - offset + first.size,
                        presentation: MediaTime(presentation, timescale: track.timescale)
                    )
                )
            }
            if isProtected { try writeProtected(samples, to: output) } else { try writeClear(samples, to: output) }
            start = end
        }
        return keyFrames
    }

    /// How times are written: known since the first sample, which says how much frames are delayed.
    private func fragmentTiming(_ segment: MediaSegment) -> FragmentTiming {
        if let timing { return timing }
        let first = segment.samples.first?.compositionOffset ?? 0
        let made = FragmentTiming(track.timing, kind: track.handler, firstCompositionOffset: first)
        timing = made
        return made
    }

    private func writeHeader(
        of samples: ArraySlice<MediaSample>,
        _ timing: FragmentTiming,
        isProtected: Bool,
        isFirst: Bool,
        to output: any SegmentOutput
    ) throws {
        sequenceNumber &+= 1
        header.removeAll()
        let decodeTime = UInt64(clamping: samples.first?.decodeTime ?? 0) &+ timing.decodeTimeShift
        let segmentType: FileTypeBox? = isFirst ? .cmafSegment : nil
        if isProtected {
            try findSubsamples(samples)
            var next = 0
            for (place, (sample, count)) in zip(samples, subsampleCounts).enumerated() {
                let list = subsamples.span.extracting(next..<next + count)
                protectedFragment.append(FragmentSample(sample, timing), iv: SampleIV(vectors[place]), subsamples: list)
                next += count
            }
            protectedFragment.finish(
                sequenceNumber: sequenceNumber,
                decodeTime: decodeTime,
                segmentType: segmentType,
                to: &header
            )
        } else {
            for sample in samples { clearFragment.append(FragmentSample(sample, timing)) }
            clearFragment.finish(
                sequenceNumber: sequenceNumber,
                decodeTime: decodeTime,
                segmentType: segmentType,
                to: &header
            )
        }
        try output.write(header.bytes)
    }

    private func findSubsamples(_ samples: ArraySlice<MediaSample>) throws {
        subsamples.removeAll(keepingCapacity: true)
        subsampleCounts.removeAll(keepingCapacity: true)
        vectors.removeAll()
        for sample in samples {
            let before = subsamples.count
            do {
                try sample.withBytes { try units?.append($0, to: &subsamples) }
            } catch let error as ParseError {
                throw SampleFailure(sample, error)
            }
            subsampleCounts.append(subsamples.count - before)
            let listed = subsamples[before...].reduce(0) { $0 + Int($1.protected) }
            vectors.append(protecting: units == nil ? sample.size : listed)
        }
    }

    /// Writes samples as they are: all that lie in the same bytes together, neighbours as one piece.
    private func writeClear(_ samples: ArraySlice<MediaSample>, to output: any SegmentOutput) throws {
        var index = samples.startIndex
        while index < samples.endIndex {
            let bytes = samples[index].bytes
            var ranges = [samples[index].range]
            index += 1
            while index < samples.endIndex, samples[index].bytes === bytes {
                let range = samples[index].range
                if let last = ranges.last, last.upperBound == range.lowerBound {
                    ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    ranges.append(range)
                }
                index += 1
            }
            try bytes.withBytes { try output.write(ranges, of: $0) }
        }
    }

    /// Gathers samples, encrypts them together and writes them.
    private func writeProtected(_ samples: ArraySlice<MediaSample>, to output: any SegmentOutput) throws {
        gathered.removeAll(keepingCapacity: true)
        batch.removeAll()
        var next = 0
        for (place, (sample, count)) in zip(samples, subsampleCounts).enumerated() {
            let iv = vectors[place]
            if gathered.count + sample.size > Self.gathering, !batch.isEmpty { try flush(to: output) }
            let offset = gathered.count
            sample.withBytes { bytes in bytes.withUnsafeBytes { gathered.append(contentsOf: $0) } }
            if track.kind == .video {
                let list = subsamples[next..<next + count].lazy.map {
                    Subsample(clear: Int($0.clear), protected: Int($0.protected))
                }
                batch.append(offset: offset, size: sample.size, subsamples: list, iv: iv)
            } else {
                batch.append(offset: offset, size: sample.size, iv: iv)
            }
            next += count
        }
        try flush(to: output)
    }

    private func flush(to output: any SegmentOutput) throws {
        try cipher?.process(batch, in: &gathered)
        try output.write(gathered)
        gathered.removeAll(keepingCapacity: true)
        batch.removeAll()
    }
}

extension FragmentSample {
    fileprivate init(_ sample: MediaSample, _ timing: FragmentTiming) {
        self.init(
            size: UInt32(truncatingIfNeeded: sample.size),
            duration: sample.duration,
            compositionOffset: sample.compositionOffset &+ timing.compositionShift,
            flags: sample.isSync ? .sync : .nonSync
        )
    }
}
