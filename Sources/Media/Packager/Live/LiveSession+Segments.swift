import DRMSignaling
import FileWriting
import HLSPlaylist

/// Continuing a presentation: completed segments, and keys that are needed soon.
extension LiveSession {
    /// Writes a segment, and adds it to the playlists.
    ///
    /// - Throws: ``InputFailure``, ``JobFailure``, ``KeyPeriodFailure``, ``FileError``, `SignalingError`.
    func write(
        _ segment: TrackSegment,
        _ epoch: inout LiveEpoch
    ) async throws {
        let renditionIndex = segment.rendition
        let isLeader = renditionIndex == epoch.leader
        let planned = epoch.plan.renditions[renditionIndex]
        let periodNumber = epoch.period(of: segment)
        let target = targetDuration ?? 1
        let isTooLong =
            segment.seconds > LiveTargetDuration.maximumSegmentDuration(target, job.container).seconds + 0.001
        let isDropped = epoch.mustDrop(segment, isTooLong: isTooLong && isLeader)
        let dateRanges = (heldDateRanges.removeValue(forKey: renditionIndex) ?? []) + newDateRanges(of: segment, epoch)
        guard !isDropped else {
            heldDateRanges[renditionIndex] = dateRanges
            if isLeader {
                report.lostSegments += 1
                onEvent(
                    .warning(
                        "\(segment.seconds) s without a key frame exceed the target duration of \(target) s and are "
                            + "skipped: configure the encoder for more frequent key frames, or increase target-duration"
                    )
                )
            }
            return
        }
        if epoch.writers.isEmpty { try makeWriters(&epoch) }
        let writer = epoch.writers[renditionIndex]
        let date = epoch.date(of: segment.start)
        if segment.isStart, writer.period != periodNumber, let keyring {
            let isNewPeriod = (keyring.current?.number ?? -1) < periodNumber
            let period = try await keyring.period(periodNumber, at: date, epoch.plan.trackClasses)
            try epoch.plan.check(period)
            if isNewPeriod {
                try folder.markUsed(period: period.number)
                report.periods += 1
                onEvent(.period(period.number))
            }
            try writer.change(to: epoch.plan.change(to: period, of: renditionIndex), period: periodNumber)
        }
        do {
            try writer.write(
                segment,
                isClear: segment.isStart && epoch.isClear(segment, isLeader: isLeader),
                isDiscontinuity: segment.isStart && epoch.isDiscontinuity(segment),
                date: date.inMilliseconds,
                dateRanges: dateRanges
            )
        } catch let failure as SampleFailure {
            throw InputFailure(epoch.plan.inputs[planned.input].name, "\(failure)")
        } catch let failure as ProtectionFailure {
            throw failure.failure(of: epoch.plan.inputs[planned.input].name, rendition: planned.folder)
        }
        let written = try writer.takeWritten()
        if segment.isStart, let delay = epoch.lateStart(of: segment) {
            let seconds = (delay * 1000).rounded() / 1000
            onEvent(
                .warning(
                    "\(planned.folder) starts \(seconds) s after the other renditions; its playlist starts later, and "
                        + "players synchronize it by the dates of the segments"
                )
            )
        }
        epoch.addSegment(of: renditionIndex)
        presentation?.describe(renditionIndex, as: writer.description)
        if let open = writer.openSegment {
            try publish(partsOf: open, isLastOfPeriod: segment.endsPeriod, renditionIndex, epoch)
        }
        for segment in written {
            try publish(segment, renditionIndex, epoch)
            if isLeader { try publishGaps(along: segment, &epoch) }
        }
        try await announce(epoch, now: clock.now(media: end))
    }

    /// Returns the Date Ranges of the commands of SCTE 35 that apply at the start of a segment.
    private func newDateRanges(of segment: TrackSegment, _ epoch: LiveEpoch) -> [DateRangeTag] {
        segment.splices.compactMap { point in
            let date = epoch.date(of: point.time).inMilliseconds
            if point.number >= nextSplice {
                nextSplice = point.number + 1
                if let warning = point.warning(date) { onEvent(.warning(warning)) }
                warn(SpliceRanges.warnings(job.manifests))
            }
            return splices.tag(for: point, date: date)
        }
    }

    private func makeWriters(_ epoch: inout LiveEpoch) throws {
        let plan = epoch.plan
        for (planned, state) in zip(plan.renditions, states) {
            let current = presentation?[epoch.writers.count] ?? state
            epoch.writers.append(
                try RenditionWriter(
                    planned,
                    plan,
                    files: folder,
                    number: current.media.nextSequence &+ 1,
                    period: keyring?.current?.number ?? 0,
                    part: epoch.part
                )
            )
        }
        guard presentation == nil else { return }
        let descriptions = plan.renditions.map { Rendition($0) }
        presentation = LivePresentation(
            states,
            descriptions: descriptions,
            options: PlaylistOptions(plan.job),
            hasPlaylists: job.manifests.contains(.hls),
            manifest: manifest
        )
    }

    /// Adds a gap to each rendition without a track in the part, along a segment of the leading rendition, so that Media
    /// Sequence Numbers and Discontinuity Sequence Numbers of all renditions stay in step.
    private func publishGaps(along segment: Rendition.Segment, _ epoch: inout LiveEpoch) throws {
        epoch.addLeaderSegment(segment)
        for index in epoch.plan.renditions.indices where !epoch.hasTrack[index] {
            try publishGap(segment, index, epoch)
        }
    }

    /// Adds gaps to the renditions that have a track in the part, but no segment.
    func publishGaps(_ epoch: inout LiveEpoch) throws {
        for index in epoch.plan.renditions.indices where epoch.hasTrack[index] && !epoch.hasSegment(index) {
            for segment in epoch.leaderSegments { try publishGap(segment, index, epoch) }
        }
    }

    private func publishGap(_ segment: Rendition.Segment, _ index: Int, _ epoch: LiveEpoch) throws {
        let number = (presentation?[index].media.nextSequence ?? 0) + 1
        try publish(Rendition.Segment(gap: number, along: segment), index, epoch)
    }

    /// Lists the parts of a segment that is not complete.
    ///
    /// - Parameter isLastOfPeriod: Whether the next segment starts a key period, whose init segment can be hinted.
    private func publish(
        partsOf open: Rendition.Segment,
        isLastOfPeriod: Bool,
        _ renditionIndex: Int,
        _ epoch: LiveEpoch
    ) throws {
        let writer = epoch.writers[renditionIndex]
        var nextMap: String?
        if isLastOfPeriod, let nextPeriod, nextPeriod.number == writer.period + 1,
            let change = try epoch.plan.change(to: nextPeriod, of: renditionIndex)
        {
            nextMap = try writer.prepare(change)
        }
        let now = clock.now(media: end)
        let actions = try presentation?.append(partOf: open, nextMap: nextMap, to: renditionIndex, now: now) ?? []
        for action in actions { try folder.perform(action, job.names) }
        let sequence = presentation?[renditionIndex].media.nextSequence ?? 0
        let name = epoch.plan.renditions[renditionIndex].folder
        onEvent(.part(folder: name, sequence: sequence, index: open.parts.count - 1))
    }

    private func publish(_ segment: Rendition.Segment, _ renditionIndex: Int, _ epoch: LiveEpoch) throws {
        if let date = segment.date {
            let ends = date.advanced(by: segment.duration.seconds)
            end = max(end ?? ends, ends)
        }
        let sequence = presentation?[renditionIndex].media.nextSequence ?? 0
        let actions = try presentation?.append(segment, to: renditionIndex, now: clock.now(media: end)) ?? []
        for action in actions { try folder.perform(action, job.names) }
        guard !segment.isGap else { return }
        report.segments += 1
        report.byteCount += segment.byteCount
        onEvent(.segment(folder: epoch.plan.renditions[renditionIndex].folder, sequence: sequence))
    }

    /// Requests the next period's keys when it is time, and announces them when they arrive. During a clear lead the
    /// current keys are announced too, so that players can request them before they are needed.
    private func announce(_ epoch: LiveEpoch, now: PlaylistDate) async throws {
        var keys = epoch.isInClearLead ? epoch.writers.flatMap(\.keys) : []
        if let keyring, let period = await keyring.next(now: now, epoch.plan.trackClasses) {
            try epoch.plan.check(period)
            let options = PlaylistOptions(epoch.plan.job)
            (next, nextPeriod) = ([], period)
            for (renditionIndex, planned) in epoch.plan.renditions.enumerated() {
                guard let trackClass = planned.trackClass,
                    let change = try epoch.plan.change(to: period, of: renditionIndex)
                else { continue }
                next += try options.keys(change.protection, trackClass, start: period.start)
            }
        }
        keys += next
        guard keys != announced else { return }
        announced = keys
        for action in try presentation?.announce(keys) ?? [] { try folder.perform(action, job.names) }
    }
}
