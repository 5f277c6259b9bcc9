import DRMSignaling
import HLSPlaylist

/// One run of live packaging: the part that reads, writes and waits.
final class LiveSession {
    let job: PackagingJob
    let live: LiveOptions
    let clock: LiveClock
    let onEvent: @Sendable (LiveRun.Event) -> Void
    let folder: LiveFolder
    let inputs: LiveInputs
    let stop: StopSignal
    let keyring: LiveKeyring?
    private let publisher: (any LivePublisher)?
    var presentation: LivePresentation?
    /// The renditions and the manifest, until there is a presentation.
    var states: [LiveRendition] = []
    var manifest: ManifestBuilder?
    /// The keys of the next period once they have arrived, and the keys announced last.
    var next: [KeyTag] = []
    var nextPeriod: ContentKeyPeriod?
    var announced: [KeyTag] = []
    /// The Target Duration in seconds; nil until there is a playlist.
    var targetDuration: UInt64?
    /// The date of the end of the media written so far.
    var end: PlaylistDate?
    /// The Date Ranges of commands of SCTE 35, and those of dropped segments, by rendition.
    var splices = SpliceRanges()
    var heldDateRanges: [Int: [DateRangeTag]] = [:]
    /// The number of the next command about which a warning has not been reported.
    var nextSplice = 0
    var report = LiveRun.Report()
    /// True if the discontinuity before the next part has been reported.
    private var hasReportedDiscontinuity = false
    private var reportedWarnings: Set<String> = []

    init(
        _ job: PackagingJob,
        _ live: LiveOptions,
        _ keys: (any ContentKeyPeriods)?,
        stop: StopSignal,
        clock: LiveClock,
        publisher: (any LivePublisher)?,
        _ onEvent: @escaping @Sendable (LiveRun.Event) -> Void
    ) throws {
        self.job = job
        self.live = live
        self.clock = clock
        self.stop = stop
        self.onEvent = onEvent
        self.publisher = publisher
        let folder = try LiveFolder(path: job.output)
        self.folder = folder
        inputs = LiveInputs(stop: stop, isEvent: live.isEvent)
        keyring = keys.map {
            LiveKeyring($0, job, firstPeriod: job.rotation == nil ? 0 : folder.nextPeriod, stop: stop)
        }
    }

    /// Packages until the inputs end.
    func run() async throws -> LiveRun.Report {
        do {
            try await runParts()
        } catch let failure as InputFailure where stop.isStopped {
            // An input that is stopped before it is identified is ignored.
            onEvent(.warning("\(failure)"))
        } catch let failure as KeyPeriodFailure where stop.isStopped {
            // The segment that was waiting for keys is dropped, and the presentation is completed normally.
            onEvent(.warning("\(failure)"))
        }
        for action in try presentation?.end(now: clock.now(media: end)) ?? [] {
            try folder.perform(action, job.names)
        }
        try await publisher?.finish()
        return report
    }

    /// Publishes the files of an earlier run, and from then on each change.
    private func beginPublishing(_ plan: PackagingPlan) async throws {
        guard let publisher else { return }
        var files: [String] = []
        for (planned, state) in zip(plan.renditions, states) {
            let uris = state.media.segments.filter { !$0.isGap }.flatMap { [$0.initialization?.uri, $0.resource.uri] }
            for uri in uris { if let uri { files.append("\(planned.folder)/\(uri)") } }
        }
        for planned in plan.renditions {
            files += [job.names.iFrames, job.names.media].compactMap { $0.map { "\(planned.folder)/\($0)" } }
        }
        files += job.manifestNames
        var known: Set<String> = []
        let existing = files.filter { known.insert($0).inserted && folder.contains($0) }
        try await publisher.begin(folder.path, files: existing)
        folder.onChange = { try publisher.add($0) }
    }

    /// Packages all parts of the inputs. Each part is an epoch. What cannot be packaged is an error at the start; a
    /// channel goes on when a stream appears later that cannot be packaged.
    private func runParts() async throws {
        let plan = try PackagingPlan(job, open: inputs.open)
        warn(plan.warnings)
        try resume(plan)
        try await beginPublishing(plan)
        let start = SegmentPipeline.Part(first: plan)
        var epoch = try await beginEpoch(start, at: clock.now(media: end))
        let pipeline = try SegmentPipeline(plan, firstPeriod: epoch.firstPeriod, isLive: true) { [unowned self] in
            try self.reopen()
        }
        pipeline.maximumDuration = targetDuration.map { LiveTargetDuration.maximumSegmentDuration($0, job.container) }
        var detected: [Int: PlaylistDate] = [:]
        pipeline.onPart = { [unowned self] part in
            detected[part.number] = self.clock.now(media: self.end)
            self.beginPart(part)
        }
        // The chunks of the first segment, from which the Target Duration is chosen.
        var first: [TrackSegment] = []
        while let segment = try pipeline.next() {
            reportLosses()
            warn(plan.omissionWarnings(of: pipeline.inputs))
            if targetDuration == nil {
                first.append(segment)
                guard let whole = first.wholeSegment(of: epoch.leader) else { continue }
                try choose(plan, whole, pipeline, parts: first)
            }
            for segment in first.isEmpty ? [segment] : first {
                if segment.part != epoch.part {
                    try publishGaps(&epoch)
                    let date = detected[segment.part] ?? clock.now(media: end)
                    detected = detected.filter { $0.key > segment.part }
                    try removeUnusedInitializations(epoch)
                    epoch = try await beginEpoch(pipeline.part(segment.part), at: date, from: segment.start)
                }
                try await write(segment, &epoch)
            }
            first = []
        }
        // The input ended before the first segment of the leading rendition was complete.
        for segment in first {
            if targetDuration == nil { try choose(plan, segment, pipeline, parts: first) }
            try await write(segment, &epoch)
        }
        try publishGaps(&epoch)
        try removeUnusedInitializations(epoch)
        reportLosses()
        warn(SpliceRanges.warnings(dropped: pipeline.droppedSplices))
        warn(TimedMetadata.warnings(dropped: pipeline.droppedMetadata))
        warn(pipeline.inputs.flatMap(\.warnings) + plan.omissionWarnings(of: pipeline.inputs))
    }

    /// Removes the init segments of key periods that did not start.
    private func removeUnusedInitializations(_ epoch: LiveEpoch) throws {
        for (rendition, uri) in epoch.unusedInitializations {
            try folder.perform(.delete(epoch.plan.renditions[rendition].folder + "/" + uri), job.names)
        }
    }

    /// Reports warnings about inputs that have not been reported before.
    func warn(_ warnings: [String]) {
        for warning in warnings where reportedWarnings.insert(warning).inserted { onEvent(.warning(warning)) }
    }

    /// Reports packets of the network that were lost.
    private func reportLosses() {
        let losses = inputs.losses
        (report.lostPackets, report.damagedPackets) = (losses.lost, losses.damaged)
        for warning in inputs.lossWarnings() { onEvent(.warning(warning)) }
    }

    /// Waits for the next writers of the inputs; nil at the end of the presentation.
    private func reopen() throws -> [any MediaInput]? {
        guard inputs.canReopen else { return nil }
        report.discontinuities += 1
        hasReportedDiscontinuity = true
        onEvent(.discontinuity)
        reportLosses()
        return try inputs.reopen { [unowned self] in self.onEvent(.warning($0)) }
    }

    /// Reports the start of a part.
    private func beginPart(_ part: SegmentPipeline.Part) {
        if !hasReportedDiscontinuity {
            report.discontinuities += 1
            onEvent(.discontinuity)
        }
        hasReportedDiscontinuity = false
        if part.continuedFrom != nil {
            report.lostSegments += 1
            onEvent(
                .warning(
                    "no key frame arrived within the target duration of \(targetDuration ?? 0) s, and the frames up to "
                        + "the next one are skipped: configure the encoder for more frequent key frames, or increase "
                        + "target-duration"
                )
            )
        }
        for lost in part.lost {
            report.lostTracks += 1
            onEvent(.warning("\(lost)"))
        }
        for (rendition, planned) in part.renditions.enumerated() where planned == nil {
            let folder = part.plan.renditions[part.plan.sampledRenditions[rendition]].folder
            onEvent(.warning("\(folder) has no track after the discontinuity; its segments are marked as gaps"))
        }
    }

    /// Starts an epoch, with keys for its tracks.
    ///
    /// - Parameters:
    ///   - date: The time at which the tracks of the part were detected.
    ///   - time: The time of its first sample.
    private func beginEpoch(
        _ part: SegmentPipeline.Part,
        at date: PlaylistDate,
        from time: RationalTime? = nil
    ) async throws -> LiveEpoch {
        var plan = part.plan
        // At a splice the dates continue where the media written so far end, unless the inputs have stopped.
        var start = max(date, end ?? date)
        if let end, let time, let previous = part.continuedFrom {
            start = end.advanced(by: max(0, time.seconds - previous.seconds))
        } else if let end, part.number > 0, date < end.advanced(by: Double(targetDuration ?? 1)) {
            start = end
        }
        var firstPeriod = 0
        if let keyring {
            let previous = keyring.current?.number
            let period = try await keyring.begin(at: start, plan.trackClasses)
            firstPeriod = period.number
            if job.rotation != nil { try folder.markUsed(period: period.number) }
            try plan.use(period)
            if period.number != previous {
                report.periods += 1
                onEvent(.period(period.number))
            }
        } else if job.scheme == .cenc {
            try plan.use(ContentKeyPeriod(number: 0, keys: job.keys.withRandomIVs()))
        }
        guard plan.renditions.allSatisfy({ !$0.isProtected || $0.protection != nil }) else {
            throw JobFailure("keys", "a track is to be encrypted, but the key source returned no key for its class")
        }
        return LiveEpoch(part, plan, start: start, firstPeriod: firstPeriod, isContinued: hasSegments)
    }
}
