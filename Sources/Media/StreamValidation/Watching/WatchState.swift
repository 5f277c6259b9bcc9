import HLSPlaylist

/// The measurements and findings of the watches of all Media Playlists of a presentation.
actor WatchState {
    /// A violation of one rule in one playlist is one finding.
    private struct Key: Hashable {
        var rule: RuleID
        var playlist: String
        var level: ValidationRule.Level?
    }

    /// The last segment and part of a playlist.
    private struct Position {
        var sequence: UInt64
        var part: UInt64?
        /// The end of the load that showed it.
        var time: Duration
    }

    private var presentation: MeasuredPresentation
    private let settings: StreamWatch.Settings
    private let notify: @Sendable (StreamWatch.Event) -> Void
    /// The violations that were observed, by key: their indices in the observations of the presentation.
    private var observed: [Key: Int] = [:]
    private var notified: Set<Key> = []
    private var positions: [Int: Position] = [:]
    /// The highest number that an EXT-X-RENDITION-REPORT names for a playlist, with its time and the playlist that has it.
    private var claims: [Int: (sequence: UInt64, part: UInt64?, time: Duration, reporter: String)] = [:]
    /// The delays of the parts of each playlist.
    private var delays: [Int: PartDelays] = [:]
    private let indices: [String: Int]
    private var progress = WatchProgress(
        elapsed: .zero,
        playlists: 0,
        segments: 0,
        parts: 0,
        partDelays: PartDelays(),
        byteCount: 0,
        skipped: 0,
        findings: 0
    )

    init(
        _ presentation: MeasuredPresentation,
        _ settings: StreamWatch.Settings,
        _ notify: @escaping @Sendable (StreamWatch.Event) -> Void
    ) {
        (self.presentation, self.settings, self.notify) = (presentation, settings, notify)
        indices = Dictionary(
            presentation.renditions.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for index in presentation.renditions.indices {
            self.presentation.renditions[index].segments = []
            self.presentation.renditions[index].isWatched = presentation.renditions[index].isLive
        }
    }

    // MARK: Findings

    func observe(
        _ rule: RuleID,
        _ place: ValidationFinding.Place,
        _ message: String,
        measured: String? = nil,
        limit: String? = nil
    ) {
        observe(ValidationFinding(observed: rule, place, message, measured: measured, limit: limit))
    }

    func observe(_ finding: ValidationFinding) {
        let key = Key(rule: finding.rule, playlist: finding.place.playlist, level: finding.level)
        if let index = observed[key] {
            presentation.observations[index].count += 1
            presentation.observations[index].last = finding.place
            return
        }
        observed[key] = presentation.observations.count
        presentation.observations.append(finding)
        announce(key, .finding(finding))
    }

    func observe(_ findings: [PlaylistWatch.Finding], in playlist: String) {
        observe(findings.map { LintFinding(file: playlist, diagnostic: $0.diagnostic) })
    }

    func observe(_ findings: [LintFinding]) {
        for finding in findings {
            let key = Key(rule: finding.diagnostic.rule, playlist: finding.file)
            guard observed[key] == nil else { continue }
            observed[key] = presentation.playlistObservations.count
            presentation.playlistObservations.append(finding)
            announce(key, .playlistFinding(finding))
        }
    }

    private func announce(_ key: Key, _ event: StreamWatch.Event) {
        guard notified.insert(key).inserted else { return }
        progress.findings += 1
        notify(event)
    }

    // MARK: Playlists

    /// Takes a snapshot of a playlist, in which delta updates are merged.
    func take(_ index: Int, _ file: LintFile, _ playlist: MediaPlaylist, began: Duration, now: Duration) {
        let old = presentation.renditions[index]
        var new = MeasuredRendition(
            name: old.name,
            file: file,
            playlist: playlist,
            roles: old.roles,
            segments: old.segments
        )
        (new.http, new.blockingHTTP, new.isWatched) = (old.http, old.blockingHTTP, old.isWatched)
        presentation.renditions[index] = new
        checkReports(index, playlist, began: began, now: now)
    }

    /// Compares the reports of a playlist about other ones with what these contained before and contain later.
    private func checkReports(_ index: Int, _ playlist: MediaPlaylist, began: Duration, now: Duration) {
        guard let end = playlist.endSequenceNumber, end > 0 else { return }
        let parts = UInt64(playlist.upcoming.parts.count)
        let own = Position(sequence: parts > 0 ? end : end - 1, part: parts > 0 ? parts - 1 : nil, time: now)
        positions[index] = own
        let name = presentation.renditions[index].name
        if let claim = claims[index], claim.time <= began {
            claims[index] = nil
            if own.sequence < claim.sequence {
                observe(
                    "rendition-report-wrong",
                    .init(claim.reporter),
                    "EXT-X-RENDITION-REPORT names a segment that its playlist does not have yet.",
                    measured: "LAST-MSN=\(claim.sequence)",
                    limit: "\(own.sequence)"
                )
            } else if own.sequence == claim.sequence, let part = claim.part, let last = own.part, last < part {
                observe(
                    "rendition-report-wrong",
                    .init(claim.reporter),
                    "EXT-X-RENDITION-REPORT names a part that its playlist does not have yet.",
                    measured: "LAST-PART=\(part)",
                    limit: "\(last)"
                )
            }
        }
        guard !playlist.isEnded else { return }
        for report in playlist.renditionReports.prefix(settings.loading.playlistCount) {
            let uri = URIReference.resolve(report.uri, against: name)
            guard let other = indices[uri], other != index else { continue }
            let sequence = report.lastMediaSequenceNumber ?? own.sequence
            if claims[other].map({ (sequence, report.lastPart ?? 0) > ($0.sequence, $0.part ?? 0) }) ?? true {
                claims[other] = (sequence, report.lastPart, now, name)
            }
            guard let known = positions[other], known.time <= began, sequence &+ 1 < known.sequence,
                presentation.renditions[other].isLive
            else { continue }
            observe(
                "rendition-report-wrong",
                .init(name),
                "EXT-X-RENDITION-REPORT names a segment that is no longer the last one of its playlist.",
                measured: "LAST-MSN=\(sequence)",
                limit: "\(known.sequence)"
            )
        }
    }

    // MARK: Segments

    /// Adds a measured segment to the history of its playlist.
    ///
    /// - Parameter missed: The number of segments before it that no snapshot contained.
    func append(_ segment: MeasuredSegment, to index: Int, missed: UInt64) {
        var segment = segment
        progress.segments += segment.byteCount == nil ? 0 : 1
        progress.byteCount += segment.byteCount ?? 0
        let history = presentation.renditions[index].segments
        if let last = history.last {
            if last.sequence &+ 1 != segment.sequence {
                // What is not contiguous must not be compared.
                var missing = last
                (missing.outcome, missing.duration, missing.isGap) = (.skipped, 0, true)
                presentation.renditions[index].segments.append(missing)
            }
            segment.start = last.start + PlaybackTime.clamped(last.duration)
        } else {
            segment.start = 0
        }
        presentation.renditions[index].segments.append(segment)
        guard history.count >= max(settings.historyCount, 16) else { return }
        judge(keepsFindings: true)
        presentation.renditions[index].segments.removeFirst(history.count / 2)
    }

    /// Begins the history of a playlist again, whose numbers do so.
    func restart(_ index: Int) {
        judge(keepsFindings: true)
        presentation.renditions[index].segments = []
        (positions[index], claims[index]) = (nil, nil)
    }

    /// Notes that a segment was not measured.
    func skip() { progress.skipped += 1 }

    /// Notes that a Partial Segment was loaded.
    func countPart(byteCount: Int) {
        progress.parts += 1
        progress.byteCount += byteCount
    }

    /// Takes the delays of all parts of a playlist so far.
    func take(_ delays: PartDelays, of index: Int) { self.delays[index] = delays }

    /// Takes the response to a blocking reload.
    func takeBlockingResponse(_ http: HTTPObservation, in index: Int) {
        presentation.renditions[index].blockingHTTP = http
    }

    /// Returns whether the Multivariant Playlist must announce a key: it announces others.
    func mustBeAnnounced(_ tag: KeyTag) -> Bool {
        let keys = presentation.playlist?.sessionKeys ?? []
        return keys.contains { $0.key.keyFormat == tag.keyFormat } && !keys.contains { $0.key.uri == tag.uri }
    }

    // MARK: Reports

    /// Judges what was measured, and reports the progress.
    func reportProgress(now: Duration) {
        judge(keepsFindings: false)
        progress.elapsed = now
        progress.partDelays = delays.values.reduce(into: PartDelays()) { $0.add($1) }
        progress.playlists = presentation.renditions.count { !$0.playlist.isEnded }
        notify(.progress(progress))
    }

    /// Judges the segments of all playlists.
    ///
    /// - Parameter keepsFindings: True if segments will be forgotten, so that only the finding remains.
    private func judge(keepsFindings: Bool) {
        for finding in ValidationReport.findings(of: presentation, rules: ValidationRule.all) {
            let key = Key(rule: finding.rule, playlist: finding.place.playlist, level: finding.level)
            if !ValidationRule.optionalIDs.contains(finding.rule) { announce(key, .finding(finding)) }
            guard keepsFindings, observed[key] == nil else { continue }
            observed[key] = presentation.observations.count
            presentation.observations.append(finding)
        }
    }

    /// Returns the report.
    func finish(now: Duration) -> ValidationReport {
        for index in presentation.renditions.indices { presentation.renditions[index].numberLines() }
        observeEnds()
        return ValidationReport(presentation)
    }

    /// Reports playlists that ended before others.
    private func observeEnds() {
        for (index, rendition) in presentation.renditions.enumerated() where rendition.isWatched {
            guard rendition.playlist.isEnded, let end = rendition.endDate else { continue }
            let target = Double(max(rendition.playlist.targetDuration, 1))
            for (other, continuing) in presentation.renditions.enumerated()
            where other != index && !continuing.isIFrames {
                guard let otherEnd = continuing.endDate else { continue }
                let difference = otherEnd.timeInterval(since: end)
                guard difference > target * 2 else { continue }
                observe(
                    "live-ended-early",
                    .init(rendition.name),
                    "The playlist has EXT-X-ENDLIST, but another playlist continues.",
                    measured: ValidationRule.secondsText(difference),
                    limit: "\(ValidationRule.secondsText(target)) (a Target Duration)"
                )
                break
            }
        }
    }
}

extension MeasuredRendition {
    /// The date at which the last listed segment ends; nil without dates.
    fileprivate var endDate: PlaylistDate? {
        guard let last = segments.last, let start = last.programDateTime else { return nil }
        return start.advanced(by: PlaybackTime.clamped(last.duration))
    }

    /// Sets the lines of the segments that the last snapshot lists.
    fileprivate mutating func numberLines() {
        let lines = file.lines.compactMap { line in if case .uri = line.content { line.number } else { nil } }
        let first = playlist.mediaSequence ?? 0
        for index in segments.indices where segments[index].sequence >= first {
            let position = Int(clamping: segments[index].sequence - first)
            if lines.indices.contains(position) { segments[index].line = lines[position] }
        }
    }
}
