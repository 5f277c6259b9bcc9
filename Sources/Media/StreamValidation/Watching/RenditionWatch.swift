import HLSPlaylist

/// The watch of one Media Playlist: reloads of the playlist, and, concurrently, loads of its new segments.
struct RenditionWatch: Sendable {
    /// The state of the comparisons of snapshots.
    private struct Progress {
        var tracker: SegmentTracker
        var timeline: LiveTimeline
        var partTimes = PartTimes()
        /// The URIs of the keys that were used.
        var keys: Set<String> = []
        /// The time from which on a hinted resource is requested again.
        var nextHint = Duration.zero
    }

    /// The queues of what is to be loaded.
    private struct Queues {
        let works: AsyncStream<MediaWatch.Work>.Continuation
        let hints: AsyncStream<SegmentReader.Resource>.Continuation
    }

    let index: Int
    let rendition: MeasuredRendition
    /// The variables of the Multivariant Playlist.
    let variables: [String: String]?
    /// The name of the Multivariant Playlist; nil without one.
    let multivariant: String?
    let resources: any ValidationResources
    let settings: StreamWatch.Settings
    /// The source of keys and the decoder with which Partial Segments are opened.
    let keys: StreamWatch.Keys?
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
        let (works, queue) = AsyncStream.makeStream(
            of: MediaWatch.Work.self,
            bufferingPolicy: .bufferingOldest(Self.queueSize)
        )
        let (hints, hintQueue) = AsyncStream.makeStream(
            of: SegmentReader.Resource.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let media = MediaWatch(
            index: index,
            rendition: rendition,
            multivariant: multivariant,
            resources: resources,
            settings: settings,
            keys: keys,
            time: time,
            state: state
        )
        // True for the tasks that end by themselves.
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await media.measure(works)
                return true
            }
            group.addTask {
                await media.request(hints, queue)
                return false
            }
            group.addTask {
                await self.reload(Queues(works: queue, hints: hintQueue), began: began)
                queue.finish()
                hintQueue.finish()
                return true
            }
            // A hinted resource that never comes must not delay the end.
            var left = 2
            while left > 0, let isAwaited = await group.next() { left -= isAwaited ? 1 : 0 }
            group.cancelAll()
        }
    }

    // MARK: Playlists

    private func reload(_ queues: Queues, began: Duration) async {
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
        var progress = Progress(
            tracker: SegmentTracker(base: rendition.name, initialSegments: settings.initialSegments),
            timeline: LiveTimeline(name: rendition.name)
        )
        await take(watch.base, &progress, queues, began: began, checks: false)
        await checkRefusal(watch)
        var nextCheck = time.now + settings.interval
        while let load = watch.next {
            guard (try? await time.sleep(until: max(watch.nextStart, time.now))) != nil else { break }
            let began = time.now
            do throws(ResourceFailure) {
                let (file, http) = try await playlist(load.uri(rendition.name))
                // A response to a load that was interrupted can be incomplete.
                guard !Task.isCancelled else { break }
                await noteDelay(load, watch, began)
                if load.isBlocking, let http { await state.takeBlockingResponse(http, in: index) }
                watch.loaded(file, load, began: began, now: time.now)
                let isCheckDue = time.now >= nextCheck
                if isCheckDue {
                    nextCheck = time.now + settings.interval
                    if file.media?.isDeltaUpdate == true { await compare(watch.base, linter) }
                }
                await take(watch.base, &progress, queues, began: began, checks: isCheckDue)
            } catch {
                // A load that was interrupted has not failed.
                guard !Task.isCancelled else { break }
                await noteDelay(load, watch, began)
                watch.failed(error.reason, load, began: began, now: time.now)
                progress.timeline.interrupt()
                progress.partTimes.interrupt()
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
        _ progress: inout Progress,
        _ queues: Queues,
        began: Duration,
        checks: Bool
    ) async {
        guard let playlist = file.media else { return }
        let now = time.now
        let changes = progress.tracker.take(playlist)
        if changes.isRestart { await state.restart(index) }
        for key in newKeys(changes, &progress.keys) { queues.works.yield(key) }
        let until = now + PlaybackTime.duration(PlaybackTime.clamped(playlist.duration))
        await enqueue(changes, queues.works, now: now, until: until)
        await judgeHints(changes)
        if let target = playlist.partInf?.partTarget, !playlist.isEnded {
            let finding = progress.partTimes.take(changes.parts, target: target, now: now, playlist: rendition.name)
            if let finding { await state.observe(finding) }
            await state.take(progress.partTimes.delays, of: index)
        }
        if settings.loadsParts, let hint = changes.hint, now >= progress.nextHint {
            progress.nextHint = now + .seconds(2 * min(max(playlist.targetDuration, 1), 3600))
            queues.hints.yield(hint)
        }
        if !changes.segments.isEmpty {
            for finding in progress.timeline.take(playlist, now: now, date: time.date()) {
                await state.observe(finding)
            }
        }
        await state.take(index, file, playlist, began: began, now: now)
        if checks { queues.works.yield(.check(oldest: changes.oldest, removed: changes.removed, until: until)) }
    }

    /// Queues new segments, each after its parts, with which it is compared.
    private func enqueue(
        _ changes: SegmentTracker.Changes,
        _ works: AsyncStream<MediaWatch.Work>.Continuation,
        now: Duration,
        until: Duration
    ) async {
        var missed = changes.missed
        var parts = (settings.loadsParts ? changes.parts : [])[...]
        for segment in changes.segments {
            while let part = parts.first, part.sequence <= segment.measured.sequence {
                works.yield(.part(parts.removeFirst(), listed: now))
            }
            if case .dropped = works.yield(.segment(segment, missed: missed, until: until)) { await state.skip() }
            missed = 0
        }
        for part in parts { works.yield(.part(part, listed: now)) }
    }

    /// Returns the work for keys that are used for the first time, except those of the first snapshot.
    private func newKeys(_ changes: SegmentTracker.Changes, _ known: inout Set<String>) -> [MediaWatch.Work] {
        let isFirst = known.isEmpty
        var result: [MediaWatch.Work] = []
        for context in changes.segments.map(\.measured.keys) + changes.parts.map(\.keys) {
            for tag in context.keys {
                guard let uri = tag.uri, known.insert(uri).inserted, !isFirst else { continue }
                result.append(.key(tag))
            }
        }
        return result
    }

    private func judgeHints(_ changes: SegmentTracker.Changes) async {
        let wrong = [
            (changes.unexpectedPart, "The next Partial Segment is not the one of the hint."),
            (changes.unexpectedMap, "The next init segment is not the one of the hint."),
        ]
        for (part, message) in wrong {
            guard let part else { continue }
            await state.observe("hint-not-fulfilled", .init(rendition.name, part), message)
        }
    }

    private func playlist(_ url: String) async throws(ResourceFailure) -> (file: LintFile, http: HTTPObservation?) {
        let resource = try await resources.load(
            StreamResourceRequest(url: url, purpose: .playlist, maximumSize: settings.loading.playlistLimit)
        )
        let options = ParsingOptions(url: resource.url, importedVariables: variables)
        do throws(PlaylistError) {
            return (try LintFile(name: rendition.name, bytes: resource.bytes, options: options), resource.http)
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

    /// Sends requests that the server must refuse: for a segment that is far in the future, and for a part of no segment.
    private func checkRefusal(_ watch: PlaylistWatch) async {
        guard let load = watch.next, load.isBlocking, let number = load.mediaSequenceNumber else { return }
        func request(_ number: UInt64?, _ part: UInt64?) -> PlaylistLoad {
            PlaylistLoad(startTime: time.now, mediaSequenceNumber: number, part: part, skip: nil, timeout: load.timeout)
        }
        await requireRefusal(
            request(number &+ 20, nil),
            "The request for a segment that is 20 segments in the future is not refused."
        )
        if load.part != nil {
            await requireRefusal(request(nil, 0), "A request with _HLS_part and without _HLS_msn is not refused.")
        }
    }

    private func requireRefusal(_ load: PlaylistLoad, _ message: String) async {
        var measured: String
        do throws(ResourceFailure) {
            _ = try await playlist(load.uri(rendition.name))
            measured = "a playlist"
        } catch {
            guard !Task.isCancelled, error.status != 400 else { return }
            measured = error.status.map { "status \($0)" } ?? "no response"
        }
        await state.observe(
            "block-not-refused",
            .init(rendition.name),
            message,
            measured: measured,
            limit: "status 400"
        )
    }

    /// Compares a playlist that was assembled from delta updates with the whole one.
    private func compare(_ merged: LintFile, _ linter: Linter) async {
        guard let whole = (try? await playlist(rendition.name))?.file, whole.media?.isDeltaUpdate == false,
            let difference = linter.check(reloadFrom: merged, to: whole).first
        else { return }
        await state.observe(
            "delta-update-wrong",
            .init(rendition.name),
            "The playlist that delta updates result in is not the whole playlist: \(difference.message)."
        )
    }
}
