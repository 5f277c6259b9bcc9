import ByteCoding
import MediaFormats

/// Measures the segments of fragmented MP4 that belong to one init segment.
struct MovieProbe: Sendable {
    private let movie: Movie
    /// The formats by track, each with those of its sample descriptions.
    private let descriptions: [[TrackFormat]]
    /// The probes of encrypted pictures by track and sample description.
    private let pictures: [[SubsampleProbe?]]
    /// The sizes of the initialization vectors of encrypted samples in bytes, by track ID.
    private let ivSizes: [UInt32: Int]

    /// The first format of each track.
    var formats: [TrackFormat] { descriptions.compactMap(\.first) }

    /// Reads an init segment.
    ///
    /// - Throws: `ParseError`.
    init(initialization bytes: RawSpan) throws(ParseError) {
        movie = try MovieFile(reading: bytes).movie
        pictures = movie.tracks.map { track in track.descriptions.map { SubsampleProbe($0) } }
        let sizes = movie.tracks.compactMap { track -> (UInt32, Int)? in
            let sizes = Set(track.descriptions.compactMap { $0.commonEncryption?.trackEncryption?.perSampleIVSize })
            return sizes.count == 1 ? sizes.first.map { (track.id, Int($0)) } : nil
        }
        ivSizes = Dictionary(sizes, uniquingKeysWith: { first, _ in first })
        let systems = movie.protectionSystemHeaders
        descriptions = movie.tracks.map { track in
            track.descriptions.map { entry in
                var format = TrackFormat(track, entry)
                format.protection?.systems = systems
                return format
            }
        }
    }

    /// Measures a segment.
    ///
    /// - Parameter isTruncated: Whether the end of the last mdat box may be missing.
    /// - Throws: `ParseError` if a box is damaged or a sample is outside of the segment.
    func measure(_ segment: RawSpan, isTruncated: Bool) throws(ParseError) -> SegmentMeasurement {
        var result = SegmentMeasurement(container: .mp4, byteCount: segment.byteCount)
        result.structure = MovieStructure(segment, ivSizes: ivSizes)
        for (index, track) in movie.tracks.enumerated() where !descriptions[index].isEmpty {
            var builder = MovieTrackBuilder(track, descriptions[index], pictures[index])
            var samples = FragmentCursor(track, from: 0, endsAtMissingTail: isTruncated)
            while let sample = try samples.next(segment) {
                guard sample.offset >= 0, sample.size <= segment.byteCount - sample.offset else {
                    if isTruncated { break }
                    throw ParseError(
                        .truncated,
                        reading: "sample of track \(track.id)",
                        offset: sample.offset,
                        reason: "its \(sample.size) bytes end after the segment (\(segment.byteCount) bytes)"
                    )
                }
                try builder.add(sample, segment)
            }
            result.tracks.append(builder.measurement)
        }
        return result
    }
}

/// The syntax of audio samples in MP4, as far as their loudness is read.
enum AudioSyntax: Hashable, Sendable {
    /// AC-3 and E-AC-3.
    case ac3
    /// Raw data blocks of AAC-LC, HE-AAC and related object types.
    case aac(channelConfiguration: UInt8)
    /// Other codecs, and object types with another syntax, such as xHE-AAC.
    case other

    /// Creates the syntax of a sample entry.
    init(_ entry: SampleEntry) {
        switch entry.originalFormat {
        case "ac-3", "ec-3": self = .ac3
        case "mp4a":
            guard let config = (try? entry.audioSpecificConfig()) ?? nil,
                (1...4).contains(config.objectType.rawValue)
            else {
                self = .other
                return
            }
            self = .aac(channelConfiguration: config.channelConfiguration)
        default: self = .other
        }
    }
}

/// The measurement of a track in one segment of MP4.
private struct MovieTrackBuilder {
    private let timescale: UInt32
    /// The offset from the media's times to the presentation's, which the edit list specifies.
    private let offset: Int64
    private let formats: [TrackFormat]
    private let nalLengthSizes: [Int?]
    private let audio: [AudioSyntax]
    private let pictures: [SubsampleProbe?]
    private let mayHaveFields: Bool
    private(set) var measurement: TrackMeasurement
    private var last: Sample?

    init(_ track: Track, _ formats: [TrackFormat], _ pictures: [SubsampleProbe?]) {
        timescale = track.timescale
        // Limited, so that no sum of times overflows.
        offset = min(max((try? track.timing())?.presentationOffset ?? 0, -1 << 61), 1 << 61)
        self.formats = formats
        nalLengthSizes = track.descriptions.map(Self.nalLengthSize)
        audio = track.descriptions.map(AudioSyntax.init)
        self.pictures = pictures
        mayHaveFields = pictures.contains { $0?.mayHaveFields == true }
        measurement = TrackMeasurement(id: track.id, format: formats[0])
    }

    /// Returns the size in bytes of the length before each NAL unit; nil for formats without NAL units.
    private static func nalLengthSize(_ entry: SampleEntry) -> Int? {
        switch entry.originalFormat {
        case "avc1", "avc3": (try? entry.boxes.first("avcC")?.parse(as: AVCConfigurationBox.self))?.lengthSize
        case "hvc1", "hev1", "dvh1", "dvhe":
            (try? entry.boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self))?.lengthSize
        default: nil
        }
    }

    mutating func add(_ sample: Sample, _ segment: RawSpan) throws(ParseError) {
        let decodeTime = Int64(clamping: sample.decodeTime)
        let start = sample.presentationTime + offset
        let end = start + Int64(sample.duration)
        if let last { addDuration(decodeTime - Int64(clamping: last.decodeTime)) }
        if measurement.sampleCount == 0 {
            measurement.format = formats[min(Int(sample.descriptionIndex) - 1, formats.count - 1)]
            measurement.decodeStart = MediaTime(decodeTime, timescale: timescale)
            measurement.firstTime = MediaTime(start, timescale: timescale)
        }
        measurement.decodeEnd = MediaTime(decodeTime + Int64(sample.duration), timescale: timescale)
        measurement.start = MediaTime(min(measurement.start?.value ?? start, start), timescale: timescale)
        measurement.end = MediaTime(max(measurement.end?.value ?? end, end), timescale: timescale)
        measurement.sampleCount += 1
        measurement.byteCount += sample.size
        if let last, (last.protection == nil) != (sample.protection == nil) { measurement.protectionChanges += 1 }
        if let protection = sample.protection { add(protection) }
        try inspect(sample, start, segment.extracting(sample.range), segment)
        last = sample
    }

    private mutating func addDuration(_ duration: Int64) {
        let known = measurement.sampleDurations ?? duration...duration
        measurement.sampleDurations = min(known.lowerBound, duration)...max(known.upperBound, duration)
    }

    /// Counts an encrypted sample.
    private mutating func add(_ protection: SampleProtection) {
        measurement.encryptedSampleCount += 1
        if measurement.keyIDs.count < 16, measurement.keyIDs.last != protection.keyID,
            !measurement.keyIDs.contains(protection.keyID)
        {
            measurement.keyIDs.append(protection.keyID)
        }
    }

    /// Inspects the headers of NAL units, which stay clear in encrypted samples.
    private mutating func inspect(
        _ sample: Sample,
        _ time: Int64,
        _ bytes: RawSpan,
        _ segment: RawSpan
    ) throws(ParseError) {
        let index = Int(sample.descriptionIndex) - 1
        if measurement.format.kind == .audio, audio.indices.contains(index), sample.protection == nil {
            inspect(audio[index], bytes)
        }
        guard measurement.format.kind == .video else { return }
        guard nalLengthSizes.indices.contains(index), let lengthSize = nalLengthSizes[index] else {
            // The flags are all that is known of other codecs, such as AV1.
            if sample.isSync { measurement.keyFrames.append(Double(time) / Double(timescale)) }
            return
        }
        let isH264 = measurement.format.sampleEntry.hasPrefix("avc")
        let summary =
            isH264
            ? try H264AccessUnit.summary(bytes, lengthSize: lengthSize)
            : try HEVCAccessUnit.summary(bytes, lengthSize: lengthSize)
        if measurement.sampleCount == 1 {
            measurement.firstPicture = TrackMeasurement.FirstPicture(summary.randomAccess)
        }
        if case .idr = summary.randomAccess { measurement.keyFrames.append(Double(time) / Double(timescale)) }
        if sample.isSync != summary.randomAccess.isSyncSample, summary.sliceCount > 0 {
            measurement.hasWrongSyncFlags = true
        }
        // Encoders put caption data into every picture, even between captions.
        if measurement.sampleCount <= Self.inspectedPictures {
            try addMessages(bytes, lengthSize, isH264: isH264)
            if let protection = sample.protection, protection.scheme == "cbcs", protection.subsamples.count > 0,
                let picture = pictures[index]
            {
                measurement.subsampleFaults.formUnion(
                    try picture.faults(bytes, protection.subsamples.entries(in: segment))
                )
            }
        }
        if mayHaveFields, !measurement.hasFields, let picture = pictures[index], try picture.isField(bytes) {
            measurement.hasFields = true
        }
    }

    /// Inspects the loudness that a clear audio sample declares.
    private mutating func inspect(_ syntax: AudioSyntax, _ sample: RawSpan) {
        switch syntax {
        case .ac3: measurement.loudness.inspect(ac3: sample)
        case .aac(let channels): measurement.loudness.inspect(aac: sample, channelConfiguration: channels)
        case .other: break
        }
    }

    /// The number of pictures of each segment whose messages and encrypted parts are inspected.
    private static let inspectedPictures = 8

    private mutating func addMessages(_ sample: RawSpan, _ lengthSize: Int, isH264: Bool) throws(ParseError) {
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            let unit = sample.extracting(range)
            let isMessage =
                isH264
                ? H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type == .sei
                : HEVCNALHeader(unit)?.type == .prefixSEI
            guard isMessage else { continue }
            for message in (try? SEIMessage.messages(unit, headerSize: isH264 ? 1 : 2)) ?? [] {
                switch message {
                case .closedCaptions: measurement.hasClosedCaptions = true
                case .masteringDisplay, .contentLightLevel: measurement.hasStaticHDRMetadata = true
                default: break
                }
            }
        }
    }

}

extension TrackMeasurement.FirstPicture {
    init(_ access: RandomAccess) {
        self =
            switch access {
            case .idr: .idr
            case .cra: .cra
            case .none, .bla, .recoveryPoint: .other
            }
    }
}
