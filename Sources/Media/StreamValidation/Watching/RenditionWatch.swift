import HLSPlaylist

/// The watch of one Media Playlist: reloads of the playlist, and, concurrently, loads of its new segments.
struct RenditionWatch: Sendable {
    /// A resource to load.
    private enum Work: Sendable {
        /// A segment, with the number of segments before it that no snapshot contained, and the time until which the
        /// server must have it at least.
        case segment(SegmentTracker.Segment, missed: UInt64, until: Duration)
        /// A Partial Segment, with the time at which a snapshot first listed it.
        case part(SegmentTracker.Part, listed: Duration)
        /// Segments that must be available: the oldest one that is listed, and the last one that was removed.
        case check(oldest: SegmentTracker.Segment?, removed: SegmentTracker.Segment?, until: Duration)
    }

    let index: Int
    let rendition: MeasuredRendition
    /// The variables of the Multivariant Playlist.
    let variables: [String: String]?
    let resources: any ValidationResources
    let settings: StreamWatch.Settings
    let time: WatchTime
    let state: WatchState

    /// The maximum number of resources that wait to be loaded.
    private static let queueSize = 512
    /// The time after which a load that the server does not delay counts as late.
    private static let timeout = Duration.seconds(30)

    /// Watches until the playlist ends or the task is cancelled.
    ///
    /// - Parameter began: The start of the first load of the playlist.
    func run(began: Duration) async {
        let (works, queue) = AsyncStream.makeStream(of: Work.self, bufferingPolicy: .bufferingOldest(Self.queueSize))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.measure(works) }
            group.addTask {
                await self.reload(queue, began: began)
                queue.finish()
            }
        }
    }

    // MARK: Playlists

    private func reload(_ queue: AsyncStream<Work>.Continuation, began: Duration) async {
        let linter = Linter(profiles: [.apple])
        let initial = linter.check(rendition.file)
        await state.observe(initial.map { LintFinding(file: rendition.name, diagnostic: $0) })
        let scheme = URIReference.scheme(of: rendition.name)
        var watch = PlaylistWatch(
            rendition.file,
            name: rendition.name,
            checks: .init(linter: linter, rules: Set(WatchRule.all.map(\.id))),
            known: Set(initial.map(\.rule)),
            isRemote: scheme == "http" || scheme == "https",
            timeout: Self.timeout,
            began: began,
            now: time.now
        )
        var tracker = SegmentTracker(base: rendition.name, initialSegments: settings.initialSegments)
        var timeline = LiveTimeline(name: rendition.name)
        await take(watch.base, &tracker, &timeline, queue, began: began, checks: false)
        await checkRefusal(watch)
        var nextCheck = time.now + settings.interval
        while let load = watch.next {
            guard (try? await time.sleep(until: max(watch.nextStart, time.now))) != nil else { break }
            let began = time.now
            do throws(ResourceFailure) {
                let file = try await playlist(load.uri(rendition.name))
                // A response to a load that was interrupted can be incomplete.
                guard !Task.isCancelled else { break }
                await noteDelay(load, watch, began)
                watch.loaded(file, load, began: began, now: time.now)
                let isCheckDue = time.now >= nextCheck
                if isCheckDue {
                    nextCheck = time.now + settings.interval
                    if file.media?.isDeltaUpdate == true { await compare(watch.base, linter) }
                }
                await take(watch.base, &tracker, &timeline, queue, began: began, checks: isCheckDue)
            } catch {
                // A load that was interrupted has not failed.
                guard !Task.isCancelled else { break }
                await noteDelay(load, watch, began)
                watch.failed(error.reason, load, began: began, now: time.now)
                timeline.interrupt()
            }
            await state.observe(watch.takeFindings(), in: rendition.name)
        }
        watch.end(Task.isCancelled ? .interrupted : .limit, now: time.now)
        await state.observe(watch.takeFindings(), in: rendition.name)
    }

    /// Takes a snapshot, and queues what is new in it.
    ///
    /// - Parameter checks: True if segments that must be available are loaded again.
    private func take(
        _ file: LintFile,
        _ tracker: inout SegmentTracker,
        _ timeline: inout LiveTimeline,
        _ queue: AsyncStream<Work>.Continuation,
        began: Duration,
        checks: Bool
    ) async {
        guard let playlist = file.media else { return }
        let now = time.now
        let changes = tracker.take(playlist)
        if changes.isRestart { await state.restart(index) }
        var missed = changes.missed
        let until = now + PlaybackTime.duration(PlaybackTime.clamped(playlist.duration))
        var parts = (settings.loadsParts ? changes.parts : [])[...]
        for segment in changes.segments {
            // A segment is compared with its parts, so they are loaded before it.
            while let part = parts.first, part.sequence <= segment.measured.sequence {
                queue.yield(.part(parts.removeFirst(), listed: now))
            }
            if case .dropped = queue.yield(.segment(segment, missed: missed, until: until)) { await state.skip() }
            missed = 0
        }
        for part in parts { queue.yield(.part(part, listed: now)) }
        if let part = changes.unexpectedPart {
            var place = ValidationFinding.Place(rendition.name)
            (place.sequence, place.segment) = (part.sequence, part.tag.uri)
            await state.observe("hint-not-fulfilled", place, "The next Partial Segment is not the one of the hint.")
        }
        if !changes.segments.isEmpty {
            for finding in timeline.take(playlist, now: now, date: time.date()) { await state.observe(finding) }
        }
        await state.take(index, file, playlist, began: began, now: now)
        if checks { queue.yield(.check(oldest: changes.oldest, removed: changes.removed, until: until)) }
    }

    private func playlist(_ url: String) async throws(ResourceFailure) -> LintFile {
        let resource = try await resources.load(
            StreamResourceRequest(url: url, purpose: .playlist, maximumSize: settings.loading.playlistLimit)
        )
        let options = ParsingOptions(url: resource.url, importedVariables: variables)
        do throws(PlaylistError) {
            return try LintFile(name: rendition.name, bytes: resource.bytes, options: options)
        } catch {
            throw ResourceFailure(reason: error.description)
        }
    }

    // MARK: Delivery

    /// Reports a blocking load that took more than three target durations.
    private func noteDelay(_ load: PlaylistLoad, _ watch: PlaylistWatch, _ began: Duration) async {
        let target = Duration.seconds(min(max(watch.base.media?.targetDuration ?? 1, 1), 3600))
        let delay = time.now - began
        guard load.isBlocking, delay > target * 3 + .seconds(1) else { return }
        await state.observe(
            "block-too-long",
            .init(rendition.name),
            "A blocking reload was answered too late.",
            measured: PlaylistWatch.seconds(delay),
            limit: "\(PlaylistWatch.seconds(target * 3)) (three Target Durations), then status 503"
        )
    }

    /// Requests a segment that is far in the future, which the server must refuse instead of waiting.
    private func checkRefusal(_ watch: PlaylistWatch) async {
        guard let load = watch.next, load.isBlocking, let number = load.mediaSequenceNumber else { return }
        let distant = PlaylistLoad(
            startTime: time.now,
            mediaSequenceNumber: number &+ 20,
            part: nil,
            skip: nil,
            timeout: load.timeout
        )
        var measured: String
        do throws(ResourceFailure) {
            _ = try await playlist(distant.uri(rendition.name))
            measured = "a playlist"
        } catch {
            guard !Task.isCancelled, error.status != 400 else { return }
            measured = error.status.map { "status \($0)" } ?? "no response"
        }
        await state.observe(
            "block-not-refused",
            .init(rendition.name),
            "The request for a segment that is 20 segments in the future is not refused.",
            measured: measured,
            limit: "status 400"
        )
    }

    /// Compares a playlist that was assembled from delta updates with the whole one.
    private func compare(_ merged: LintFile, _ linter: Linter) async {
        guard let whole = try? await playlist(rendition.name), whole.media?.isDeltaUpdate == false,
            let difference = linter.check(reloadFrom: merged, to: whole).first
        else { return }
        await state.observe(
            "delta-update-wrong",
            .init(rendition.name),
            "The playlist that delta updates result in is not the whole playlist: \(difference.message)."
        )
    }

    // MARK: Segments

    private func measure(_ works: AsyncStream<Work>) async {
        var reader = SegmentReader(
            resources: resources,
            maximumSize: settings.loading.segmentLimit,
            isIFrames: rendition.isIFrames
        )
        var contents = SegmentContents()
        for await work in works {
            switch work {
            case .segment(var segment, let missed, let until):
                if !segment.measured.isGap {
                    let result = await reader.read(segment.resource, map: segment.map, isSealed: segment.isSealed)
                    guard !Task.isCancelled else { return }
                    if result.bytes == nil, time.now > until {
                        // This watch was too slow, not the server.
                        await state.skip()
                        continue
                    }
                    segment.measured.initialization = result.initialization
                    (segment.measured.outcome, segment.measured.http) = (result.outcome, result.http)
                    if result.bytes == nil { contents.noteMissing(segment) }
                    if let bytes = result.bytes,
                        let finding = contents.take(bytes, of: segment, in: rendition.name)
                    {
                        await state.observe(finding)
                    }
                }
                await state.append(segment.measured, to: index, missed: missed)
            case .part(let part, let listed):
                guard !part.tag.isGap else {
                    contents.skip(part)
                    continue
                }
                let result = await reader.read(part.resource, map: part.map, isSealed: part.isSealed)
                guard !Task.isCancelled else { return }
                await state.countPart(byteCount: result.bytes?.count ?? 0)
                for finding in contents.take(result, of: part, in: rendition, age: time.now - listed) {
                    await state.observe(finding)
                }
            case .check(let oldest, let removed, let until):
                if let oldest { await check(oldest, reader, contents, isListed: true, until) }
                if let removed { await check(removed, reader, contents, isListed: false, until) }
            }
        }
    }

    /// Loads a segment again.
    private func check(
        _ segment: SegmentTracker.Segment,
        _ reader: SegmentReader,
        _ contents: SegmentContents,
        isListed: Bool,
        _ until: Duration
    ) async {
        // That is a finding already.
        guard !contents.isMissing(segment) else { return }
        let place = ValidationFinding.Place(rendition, segment.measured)
        do throws(ResourceFailure) {
            let fingerprint = try await reader.fingerprint(of: segment.resource)
            guard let known = contents.fingerprint(of: segment), known != fingerprint else { return }
            await state.observe(
                "live-segment-content",
                place,
                "The segment has other bytes than when it was loaded first.",
                measured: "\(fingerprint.byteCount) bytes",
                limit: "the same \(known.byteCount) bytes"
            )
        } catch {
            guard !Task.isCancelled, time.now <= until else { return }
            await state.observe(
                isListed ? "live-oldest-segment-missing" : "live-removed-segment-missing",
                place,
                isListed
                    ? "The oldest segment of the playlist cannot be loaded: \(error.reason)."
                    : "A segment that was just removed from the playlist cannot be loaded: \(error.reason)."
            )
        }
    }
}
