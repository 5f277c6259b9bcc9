import ByteCoding
import DRMSignaling
import FileWriting
import HLSPlaylist

/// Creates the files of a presentation.
protocol PresentationFiles: AnyObject {
    /// Creates a file that no playlist references yet.
    ///
    /// - Parameter name: The path, relative to the presentation's folder.
    func create(_ name: String) throws -> FileOutput
}

/// Writes the init segments and media segments of a rendition, as separate files or as byte ranges of a single file,
/// for VOD and for live.
///
/// An init segment is written before the first segment and wherever something in it changes: after a clear lead, at the
/// start of a key period, and at the start of a part of the presentation. In a single file, the space for the index of
/// its segments follows it.
final class RenditionWriter {
    private let planned: PackagingPlan.Rendition
    /// The writer of the current part's segments, whose track may be configured differently in each part.
    private var writer: any SegmentWriter
    /// The encryptor for whole segments (AES-128); nil for other schemes.
    private var encryptor: SegmentEncryptor?
    private let files: any PresentationFiles
    private let options: PlaylistOptions
    /// The single file of the rendition; nil if segments are separate files.
    private let file: FileOutput?
    private let singleFileName: String
    /// The maximum number of entries in each index of a single file; nil if there is no index.
    private let indexCapacity: Int?
    private var reservations: [(initialization: Rendition.Resource, space: SegmentIndexReservation)] = []
    private var names: InitializationNames

    /// The encryption in the current key period, and its EXT-X-KEY tags; nil and empty if the rendition is clear.
    private var protection: TrackProtection?
    private(set) var keys: [KeyTag] = []
    /// The class of the current part's track, which determines its key.
    private var trackClass: TrackClass?
    /// The number of the key period.
    private(set) var period: Int
    private var part: Int
    /// The tracks of the parts that have other tracks than the first one.
    private var laterTracks: [Int: MediaTrack] = [:]
    /// True if the next segment is the first one of a later part.
    private var startsPart = false
    private var initialization: Rendition.Resource?
    private var needsInitialization = true
    /// True if the last segment was in the clear lead.
    private var wasClear = false
    /// The number of the next segment, from 1.
    private var number: UInt64
    private var written: [Rendition.Segment] = []
    /// The segment of which chunks have been written, and its file.
    private var open: (segment: Rendition.Segment, file: FileOutput, output: FilePart)?
    /// The init segment that was written ahead of a key period: the number of its first segment, and its period.
    private var prepared: (resource: Rendition.Resource, number: UInt64, period: Int)?
    private var measurement: VideoMeasurement
    /// The number of bytes of media written.
    private(set) var byteCount = 0
    /// The value of ``isUnprotected`` at the end of the previous part.
    private var hasUnprotectedPart = false
    /// True if a part has segments of video that are to be encrypted, but nothing of them was. Segments that are
    /// encrypted as a whole always are; all frames of silent audio can be too short.
    var isUnprotected: Bool {
        hasUnprotectedPart || planned.media.kind == .video && writer.encryptionCount.isUnprotected
    }

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - number: The number of the first segment.
    ///   - period: The number of the key period.
    ///   - part: The number of the part of the presentation.
    init(
        _ planned: PackagingPlan.Rendition,
        _ plan: PackagingPlan,
        files: any PresentationFiles,
        number: UInt64 = 1,
        period: Int = 0,
        part: Int = 0
    ) throws {
        self.planned = planned
        measurement = VideoMeasurement(planned.media)
        self.files = files
        (self.number, self.period, self.part) = (number, period, part)
        let (job, writer) = (plan.job, try plan.writer(for: planned))
        self.writer = writer
        options = PlaylistOptions(job)
        names = InitializationNames(isLive: job.live != nil)
        let hasIndex = job.isSingleFile && job.manifests.contains(.dash)
        indexCapacity = hasIndex ? plan.maximumSegments.map { min($0, 65_535) } : nil
        let fileName = "media." + (writer.fileExtension == "m4s" ? "mp4" : writer.fileExtension)
        file = job.isSingleFile ? try files.create(planned.folder + "/" + fileName) : nil
        singleFileName = fileName
        encryptor = try Self.encryptor(writer, planned.protection)
        try use(planned.protection, planned.trackClass, start: plan.periodStart)
    }

    private static func encryptor(
        _ writer: any SegmentWriter,
        _ protection: TrackProtection?
    ) throws -> SegmentEncryptor? {
        guard let protection, protection.scheme == .aes128 else { return nil }
        return try SegmentEncryptor(writer, protection: protection)
    }

    /// Continues with the next part of the presentation.
    ///
    /// - Parameters:
    ///   - planned: The rendition with its track and its encryption in the part.
    ///   - plan: The plan of the part.
    /// - Throws: ``JobFailure`` if the rendition is to be encrypted, but there is no key.
    func begin(_ part: Int, _ planned: PackagingPlan.Rendition, _ plan: PackagingPlan) throws {
        guard !planned.isProtected || planned.protection != nil else {
            throw JobFailure("keys", "a track is to be encrypted, but there is no key for its class")
        }
        try encryptor?.flush()
        hasUnprotectedPart = isUnprotected
        writer = try plan.writer(for: planned)
        encryptor = try Self.encryptor(writer, planned.protection)
        laterTracks[part] = planned.media
        measurement.begin(planned.media)
        (self.part, startsPart, needsInitialization) = (part, true, true)
        try use(planned.protection, planned.trackClass, start: plan.periodStart)
    }

    private func use(_ protection: TrackProtection?, _ trackClass: TrackClass?, start: Int64?) throws {
        (self.protection, self.trackClass, keys) = (protection, trackClass, [])
        guard let protection, let trackClass else { return }
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
        needsInitialization = needsInitialization || encryptor == nil
        try use(change.protection, trackClass, start: change.start)
    }

    /// Writes the init segment of the next key period before its first segment, which must be the next one that is
    /// started. Returns its URI; nil if the container has none.
    ///
    /// - Throws: ``FileError``.
    func prepare(_ change: PackagingPlan.Rendition.KeyChange) throws -> String? {
        if let prepared, prepared.number == number, prepared.period == change.number { return prepared.resource.uri }
        guard file == nil, encryptor == nil,
            let bytes = try writer.initialization(changingTo: change.protection, systems: change.systems)
        else { return nil }
        // The name differs from that of any other init segment: if the period starts otherwise than expected, players may
        // have loaded this one.
        let resource = try writeInitialization(bytes, name: "init-\(number)-\(change.number).mp4")
        prepared = (resource, number, change.number)
        return resource.uri
    }

    /// Writes a segment or the next chunk of one, either now or together with later ones.
    ///
    /// - Parameters:
    ///   - isClear: Whether the segment is in the clear lead, so that it stays clear whatever the key.
    ///   - date: The date of the first frame, if the presentation has dates.
    ///   - dateRanges: The Date Ranges that start or end with the segment.
    func write(
        _ complete: TrackSegment,
        isClear: Bool,
        isDiscontinuity: Bool = false,
        date: PlaylistDate? = nil,
        dateRanges: [DateRangeTag] = []
    ) throws {
        guard complete.isStart else { return try writeChunk(complete) }
        var segment = complete
        segment.index = Int(clamping: number &- 1)
        segment.isProtected = protection != nil && !isClear
        measurement.add(segment.samples)
        try writeInitialization(segment, isClear: isClear)

        let name = file == nil ? "\(options.names.segmentPrefix)\(number).\(writer.fileExtension)" : singleFileName
        let target = try file ?? files.create(planned.folder + "/" + name)
        let output = FilePart(target)
        var result = next(
            name,
            start: max(segment.start, RationalTime(0, timescale: segment.start.timescale)),
            duration: segment.duration
        )
        result.protection = segment.isProtected ? protection : nil
        result.keys = segment.isProtected ? keys : []
        result.isInClearLead = isClear
        result.isDiscontinuity = result.isDiscontinuity || isDiscontinuity
        (result.date, result.dateRanges) = (date, dateRanges)
        if complete.chunk != nil {
            open = (result, target, output)
            return try writeChunk(complete)
        }
        // The closure does not capture the samples, so that they are released with their bytes.
        let whenWritten: ([KeyFrame]) throws -> Void = { [self, result] keyFrames in
            var result = result
            if file == nil { try target.finish() } else { result.resource.byteRange = output.range }
            result.byteCount = output.count
            result.keyFrames = keyFrames
            byteCount += output.count
            written.append(result)
        }
        guard let encryptor else { return try whenWritten(try writer.write(segment, to: output)) }
        try encryptor.add(segment, to: output, whenWritten: whenWritten)
        // In a single file, a segment starts where the previous one ends.
        if file != nil { try encryptor.flush() }
    }

    /// Appends a chunk to the open segment.
    private func writeChunk(_ chunk: TrackSegment) throws {
        guard var open else { return }
        var samples = chunk
        samples.index = Int(clamping: open.segment.number &- 1)
        samples.isProtected = open.segment.isProtected
        if !chunk.isStart { measurement.add(chunk.samples) }
        let start = open.output.count
        open.segment.keyFrames += try writer.write(samples, to: open.output)
        if chunk.isEnd { try open.file.finish() } else { try open.file.flush() }
        open.segment.parts.append(
            Rendition.Segment.Part(
                byteRange: start..<open.output.count,
                duration: chunk.duration,
                isIndependent: chunk.isIndependent
            )
        )
        let origin = max(open.segment.start, RationalTime(0, timescale: open.segment.start.timescale))
        open.segment.duration = RationalTime.difference(chunk.end, origin)
        open.segment.byteCount = open.output.count
        byteCount += open.output.count - start
        open.segment.expectedDuration =
            chunk.isEnd
            ? nil : max(open.segment.duration, chunk.expectedEnd.map { RationalTime.difference($0, origin) } ?? .zero)
        guard chunk.isEnd else {
            self.open = open
            return
        }
        written.append(open.segment)
        self.open = nil
    }

    /// The URI of an init segment that was written ahead and has not been used; nil if every init segment is in use.
    var unusedInitialization: String? { prepared?.resource.uri }

    /// The segment of which chunks have been written, but not the last one.
    var openSegment: Rendition.Segment? { open?.segment }

    /// Returns whether the rendition has segments in a part.
    func hasSegments(in part: Int) throws -> Bool {
        try encryptor?.flush()
        return written.contains { $0.part == part }
    }

    /// Lists gaps along the segments of another rendition in a part, if this rendition has no segment in it: the
    /// playlists of all renditions have the same discontinuities.
    func fillGap(in part: Int, along other: RenditionWriter) throws {
        guard try !hasSegments(in: part), try other.hasSegments(in: part) else { return }
        for segment in other.written where segment.part == part {
            written.append(Rendition.Segment(gap: number, along: segment))
            number &+= 1
        }
    }

    /// Returns the next segment, whose bytes have not been written.
    private func next(_ name: String, start: RationalTime, duration: RationalTime) -> Rendition.Segment {
        var segment = Rendition.Segment(resource: Rendition.Resource(uri: name), start: start, duration: duration)
        segment.number = number
        segment.initialization = initialization
        (segment.period, segment.part, segment.isDiscontinuity) = (period, part, startsPart)
        startsPart = false
        number &+= 1
        return segment
    }

    /// Completes the segments written since the last call, and returns them.
    func takeWritten() throws -> [Rendition.Segment] {
        try encryptor?.flush()
        defer { written = [] }
        return written
    }

    private func writeInitialization(_ segment: TrackSegment, isClear: Bool) throws {
        needsInitialization = needsInitialization || isClear != wasClear && protection != nil
        wasClear = isClear
        guard needsInitialization else { return }
        needsInitialization = false
        if let prepared, prepared.number == number, prepared.period == period, segment.isProtected, !startsPart {
            initialization = prepared.resource
            self.prepared = nil
            return
        }
        guard let bytes = try writer.initialization(isProtected: segment.isProtected, first: segment) else { return }
        guard let file else {
            let name = names.next(isClearLead: isClear && protection != nil, segment: number)
            initialization = try writeInitialization(bytes, name: name)
            return
        }
        let start = file.count
        try file.write(bytes.span.bytes)
        let resource = Rendition.Resource(uri: singleFileName, byteRange: start..<file.count)
        initialization = resource
        guard let indexCapacity else { return }
        let space = SegmentIndexReservation(offset: file.count, capacity: indexCapacity)
        reservations.append((resource, space))
        try file.write(space.placeholder.span.bytes)
    }

    /// Writes an init segment into a file of its own.
    private func writeInitialization(_ bytes: [UInt8], name: String) throws -> Rendition.Resource {
        let output = try files.create(planned.folder + "/" + name)
        try output.write(bytes.span.bytes)
        try output.finish()
        return Rendition.Resource(uri: name)
    }

    /// Finishes the rendition.
    ///
    /// - Returns: The rendition with its segments.
    func finish() throws -> Rendition {
        var rendition = description
        rendition.segments = try takeWritten()
        for (initialization, space) in reservations {
            let segments = rendition.segments.filter { $0.initialization == initialization && !$0.isGap }
            let timescale = rendition.track(in: segments.first?.part ?? 0).timescale
            rendition.indexes[initialization] = try writeIndex(of: segments, timescale, in: space)
        }
        try file?.finish()
        return rendition
    }

    /// The description of the rendition, without segments.
    var description: Rendition {
        var rendition = Rendition(planned)
        measurement.describe(&rendition)
        rendition.laterTracks = laterTracks
        return rendition
    }

    /// Writes the index of segments into its reserved space.
    ///
    /// - Returns: The byte range of the index.
    private func writeIndex(
        of segments: [Rendition.Segment],
        _ timescale: UInt32,
        in space: SegmentIndexReservation
    ) throws -> Range<Int> {
        let (bytes, size) = try space.fill(
            segments.map { segment in
                SegmentIndexReservation.Segment(
                    byteCount: segment.byteCount,
                    duration: segment.duration.converted(to: timescale)
                )
            },
            timescale: timescale,
            start: UInt64(clamping: segments.first?.start.converted(to: timescale) ?? 0)
        )
        try file?.replace(at: space.offset, with: bytes)
        return space.offset..<space.offset + size
    }
}

/// The names of init segments in separate files.
///
///     live    init-N.mp4, with the number of the first media segment that needs it; init-N-P.mp4, with the number
///             of the key period, if it is written ahead of the period
///     VOD     init-clear.mp4 (clear lead), init.mp4, then init-1.mp4, init-2.mp4 ...
private struct InitializationNames {
    private let isLive: Bool
    private var used: Set<String> = []

    init(isLive: Bool) { self.isLive = isLive }

    /// Returns the name of the next init segment.
    ///
    /// - Parameter segment: The number of the media segment that follows.
    mutating func next(isClearLead: Bool, segment: UInt64) -> String {
        if isLive { return "init-\(segment).mp4" }
        var name = isClearLead ? "init-clear.mp4" : "init.mp4"
        var number = 0
        while !used.insert(name).inserted {
            number += 1
            name = "init-\(number).mp4"
        }
        return name
    }
}

extension Rendition {
    /// Creates a rendition from the plan, without segments.
    init(_ planned: PackagingPlan.Rendition) {
        self.init(
            track: planned.media,
            folder: planned.folder,
            name: planned.name,
            language: planned.language,
            group: planned.group,
            role: planned.role?.rawValue,
            protection: planned.protection,
            policyClass: planned.trackClass
        )
    }
}
