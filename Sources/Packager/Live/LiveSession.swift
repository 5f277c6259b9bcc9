import DRMSignalling
import HLSPlaylist

/// One run of live packaging.
final class LiveSession {
    private let job: PackagingJob
    private let live: LiveOptions
    private let clock: LiveClock
    private let tell: @Sendable (LiveRun.Event) -> Void
    private let folder: LiveFolder
    private let inputs: LiveInputs
    private let stop: StopSignal
    private let keyring: LiveKeyring?
    private var presentation: LivePresentation?
    private var states: [LiveRendition] = []
    private var folders: [String]?
    /// In seconds; nil until there is a playlist.
    private var targetDuration: UInt64?
    /// Where the media that was written ends.
    private var end: PlaylistDate?
    private var report = LiveRun.Report()

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
        keyring = keys.map { LiveKeyring($0, job, firstPeriod: job.rotation == nil ? 0 : folder.nextPeriod) }
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
            }
            guard inputs.goOn(isBroken: isBroken) else { break }
            report.discontinuities += 1
            tell(.discontinuity)
        }
        for action in presentation?.end() ?? [] { try folder.carryOut(action, main: job.names.multivariant) }
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

// Beginning.
extension LiveSession {
    private var hasSegments: Bool {
        states.indices.contains { (presentation?[$0] ?? states[$0]).media.nextSequence > 0 }
    }

    /// Holds that an input that came again has the tracks that it had.
    private func checkFolders(_ plan: PackagingPlan) throws {
        let found = plan.renditions.map(\.folder)
        if let folders, folders != found {
            throw JobFailure(
                "input",
                "it came again with other tracks: \(found.joined(separator: ", ")) instead of "
                    + "\(folders.joined(separator: ", ")); end the presentation, and begin another one"
            )
        }
        folders = found
    }

    /// Takes up what is in the folder, once.
    private func resume(_ plan: PackagingPlan) throws {
        guard states.isEmpty, presentation == nil, targetDuration == nil else { return }
        if job.overwrites {
            for name in plan.renditions.map(\.folder) + [job.names.multivariant] { try folder.remove(name) }
        }
        let restart = LiveRestart(folder: folder, job: job, live: live)
        let found = try plan.renditions.map { try restart.targetDuration($0.folder) }
        guard let known = found.lazy.compactMap(\.self).first, known > 0 else {
            guard folder.read(job.names.multivariant) == nil else {
                throw JobFailure(
                    "out",
                    "\(job.output)/\(job.names.multivariant) is there, and names other renditions: begin anew (overwrite), "
                        + "or name another folder"
                )
            }
            return
        }
        targetDuration = known
        try begin(plan, targetDuration: known)
        for state in states {
            guard let last = state.media.entries.last, let date = last.date else { continue }
            end = max(end ?? date, date.advanced(by: last.duration))
        }
    }

    /// Chooses the Target Duration by the first segment of the leading rendition.
    private func choose(_ plan: PackagingPlan, _ segment: SegmentPipeline.Segment, _ pipeline: SegmentPipeline) throws {
        let target = live.targetDuration ?? LiveTarget.choose(for: segment, job)
        targetDuration = target
        pipeline.greatestDuration = LiveTarget.greatest(target, job.container)
        try begin(plan, targetDuration: target)
    }

    private func begin(_ plan: PackagingPlan, targetDuration: UInt64) throws {
        let restart = LiveRestart(folder: folder, job: job, live: live)
        let now = clock.now(media: end)
        for rendition in plan.renditions { try folder.makeFolder(rendition.folder) }
        states = try plan.renditions.map { try restart.rendition($0, targetDuration: targetDuration, now: now) }
    }
}

// Going on.
extension LiveSession {
    private func write(
        _ segment: SegmentPipeline.Segment,
        _ epoch: inout LiveEpoch,
        _ pipeline: SegmentPipeline
    ) async throws {
        let place = segment.rendition
        let target = targetDuration ?? 1
        let isTooLong = segment.seconds > LiveTarget.greatest(target, job.container).seconds + 0.001
        guard !epoch.leavesOut(segment, isTooLong: isTooLong && place == pipeline.leader) else {
            if place == pipeline.leader {
                tell(
                    .warning(
                        "\(segment.seconds) s without a key frame do not fit the target duration of \(target) s, and are "
                            + "left out: have the encoder set key frames more often, or give a longer target duration"
                    )
                )
            }
            return
        }
        if epoch.writers.isEmpty { try makeWriters(&epoch) }
        let writer = epoch.writers[place]
        let date = epoch.date(of: segment.start)
        if writer.period != segment.period, let keyring {
            let begins = (keyring.current?.number ?? -1) < segment.period
            let period = try await keyring.period(segment.period, at: date, epoch.plan.trackClasses)
            try epoch.plan.check(period)
            if begins {
                try folder.useUp(period: period.number)
                report.periods += 1
                tell(.period(period.number))
            }
            try writer.change(to: epoch.plan.change(to: period, of: place), period: segment.period)
        }
        let written: LiveSegment
        do {
            written = try writer.write(
                segment,
                date: date,
                isDiscontinuity: epoch.isDiscontinuity(segment),
                limit: LiveTarget.greatest(target, job.container).seconds
            )
        } catch let failure as SampleFailure {
            throw InputFailure(epoch.plan.inputs[pipeline.renditions[place].input].name, "\(failure)")
        }
        if epoch.isFirst(segment) {
            var description = Rendition(epoch.plan.renditions[place], segments: [])
            description.frameRate = segment.frameRate(pipeline.renditions[place].media)
            presentation?.describe(place, as: description)
        }
        try publish(written, place, epoch)
        try await announce(epoch, now: clock.now(media: end))
    }

    private func makeWriters(_ epoch: inout LiveEpoch) throws {
        let plan = epoch.plan
        for (planned, state) in zip(plan.renditions, states) {
            let current = presentation?[epoch.writers.count] ?? state
            epoch.writers.append(
                try LiveWriter(
                    planned,
                    plan,
                    folder: folder,
                    sequence: current.media.nextSequence,
                    period: keyring?.current?.number ?? 0
                )
            )
        }
        guard presentation == nil else { return }
        let descriptions = plan.renditions.map { Rendition($0, segments: []) }
        presentation = LivePresentation(states, descriptions: descriptions, options: PlaylistOptions(plan.job))
    }

    private func publish(_ segment: LiveSegment, _ place: Int, _ epoch: LiveEpoch) throws {
        if let date = segment.entry.date {
            let ends = date.advanced(by: segment.entry.duration)
            end = max(end ?? ends, ends)
        }
        let sequence = presentation?[place].media.nextSequence ?? 0
        let actions = try presentation?.append(segment, to: place, now: clock.now(media: end)) ?? []
        for action in actions { try folder.carryOut(action, main: job.names.multivariant) }
        report.segments += 1
        report.byteCount += segment.entry.byteCount ?? 0
        tell(.segment(folder: epoch.plan.renditions[place].folder, sequence: sequence))
    }

    /// Asks for the next period's keys when it is time, and announces them when they are there.
    private func announce(_ epoch: LiveEpoch, now: PlaylistDate) async throws {
        guard let keyring, let period = await keyring.next(now: now, epoch.plan.trackClasses) else { return }
        try epoch.plan.check(period)
        let options = PlaylistOptions(epoch.plan.job)
        var keys: [KeyTag] = []
        for (place, planned) in epoch.plan.renditions.enumerated() {
            guard let trackClass = planned.trackClass, let change = try epoch.plan.change(to: period, of: place) else {
                continue
            }
            keys += try options.keys(change.protection, trackClass, start: period.start)
        }
        for action in try presentation?.announce(keys) ?? [] {
            try folder.carryOut(action, main: job.names.multivariant)
        }
    }
}
