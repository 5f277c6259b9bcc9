import HLSPlaylist

/// Starting a presentation, or continuing one of an earlier run.
extension LiveSession {
    /// True if there are segments that this run continues.
    var hasSegments: Bool {
        states.indices.contains { (presentation?[$0] ?? states[$0]).media.nextSequence > 0 }
    }

    /// Loads the existing state of the folder, once.
    func resume(_ plan: PackagingPlan) throws {
        guard states.isEmpty, presentation == nil, targetDuration == nil else { return }
        try plan.checkKinds()
        if job.overwrites {
            for name in [job.names.multivariant, job.names.dash] { try folder.remove(name) }
            for rendition in plan.renditions.map(\.folder) {
                for file in folder.files(rendition) where job.names.isPackaged(file) {
                    try folder.remove(rendition + "/" + file)
                }
            }
        }
        let restart = LiveRestart(folder: folder, job: job, live: live)
        try restart.checkManifests(plan)
        guard let known = try restart.targetDuration(plan), known > 0 else {
            for name in job.manifestNames where folder.read(name) != nil {
                throw JobFailure(
                    "out",
                    "\(job.output)/\(name) already exists with other renditions: start over with overwrite, or choose "
                        + "another folder"
                )
            }
            return
        }
        targetDuration = known
        try begin(plan, targetDuration: known)
        addMissingDiscontinuities()
        if let leader = states.first(where: { $0.iFrames != nil }) ?? states.first {
            splices = SpliceRanges(resuming: leader.media)
        }
        for state in states {
            guard let last = state.media.segments.last, let date = last.date else { continue }
            end = max(end ?? date, date.advanced(by: last.duration.seconds))
        }
    }

    /// Adds gaps to the renditions whose playlists lack a discontinuity that others have: the earlier run was killed
    /// when it had published the first segments of a part only for some renditions. Otherwise the Discontinuity Sequence
    /// Numbers of the renditions would differ from then on.
    private func addMissingDiscontinuities() {
        guard job.manifests.contains(.hls),
            let first = states.map(\.media).max(by: { $0.lastDiscontinuity < $1.lastDiscontinuity })
        else { return }
        let now = clock.now(media: end)
        for index in states.indices where !states[index].media.segments.isEmpty {
            for segment in first.segments(afterDiscontinuity: states[index].media.lastDiscontinuity) {
                let gap = Rendition.Segment(gap: states[index].media.nextSequence &+ 1, along: segment)
                // The playlists are written with the next segment.
                _ = states[index].append(gap, now: now)
            }
        }
    }

    /// Chooses the Target Duration from the first segment of the leading rendition.
    ///
    /// - Parameter parts: Its chunks, and those of the other renditions; empty without low latency.
    func choose(
        _ plan: PackagingPlan,
        _ segment: TrackSegment,
        _ pipeline: SegmentPipeline,
        parts: [TrackSegment]
    ) throws {
        let target = live.targetDuration ?? LiveTargetDuration.choose(for: segment, job)
        targetDuration = target
        pipeline.maximumDuration = LiveTargetDuration.maximumSegmentDuration(target, job.container)
        try begin(plan, targetDuration: target, parts: parts)
    }

    private func begin(_ plan: PackagingPlan, targetDuration: UInt64, parts: [TrackSegment] = []) throws {
        let restart = LiveRestart(folder: folder, job: job, live: live)
        let now = clock.now(media: end)
        for rendition in plan.renditions { try folder.makeFolder(rendition.folder) }
        states = try plan.renditions.map { try restart.rendition($0, targetDuration: targetDuration, now: now) }
        if let longest = live.partDuration {
            for index in states.indices {
                let durations = parts.filter { $0.rendition == index && !$0.isEnd }.map(\.seconds)
                states[index].offerParts(
                    target: LivePartTarget.choose(
                        longest: longest.seconds,
                        durations,
                        frame: parts.frameDuration(of: index)
                    ),
                    control: LivePartTarget.serverControl(partDuration: longest.seconds, targetDuration: targetDuration)
                )
            }
        }
        manifest = try restart.manifest(plan, states, targetDuration: targetDuration)
    }
}
