package import MediaFormats

/// Writes a track as CMAF: an init segment and media segments of one or more fragments each (ISO/IEC 23000-19).
///
/// A fragment starts at each key frame, so that an I-frame playlist can reference key frames within a segment;
/// fragments are at least half a second long, to limit the overhead of headers for video with only key frames.
///
/// Clear samples are never copied: contiguous samples of the input are written as one range. Samples to be encrypted
/// are collected, a few hundred kilobytes at a time, in a buffer that fits in the CPU cache.
package final class FragmentedMP4Writer: SegmentWriter {
    /// The file extension of CMAF media segments.
    package let fileExtension = "m4s"

    private let track: MediaTrack
    private static let trackID: UInt32 = 1
    private let encryptor: FragmentEncryptor?
    private var timing: FragmentTiming?
    private var sequenceNumber: UInt32 = 0
    /// The ID of the next event.
    private var eventID: UInt32 = 0
    private var clearFragment: FragmentWriter
    private var header = BoxWriter(capacity: 64 << 10)
    package private(set) var encryptionCount = EncryptionCount()

    /// Creates a writer for a track.
    ///
    /// - Parameters:
    ///   - protection: The key and the scheme, cbcs or cenc; nil if the samples stay clear. AES-128 is ignored, because
    ///     it is applied outside of this writer.
    ///   - systems: The `pssh` boxes of protected init segments.
    /// - Throws: `ParseError` if parameter sets cannot be parsed; `SampleEncryptionError` for a key or IV of the wrong
    ///   size; ``OutputFailure`` for cenc without an IV, or for SAMPLE-AES.
    package init(
        _ track: MediaTrack,
        protection: TrackProtection? = nil,
        systems: [ProtectionSystemHeaderBox] = []
    ) throws {
        guard protection?.scheme != .sampleAES else {
            throw OutputFailure("SAMPLE-AES requires transport streams; use cbcs for fragmented MP4")
        }
        self.track = track
        clearFragment = FragmentWriter(trackID: Self.trackID)
        encryptor = try protection.flatMap {
            try FragmentEncryptor(track, trackID: Self.trackID, protection: $0, systems: systems)
        }
    }

    package func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) throws {
        try encryptor?.change(to: protection, systems: systems)
    }

    package func initialization(isProtected: Bool, first: TrackSegment) throws -> [UInt8]? {
        let encryptor = isProtected ? encryptor : nil
        return initialization(encryptor?.protection, encryptor?.systems ?? [], fragmentTiming(first))
    }

    package func initialization(
        changingTo protection: TrackProtection,
        systems: [ProtectionSystemHeaderBox]
    ) throws -> [UInt8]? {
        guard let timing, encryptor != nil else { return nil }
        return initialization(protection, systems, timing)
    }

    private func initialization(
        _ protection: TrackProtection?,
        _ systems: [ProtectionSystemHeaderBox],
        _ timing: FragmentTiming
    ) -> [UInt8] {
        let kind = track.handler
        var entries = [SampleEntry]()
        if var entry = track.sampleEntry {
            entry.dataReferenceIndex = 1
            if let protection {
                entry = entry.protected(
                    scheme: protection.scheme == .cenc ? "cenc" : "cbcs",
                    trackEncryption: protection.trackEncryption(track.kind)
                )
            }
            entries.append(entry)
        }
        var fileType = FileTypeBox.cmafHeader(kind: kind, hasEditList: timing.editList != nil)
        fileType.compatibleBrands += track.brands
        let segment = InitializationSegment(
            fileType: fileType,
            tracks: [
                InitializationSegment.Track(
                    id: Self.trackID,
                    kind: kind,
                    timescale: track.timescale,
                    language: track.threeLetterLanguage,
                    extendedLanguage: track.extendedLanguage,
                    width: track.displaySize.width,
                    height: track.displaySize.height,
                    matrix: track.matrix,
                    descriptions: entries,
                    editList: timing.editList
                )
            ],
            protectionSystemHeaders: systems
        )
        return segment.bytes
    }

    package func write(_ segment: TrackSegment, to output: any SegmentOutput) throws -> [KeyFrame] {
        let timing = fragmentTiming(segment)
        let encryptor = segment.isProtected ? encryptor : nil
        var keyFrames: [KeyFrame] = []
        var start = 0
        var events = segment.metadata.map(event)
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
            let isFirst = start == 0 && segment.isStart
            try writeHeader(of: samples, timing, encryptor, events: events, isFirst: isFirst, to: output)
            events = []
            if track.kind == .video, first.isSync {
                let presentation = first.presentationTime + track.timing.presentationOffset
                keyFrames.append(
                    KeyFrame(
                        offset: offset,
                        size: output.count - offset + first.size,
                        presentation: RationalTime(presentation, timescale: track.timescale)
                    )
                )
            }
            if let encryptor { try encryptor.write(samples, to: output) } else { try writeClear(samples, to: output) }
            start = end
        }
        if let encryptor { encryptionCount += try encryptor.end(segment) }
        return keyFrames
    }

    /// Returns ID3 tags as an event (AOM, Carriage of ID3 Timed Metadata in the Common Media Application Format, 2).
    private func event(_ tags: TimedMetadata) -> EventMessageBox {
        eventID &+= 1
        return EventMessageBox(
            schemeIDURI: "https://aomedia.org/emsg/ID3",
            timescale: tags.time.timescale,
            time: .absolute(UInt64(clamping: tags.time.value)),
            id: eventID,
            messageData: tags.bytes
        )
    }

    /// Returns the timing of fragments, which is determined by the composition offset of the first sample.
    private func fragmentTiming(_ segment: TrackSegment) -> FragmentTiming {
        if let timing { return timing }
        let first = segment.samples.first?.compositionOffset ?? 0
        let made = FragmentTiming(track.timing, kind: track.handler, firstCompositionOffset: first)
        timing = made
        return made
    }

    private func writeHeader(
        of samples: ArraySlice<MediaSample>,
        _ timing: FragmentTiming,
        _ encryptor: FragmentEncryptor?,
        events: [EventMessageBox],
        isFirst: Bool,
        to output: any SegmentOutput
    ) throws {
        sequenceNumber &+= 1
        header.removeAll()
        let decodeTime = UInt64(clamping: samples.first?.decodeTime ?? 0) &+ timing.decodeTimeShift
        let segmentType: FileTypeBox? = isFirst ? .cmafSegment : nil
        if let encryptor {
            try encryptor.describe(samples, timing)
            encryptor.fragment.finish(
                sequenceNumber: sequenceNumber,
                decodeTime: decodeTime,
                segmentType: segmentType,
                events: events,
                to: &header
            )
        } else {
            for sample in samples { clearFragment.append(FragmentSample(sample, timing)) }
            clearFragment.finish(
                sequenceNumber: sequenceNumber,
                decodeTime: decodeTime,
                segmentType: segmentType,
                events: events,
                to: &header
            )
        }
        try output.write(header.bytes)
    }

    /// Writes samples without encryption: samples in the same source in one call, contiguous samples as one range.
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
}

extension FragmentSample {
    init(_ sample: MediaSample, _ timing: FragmentTiming) {
        self.init(
            size: UInt32(truncatingIfNeeded: sample.size),
            duration: sample.duration,
            compositionOffset: sample.compositionOffset &+ timing.compositionShift,
            flags: sample.isSync ? .sync : .nonSync
        )
    }
}
