import DRMSignaling
import HLSPlaylist

/// One run of live packaging: what reads, writes and waits.
final class LiveSession {
    let job: PackagingJob
    let live: LiveOptions
    let clock: LiveClock
    let tell: @Sendable (LiveRun.Event) -> Void
    let folder: LiveFolder
    let inputs: LiveInputs
    let stop: StopSignal
    let keyring: LiveKeyring?
    var presentation: LivePresentation?
    /// The renditions and the manifest, until there is a presentation.
    var states: [LiveRendition] = []
    var manifest: LiveManifest?
    var folders: [String]?
    /// The keys of the next period, when they are there, and all that were announced last.
    var next: [KeyTag] = []
    var announced: [KeyTag] = []
    /// In seconds; nil until there is a playlist.
    var targetDuration: UInt64?
    /// Where the media that was written ends.
    var end: PlaylistDate?
    var report = LiveRun.Report()

    init(
        _ job: PackagingJob,
        _ live: LiveOptions,
        _ keys: (any ContentKeyPeriods)?,
        stop: StopSignal,
        clock: LiveClock,
        _ tell: @escaping @Sendable (LiveRun.Event) -> Void
    ) throws {
        self.job = job
        self.live = live
        self.clock = clock
        self.stop = stop
        self.tell = tell
        let folder = try LiveFolder(path: job.output)
        self.folder = folder
        inputs = LiveInputs(stop: stop, isEvent: live.isEvent)
        keyring = keys.map {
            LiveKeyring($0, job, firstPeriod: job.rotation == nil ? 0 : folder.nextPeriod, stop: stop)
        }
    }

    /// Packages until there is no more.
    func run() async throws -> LiveRun.Report {
        while true {
            let isBroken: Bool
            do {
                isBroken = try await runEpoch()
            } catch let failure as InputFailure where stop.isStopped {
                // An input that was stopped at its beginning is none.
                tell(.warning("\(failure)"))
                break
            } catch let failure as KeyPeriodFailure where stop.isStopped {
                // The segment that waited for them is left out, and what is there ends in order.
                tell(.warning("\(failure)"))
                break
            }
            guard inputs.goOn(isBroken: isBroken) else { break }
            report.discontinuities += 1
            tell(.discontinuity)
        }
        for action in try presentation?.end(now: clock.now(media: end)) ?? [] {
            try folder.carryOut(action, job.names)
        }
        return report
    }

    /// Packages until an input ends or does not go on.
    ///
    /// - Returns: Whether it did not go on.
    private func runEpoch() async throws -> Bool {
        var plan = try PackagingPlan(job, open: inputs.open)
        for warning in plan.warnings { tell(.warning(warning)) }
        try checkFolders(plan)
        try resume(plan)
        let start = max(clock.now(media: end), end ?? clock.now(media: end))
        var firstPeriod = 0
        if let keyring {
            let period = try await keyring.begin(at: start, plan.trackClasses)
            firstPeriod = period.number
            if job.rotation != nil { try folder.useUp(period: period.number) }
            try plan.use(period)
            report.periods += 1
            tell(.period(period.number))
        } else if job.scheme == .cenc {
            try plan.use(ContentKeyPeriod(number: 0, keys: job.keys.withRandomIVs()))
        }
        guard plan.renditions.allSatisfy({ !$0.isProtected || $0.protection != nil }) else {
            throw JobFailure("keys", "there is something to encrypt, and no key has come for it")
        }
        let pipeline = try SegmentPipeline(plan, firstPeriod: firstPeriod, endsAtBreaks: true)
        pipeline.greatestDuration = targetDuration.map { LiveTarget.greatest($0, job.container) }
        var epoch = LiveEpoch(plan, start: start, isContinued: hasSegments)
        while let segment = try pipeline.next() {
            if targetDuration == nil { try choose(plan, segment, pipeline) }
            try await write(segment, &epoch, pipeline)
        }
        for warning in plan.inputs.flatMap(\.warnings) where !plan.warnings.contains(warning) {
            tell(.warning(warning))
        }
        return pipeline.isBroken
    }
}
