import ByteCoding
import HLSPlaylist
import MediaFormats

/// Writes the media segments of a rendition of a live presentation, each to a separate file.
final class LiveWriter {
    private let planned: PackagingPlan.Rendition
    private let writer: any SegmentWriter
    private let encryptor: SegmentEncryptor?
    private let folder: LiveFolder
    private let options: PlaylistOptions
    private var rounder = DurationRounder()
    private var map: String?
    private var needsMap = true
    /// The EXT-X-KEY tags for the period's key; empty if there is none.
    private(set) var keys: [KeyTag] = []
    /// True if the last segment was in the clear lead.
    private var wasClear = false
    /// The number of the next segment file: one more than its media sequence number.
    private var number: UInt64
    /// The number of the key period, and its encryption; nil if the rendition is clear.
    private(set) var period: Int
    private var protection: TrackProtection?
    /// The number of discontinuities of the run so far.
    private let epoch: Int
    /// The number of bytes of media written.
    private(set) var byteCount = 0

    /// Creates a writer that continues after the segments already written.
    ///
    /// - Parameters:
    ///   - sequence: The media sequence number of the next segment.
    ///   - period: The number of the key period.
    ///   - epoch: The number of discontinuities of the run so far.
    init(
        _ planned: PackagingPlan.Rendition,
        _ plan: PackagingPlan,
        folder: LiveFolder,
        sequence: UInt64,
        period: Int,
        epoch: Int
    ) throws {
        self.planned = planned
        self.folder = folder
        self.period = period
        self.epoch = epoch
        protection = planned.protection
        let writer = try plan.writer(for: planned)
        self.writer = writer
        options = PlaylistOptions(plan.job)
        number = sequence &+ 1
        encryptor = try planned.protection.flatMap {
            $0.scheme == .aes128 ? try SegmentEncryptor(writer, protection: $0) : nil
        }
        try setKeys(planned.protection, start: plan.periodStart)
    }

    private func setKeys(_ protection: TrackProtection?, start: Int64?) throws {
        guard let protection, let trackClass = planned.trackClass else { return }
        keys = try options.keys(protection, trackClass, start: start)
    }

    /// Continues with another key period.
    ///
    /// - Parameter change: The new keys; nil if the rendition is not encrypted.
    func change(to change: PackagingPlan.Rendition.KeyChange?, period number: Int) throws {
        period = number
        guard let change else { return }
        try encryptor?.change(to: change.protection)
        try writer.change(to: change.protection, systems: change.systems)
        protection = change.protection
        needsMap = needsMap || encryptor == nil
        try setKeys(change.protection, start: change.start)
    }

    /// Writes a segment.
    ///
    /// - Parameters:
    ///   - date: The date of the first frame.
    ///   - isClear: Whether the segment stays clear, whatever the key.
    ///   - limit: The maximum duration in playlists, in seconds.
    func write(
        _ complete: SegmentPipeline.Segment,
        date: PlaylistDate,
        isDiscontinuity: Bool,
        isClear: Bool,
        limit: Double
    ) throws -> LiveSegment {
        let index = Int(clamping: number &- 1)
        let segment = TrackSegment(
            index: index,
            samples: complete.samples,
            start: complete.start,
            end: complete.end,
            isProtected: planned.protection != nil && !isClear
        )
        needsMap = needsMap || isClear != wasClear && planned.protection != nil
        wasClear = isClear
        if needsMap, let bytes = try writer.initialization(isProtected: segment.isProtected, first: segment) {
            let name = "init-\(number).mp4"
            let file = try folder.create(planned.folder + "/" + name)
            try file.write(bytes.span.bytes)
            try file.finish()
            map = name
        }
        needsMap = false
        let name = "\(options.names.segmentPrefix)\(number).\(writer.fileExtension)"
        let file = try folder.create(planned.folder + "/" + name)
        let part = FilePart(file)
        var keyFrames: [KeyFrame] = []
        if let encryptor {
            try encryptor.add(segment, to: part) { keyFrames = $0 }
            try encryptor.flush()
        } else {
            keyFrames = try writer.write(segment, to: part)
        }
        try file.finish()
        number &+= 1
        byteCount += part.count
        let entry = LivePlaylist.Entry(
            uri: name,
            duration: rounder.advance(by: min(complete.seconds, limit)),
            date: date.inMilliseconds,
            isDiscontinuity: isDiscontinuity,
            keys: isClear ? [] : keys,
            map: map.map { MapTag(uri: $0) },
            byteCount: part.count
        )
        return LiveSegment(
            entry: entry,
            frames: frames(keyFrames, of: entry),
            position: position(of: complete, isClear: isClear)
        )
    }

    /// Returns the position in the media of the last segment written.
    private func position(of segment: SegmentPipeline.Segment, isClear: Bool) -> LiveSegment.Position {
        LiveSegment.Position(
            number: number &- 1,
            start: max(segment.start, RationalTime(0, timescale: segment.start.timescale)),
            duration: UInt64(clamping: segment.units),
            epoch: epoch,
            period: period,
            isInClearLead: isClear,
            protection: isClear ? nil : protection
        )
    }

    private func frames(_ keyFrames: [KeyFrame], of entry: LivePlaylist.Entry) -> [LiveSegment.Frame] {
        guard planned.media.kind == .video, encryptor == nil, options.names.iFrames != nil else { return [] }
        let microseconds = Int64((entry.duration * 1e6).rounded())
        let rendition = Rendition(
            planned,
            initialization: map.map { Rendition.Resource(uri: $0) },
            segments: [
                Rendition.Segment(
                    resource: Rendition.Resource(uri: entry.uri),
                    byteCount: entry.byteCount ?? 0,
                    duration: RationalTime(microseconds, timescale: 1_000_000),
                    isProtected: !entry.keys.isEmpty,
                    keyFrames: keyFrames
                )
            ]
        )
        var rounder = DurationRounder()
        return rendition.iFrames.compactMap { frame in
            frame.resource.byteRange.map { LiveSegment.Frame(range: $0, duration: rounder.advance(by: frame.duration)) }
        }
    }
}

extension SegmentPipeline.Segment {
    /// The duration in units of the track's timescale. Samples presented before 0 are removed by the edit list, and do
    /// not count.
    var units: Int64 { max(0, end.converted(to: start.timescale) - max(0, start.value)) }

    /// The duration in seconds.
    var seconds: Double { RationalTime(units, timescale: start.timescale).seconds }

    /// Returns the frame rate in frames per second; nil if the track is not video.
    func frameRate(_ track: MediaTrack) -> Double? {
        let duration = samples.reduce(0) { $0 + UInt64($1.duration) }
        guard track.kind == .video, duration > 0 else { return nil }
        return Double(samples.count) * Double(track.timescale) / Double(duration)
    }
}
