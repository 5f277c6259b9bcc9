import ByteCoding

/// Writes the media segments of a rendition, as separate files or as parts of one, and collects the data for its
/// playlists.
final class RenditionOutput {
    private let planned: PackagingPlan.Rendition
    private let writer: any SegmentWriter
    private let folder: PresentationFolder
    private let clearLead: RationalTime?
    /// The prefix of segment names, before the number.
    private let prefix: String
    /// The single file of the rendition; nil if segments are separate files.
    private let file: FileOutput?
    private let fileName: String
    /// The encryptor for whole segments (AES-128); nil for other schemes.
    private let encryptor: SegmentEncryptor?
    /// The maximum number of entries in the index of a single file; nil if there is no index.
    private let indexCapacity: Int?
    /// The reserved space for the index of the clear lead, and for that of the other segments.
    private var clearReservation: SegmentIndexReservation?
    private var reservation: SegmentIndexReservation?
    /// The start time of the first segment.
    private var firstStart: RationalTime?

    private var initialization: Rendition.Resource?
    private var clearInitialization: Rendition.Resource?
    private var segments: [Rendition.Segment] = []
    /// The number of the key period.
    private(set) var period = 0
    private var laterPeriods: [Rendition.Period] = []
    /// The number of segments started; some may not be written yet.
    private var startedCount = 0
    private(set) var byteCount = 0
    private var sampleCount = 0
    private var sampleDuration: UInt64 = 0

    init(
        _ planned: PackagingPlan.Rendition,
        writer: any SegmentWriter,
        folder: PresentationFolder,
        job: PackagingJob,
        expectedSegments: Int?
    ) throws {
        let hasIndex = job.isSingleFile && job.manifests.contains(.dash)
        indexCapacity = hasIndex ? expectedSegments.map { min($0, 65_535) } : nil
        self.planned = planned
        self.writer = writer
        self.folder = folder
        clearLead = job.clearLead
        prefix = job.names.segmentPrefix
        fileName = "media." + (writer.fileExtension == "m4s" ? "mp4" : writer.fileExtension)
        file = job.isSingleFile ? try FileOutput(path: folder.stagedPath(planned.folder + "/" + fileName)) : nil
        if let protection = planned.protection, protection.scheme == .aes128 {
            encryptor = try SegmentEncryptor(writer, protection: protection)
        } else {
            encryptor = nil
        }
    }

    /// Continues with another key period.
    ///
    /// - Parameter change: The new keys; nil if the rendition is not encrypted.
    func change(to change: PackagingPlan.Rendition.KeyChange?, period number: Int) throws {
        period = number
        guard let change else { return }
        try encryptor?.change(to: change.protection)
        try writer.change(to: change.protection, systems: change.systems)
        laterPeriods.append(
            Rendition.Period(number: number, protection: change.protection, start: change.start)
        )
    }

    /// Writes a segment, either now or together with later ones.
    func write(_ samples: [MediaSample], start: RationalTime, end: RationalTime) throws {
        var segment = TrackSegment(
            index: startedCount,
            samples: samples,
            start: start,
            end: end,
            isProtected: planned.protection != nil
        )
        if let clearLead, start < clearLead { segment.isProtected = false }
        startedCount += 1
        if firstStart == nil { firstStart = max(start, .zero) }
        for sample in samples { sampleDuration += UInt64(sample.duration) }
        sampleCount += samples.count
        try writeInitialization(segment)

        let name = file == nil ? "\(prefix)\(startedCount).\(writer.fileExtension)" : fileName
        let target = try file ?? FileOutput(path: folder.stagedPath(planned.folder + "/" + name))
        let part = FilePart(target)
        // The closure does not capture the segment, so that its samples are released with its bytes.
        let (isProtected, duration) = (segment.isProtected, duration(from: start, to: end))
        let period = period
        let whenWritten: ([KeyFrame]) throws -> Void = { [self] keyFrames in
            if file == nil { try target.finish() }
            byteCount += part.count
            var written = Rendition.Segment(
                resource: Rendition.Resource(uri: name, byteRange: file == nil ? nil : part.range),
                byteCount: part.count,
                duration: duration,
                isProtected: isProtected,
                keyFrames: keyFrames
            )
            written.period = period
            segments.append(written)
        }
        guard let encryptor else { return try whenWritten(try writer.write(segment, to: part)) }
        try encryptor.add(segment, to: part, whenWritten: whenWritten)
        // In a single file, a segment starts where the previous one ends.
        if file != nil { try encryptor.flush() }
    }

    /// Finishes the rendition.
    func finish() throws -> Rendition {
        try encryptor?.flush()
        let clearIndex = try fillReservation(clearReservation, isProtected: false)
        let index = try fillReservation(reservation, isProtected: planned.protection != nil)
        try file?.finish()
        let seconds = Double(sampleDuration) / Double(planned.media.timescale)
        var rendition = Rendition(
            planned,
            initialization: initialization,
            clearInitialization: clearInitialization,
            segments: segments,
            frameRate: planned.media.kind == .video && seconds > 0 ? Double(sampleCount) / seconds : nil
        )
        rendition.laterPeriods = laterPeriods
        rendition.start = firstStart ?? .zero
        rendition.index = index
        rendition.clearIndex = clearIndex
        return rendition
    }

    /// Writes the index of the clear or of the protected segments into its reserved space.
    ///
    /// - Returns: The byte range of the index.
    private func fillReservation(_ reservation: SegmentIndexReservation?, isProtected: Bool) throws -> Range<Int>? {
        guard let reservation, let file else { return nil }
        let timescale = planned.media.timescale
        var listed: [SegmentIndexReservation.Segment] = []
        var start = (firstStart ?? .zero).converted(to: timescale)
        for segment in segments {
            let duration = segment.duration.converted(to: timescale)
            if segment.isProtected == isProtected {
                listed.append(SegmentIndexReservation.Segment(byteCount: segment.byteCount, duration: duration))
            } else if listed.isEmpty {
                start += duration
            }
        }
        let (bytes, indexSize) = try reservation.fill(listed, timescale: timescale, start: UInt64(clamping: start))
        try file.replace(at: reservation.offset, with: bytes)
        return reservation.offset..<reservation.offset + indexSize
    }

    /// Returns the duration of a segment. Samples presented before 0 are removed by the edit list, and do not count.
    private func duration(from start: RationalTime, to end: RationalTime) -> RationalTime {
        let timescale = planned.media.timescale
        let first = max(0, start.converted(to: timescale))
        return RationalTime(max(0, end.converted(to: timescale) - first), timescale: timescale)
    }

    private func writeInitialization(_ segment: TrackSegment) throws {
        let isClearLead = planned.protection != nil && !segment.isProtected
        let isNewPeriod = segment.isProtected && planned.protection?.scheme != .aes128 && needsInitialization
        guard isNewPeriod || (isClearLead ? clearInitialization : initialization) == nil else { return }
        let bytes = try writer.initialization(isProtected: segment.isProtected, first: segment)
        guard let bytes else { return }
        let resource: Rendition.Resource
        if let file {
            let start = file.count
            try file.write(bytes.span.bytes)
            resource = Rendition.Resource(uri: fileName, byteRange: start..<file.count)
            if let indexCapacity {
                let made = SegmentIndexReservation(offset: file.count, capacity: indexCapacity)
                if isClearLead { clearReservation = made } else { reservation = made }
                try file.write(made.placeholder.span.bytes)
            }
        } else {
            let name = isClearLead ? "init-clear.mp4" : isNewPeriod ? "init-\(period).mp4" : "init.mp4"
            let output = try FileOutput(path: folder.stagedPath(planned.folder + "/" + name))
            try output.write(bytes.span.bytes)
            try output.finish()
            resource = Rendition.Resource(uri: name)
        }
        if isNewPeriod, let last = laterPeriods.indices.last {
            laterPeriods[last].initialization = resource
        } else if isClearLead {
            clearInitialization = resource
        } else {
            initialization = resource
        }
    }

    /// True if a key period has started whose init segment has not been written.
    private var needsInitialization: Bool { laterPeriods.last.map { $0.initialization == nil } ?? false }
}

extension Rendition {
    /// Creates a rendition from the plan and the written files.
    init(
        _ planned: PackagingPlan.Rendition,
        initialization: Resource? = nil,
        clearInitialization: Resource? = nil,
        segments: [Segment],
        frameRate: Double? = nil
    ) {
        self.init(
            track: planned.media,
            folder: planned.folder,
            name: planned.name,
            language: planned.language,
            group: planned.group,
            role: planned.role?.rawValue,
            protection: planned.protection,
            initialization: initialization,
            clearInitialization: clearInitialization,
            segments: segments,
            frameRate: frameRate,
            policyClass: planned.trackClass
        )
    }
}
