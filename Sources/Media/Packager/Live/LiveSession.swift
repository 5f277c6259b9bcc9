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
    var presentation: LivePresentation?
    /// The renditions and the manifest, until there is a presentation.
    var states: [LiveRendition] = []
    var manifest: LiveManifest?
    var folders: [String]?
    /// The keys of the next period once they have arrived, and the keys announced last.
    var next: [KeyTag] = []
    var announced: [KeyTag] = []
    /// The Target Duration in seconds; nil until there is a playlist.
    var targetDuration: UInt64?
    /// The date of the end of the media written so far.
    var end: PlaylistDate?
    var report = LiveRun.Report()

    init(
        _ job: PackagingJob,
        _ live: LiveOptions,
        _ keys: (any ContentKeyPeriods)?,
        stop: StopSignal,
        clock: LiveClock,
        _ onEvent: @escaping @Sendable (LiveRun.Event) -> Void
    ) throws {
        self.job = job
        self.live = live
        self.clock = clock
        self.stop = stop
        self.onEvent = onEvent
        let folder = try LiveFolder(path: job.output)
        self.folder = folder
        inputs = LiveInputs(stop: stop, isEvent: live.isEvent)
        keyring = keys.map {
            LiveKeyring($0, job, firstPeriod: job.rotation == nil ? 0 : folder.nextPeriod, stop: stop)
        }
    }

    /// Packages until the inputs end.
    func run() async throws -> LiveRun.Report {
        while true {
            let stoppedAtDiscontinuity: Bool
            do {
                stoppedAtDiscontinuity = try await runEpoch()
            } catch let failure as InputFailure where stop.isStopped {
                // An input that is stopped before it is identified is ignored.
                onEvent(.warning("\(failure)"))
                break
            } catch let failure as KeyPeriodFailure where stop.isStopped {
                // The segment that was waiting for keys is dropped, and the presentation is completed normally.
                onEvent(.warning("\(failure)"))
                break
            }
            guard inputs.shouldContinue(afterDiscontinuity: stoppedAtDiscontinuity) else { break }
            report.discontinuities += 1
            onEvent(.discontinuity)
        }
        for action in try presentation?.end(now: clock.now(media: end)) ?? [] {
            try folder.perform(action, job.names)
        }
        return report
    }

    /// Packages until an input ends or has a discontinuity.
    ///
    /// - Returns: Whether there was a discontinuity.
    private func runEpoch() async throws -> Bool {
        var plan = try PackagingPlan(job, open: inputs.open)
        for warning in plan.warnings { onEvent(.warning(warning)) }
        try checkFolders(plan)
        try resume(plan)
        let start = max(clock.now(media: end), end ?? clock.now(media: end))
        var firstPeriod = 0
        if let keyring {
            let period = try await keyring.begin(at: start, plan.trackClasses)
            firstPeriod = period.number
            if job.rotation != nil { try folder.markUsed(period: period.number) }
            try plan.use(period)
            report.periods += 1
            onEvent(.period(period.number))
        } else if job.scheme == .cenc {
            try plan.use(ContentKeyPeriod(number: 0, keys: job.keys.withRandomIVs()))
        }
        guard plan.renditions.allSatisfy({ !$0.isProtected || $0.protection != nil }) else {
            throw JobFailure("keys", "a track is to be encrypted, but the key source returned no key for its class")
        }
        let pipeline = try SegmentPipeline(plan, firstPeriod: firstPeriod, stopsAtDiscontinuity: true)
        pipeline.maximumDuration = targetDuration.map { LiveTargetDuration.maximumSegmentDuration($0, job.container) }
        var epoch = LiveEpoch(plan, start: start, isContinued: hasSegments)
        while let segment = try pipeline.next() {
            if targetDuration == nil { try choose(plan, segment, pipeline) }
            try await write(segment, &epoch, pipeline)
        }
        for warning in plan.inputs.flatMap(\.warnings) where !plan.warnings.contains(warning) {
            onEvent(.warning(warning))
        }
        return pipeline.stoppedAtDiscontinuity
    }
}
