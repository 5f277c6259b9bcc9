import ByteCoding
import DASHManifest
import DRMSignaling
import FileWriting
import HLSPlaylist
import MediaFormats

/// Executes a plan: reads samples from the inputs, divides them into segments with ``Segmenter``, and writes these.
package final class PackagingRun {
    private let plan: PackagingPlan
    private let folder: PresentationFolder
    private let periods: [ContentKeyPeriod]
    private let pipeline: SegmentPipeline
    /// The writers, in the order of the pipeline's renditions.
    private var writers: [RenditionWriter] = []
    private var clearLead: ClearLead
    /// The part of the presentation whose segments are being written.
    private var part: SegmentPipeline.Part
    /// The Date Ranges of commands of SCTE 35, and the dates, which are only written if there are such commands.
    private var splices = SpliceRanges()
    private var dates = PartDates()
    /// The tracks of pipes that turned out to be empty, and those of later parts that have no rendition.
    private var warnings: [String] = []

    /// Prepares a run, and creates the output folder.
    ///
    /// - Parameter periods: With key rotation, the keys of all periods in order: ``PackagingPlan/maximumPeriods`` of them.
    /// - Throws: ``FileError``; ``JobFailure`` if keys are missing; errors of the writers.
    package init(_ plan: PackagingPlan, periods: [ContentKeyPeriod] = []) throws {
        var plan = plan
        if let first = periods.first { try plan.use(first) }
        for period in periods.dropFirst() { try plan.check(period) }
        try Self.checkKeys(plan, periods)
        self.plan = plan
        self.periods = periods
        folder = try PresentationFolder(path: plan.job.output)
        // Preparing the folder may have restored files that a killed run had moved away.
        try plan.checkOutput()
        pipeline = try SegmentPipeline(plan)
        clearLead = ClearLead(plan.job.clearLead)
        part = pipeline.part(0)
        for rendition in pipeline.renditions {
            writers.append(try RenditionWriter(rendition, plan, files: folder))
        }
    }

    /// Checks that no track stays clear because its key is missing, and that no key is used in two periods.
    private static func checkKeys(_ plan: PackagingPlan, _ periods: [ContentKeyPeriod]) throws {
        guard plan.renditions.allSatisfy({ !$0.isProtected || $0.protection != nil }) else {
            throw JobFailure("keys", "a track is to be encrypted, but there is no key for its class")
        }
        guard plan.job.rotation != nil else { return }
        let wanted = plan.maximumPeriods ?? 1
        guard periods.count >= wanted else {
            throw JobFailure(
                "keys",
                "the presentation has \(wanted) key periods, but there are keys for only \(periods.count)"
            )
        }
        for (number, period) in periods.enumerated() where period.number != number {
            throw JobFailure("keys", "the keys of key period \(number) are missing")
        }
        let used = periods.map { Set($0.keys.all.map(\.key.keyID)) }
        for (number, pair) in zip(used, used.dropFirst()).enumerated() where !pair.0.isDisjoint(with: pair.1) {
            throw JobFailure(
                "keys",
                "key period \(number + 1) reuses a key of the previous period: every period needs different keys"
            )
        }
    }

    /// Reads the inputs to their ends, writes all segments and then the playlists, and moves everything into place.
    ///
    /// - Parameter progress: Called after each segment.
    /// - Returns: A summary of what was written.
    /// - Throws: The errors of ``write(progress:)`` and ``publish()``.
    package func run(progress: (PackagingProgress) -> Void = { _ in }) throws -> PackagingReport {
        let report = try write(progress: progress)
        try publish()
        return report
    }

    /// Reads the inputs to their ends, and writes all segments and playlists; only ``publish()`` remains to be called.
    ///
    /// - Parameter progress: Called after each segment.
    /// - Returns: A summary of what was written.
    /// - Throws: ``InputFailure``, ``OmissionFailure``, `Segmenter.Failure`, ``FileError``, ``JobFailure``,
    ///   `SignalingError`.
    package func write(progress: (PackagingProgress) -> Void = { _ in }) throws -> PackagingReport {
        try writeSegments(progress)
        try plan.checkOmissions()
        let renditions = try finish()
        let playlists = try PresentationPlaylists(renditions, options: PlaylistOptions(plan.job))
        var files = plan.job.manifests.contains(.hls) ? try playlists.files() : []
        if plan.job.manifests.contains(.dash) {
            files.append((plan.job.names.dash, try MPD(renditions, PlaylistOptions(plan.job)).bytes))
        }
        for file in files {
            let output = try folder.create(file.path)
            try output.write(file.bytes.span.bytes)
            try output.finish()
        }
        return PackagingReport(
            renditions: renditions,
            playlists: playlists,
            warnings: plan.warnings + warnings,
            bytesRead: plan.inputs.reduce(0) { $0 + $1.position },
            bytesWritten: writers.reduce(0) { $0 + $1.byteCount }
        )
    }

    /// Moves the written files into place.
    ///
    /// - Throws: ``FileError``; in this case the previous files are restored.
    package func publish() throws { try folder.publish(isPackaged: plan.job.names.isPackaged) }

    private func writeSegments(_ progress: (PackagingProgress) -> Void) throws {
        while let segment = try pipeline.next() {
            try write(segment)
            progress(
                PackagingProgress(
                    bytesRead: plan.inputs.reduce(0) { $0 + $1.position },
                    bytesTotal: plan.inputs.reduce(0) { sum, input in
                        sum.flatMap { sum in input.byteCount.map { sum + $0 } }
                    },
                    bytesWritten: writers.reduce(0) { $0 + $1.byteCount }
                )
            )
        }
    }

    private func write(_ segment: TrackSegment) throws {
        if segment.part != part.number { try begin(pipeline.part(segment.part)) }
        let writer = writers[segment.rendition]
        do {
            if segment.period != writer.period {
                guard periods.indices.contains(segment.period) else {
                    throw JobFailure(
                        "keys",
                        "the inputs are longer than their headers specify, and there are no more keys: use event"
                    )
                }
                let renditionIndex = plan.sampledRenditions[segment.rendition]
                try writer.change(
                    to: part.plan.change(to: periods[segment.period], of: renditionIndex),
                    period: segment.period
                )
            }
            let isClear = clearLead.contains(segment, isLeader: segment.rendition == part.leader)
            try writer.write(
                segment,
                isClear: isClear,
                date: dates.date(of: segment),
                dateRanges: dateRanges(of: segment)
            )
        } catch let failure as SampleFailure {
            let rendition = pipeline.renditions[segment.rendition]
            throw InputFailure(plan.inputs[rendition.input].name, "\(failure)")
        } catch let failure as ProtectionFailure {
            let rendition = pipeline.renditions[segment.rendition]
            throw failure.failure(of: plan.inputs[rendition.input].name, rendition: rendition.folder)
        }
    }

    /// Returns the Date Ranges of the commands of SCTE 35 that apply at the start of a segment.
    private func dateRanges(of segment: TrackSegment) -> [DateRangeTag] {
        segment.splices.compactMap { point in
            let date = dates.date(of: point.time)
            if let warning = point.warning(date), !warnings.contains(warning) { warnings.append(warning) }
            return splices.tag(for: point, date: date)
        }
    }

    /// Continues with the next part of the inputs, which starts a new timeline.
    private func begin(_ next: SegmentPipeline.Part) throws {
        try fillGaps()
        part = next
        dates.beginPart()
        warnings += next.lost.map { "\($0)" }
        // The clear lead is at most the first part.
        clearLead = ClearLead(nil)
        for (writer, planned) in zip(writers, next.renditions) {
            if let planned { try writer.begin(next.number, planned, next.plan) }
        }
    }

    /// Lists gaps for the renditions that have no segments in the current part, if there are several parts.
    private func fillGaps() throws {
        // The leading rendition may have a track without samples.
        let candidates = [writers[part.leader]] + writers
        guard let guide = try candidates.first(where: { try $0.hasSegments(in: part.number) }) else { return }
        for writer in writers { try writer.fillGap(in: part.number, along: guide) }
    }

    /// Finishes all renditions, in the order of the plan; subtitles are split at the segment boundaries of the leading
    /// rendition.
    private func finish() throws -> [Rendition] {
        if part.number > 0 { try fillGaps() }
        var written = try writers.map { try $0.finish() }
        if written.contains(where: \.hasDateRanges) {
            warnings += SpliceRanges.warnings(plan.job.manifests)
        } else {
            written = written.map(\.withoutDates)
        }
        warnings += SpliceRanges.warnings(dropped: pipeline.droppedSplices)
        warnings += TimedMetadata.warnings(dropped: pipeline.droppedMetadata)
        let filled = written.filter(\.hasMedia)
        guard let leader = filled.first(where: { $0.track.kind == .video }) ?? filled.first else {
            throw InputFailure(plan.inputs[pipeline.renditions[0].input].name, "no track has any samples")
        }
        try plan.job.requireEncryption(of: filled)
        for (rendition, writer) in zip(pipeline.renditions, writers) where writer.isUnprotected {
            throw ProtectionFailure.nothingEncrypted(of: rendition, input: plan.inputs[rendition.input].name)
        }
        let starts = LateStarts(filled)
        for index in written.indices { written[index].leadingGaps = starts.gaps(before: written[index]) }
        warnings += filled.compactMap(starts.warning)
        let sampled = plan.sampledRenditions
        return try plan.renditions.indices.compactMap { renditionIndex in
            let planned = plan.renditions[renditionIndex]
            if let index = sampled.firstIndex(of: renditionIndex) {
                if written[index].hasMedia { return written[index] }
                warnings.append("\(plan.inputs[planned.input].name): \(planned.folder) has no samples; it is left out")
                // A single file has been created already.
                folder.discard(planned.folder)
                return nil
            }
            guard let input = plan.inputs[planned.input] as? WebVTTInput else {
                throw InputFailure(plan.inputs[planned.input].name, "the subtitles are not WebVTT")
            }
            let subtitles = SubtitleOutput(
                planned: planned,
                input: input,
                manifests: plan.job.manifests,
                origin: plan.job.container == .ts ? TransportTimeline.origin : 0,
                start: starts.start
            )
            return try subtitles.write(along: leader.segments, to: folder)
        }
    }
}

extension Rendition {
    /// True if there is a segment that is not a gap.
    fileprivate var hasMedia: Bool { segments.contains { !$0.isGap } }

    fileprivate var hasDateRanges: Bool { segments.contains { !$0.dateRanges.isEmpty } }

    fileprivate var withoutDates: Rendition {
        var rendition = self
        for index in rendition.segments.indices { rendition.segments[index].date = nil }
        return rendition
    }
}

extension PackagingPlan {
    /// Creates the segment writer of a rendition.
    func writer(for rendition: Rendition) throws -> any SegmentWriter {
        do {
            return try job.container.writer(
                for: rendition.media,
                protection: rendition.protection,
                systems: try rendition.protection.map { try job.protectionHeaders(of: $0) } ?? []
            )
        } catch let failure as OutputFailure {
            throw InputFailure(inputs[rendition.input].name, "\(failure)")
        } catch let error as ParseError {
            throw InputFailure(inputs[rendition.input].name, "\(error)")
        }
    }
}
