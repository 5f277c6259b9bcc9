import ContentKeySession
import HLSPlaylist

/// Plays a presentation: chooses a variant and renditions, loads segments and their keys, decrypts them, and writes
/// them to an output such as a file or a pipe.
///
///     let keys = PlayerKeySystems(fairPlay: session) { try playableKey($0) }
///     let player = Player(keys: keys, loader: loader)
///     let report = try await player.play("https://example.com/film/main.m3u8", to: StreamOutput(.standardOutput))
public actor Player {
    let settings: PlayerSettings
    private let loader: any MediaLoader
    let keyRecipient: PlayerKeyRecipient
    let clock: ElapsedTime
    let onEvent: @Sendable (PlayerEvent) async -> Void
    private var report = PlaybackReport()
    var estimate = ThroughputEstimate()
    var buffer: BufferModel

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - settings: The settings of the player.
    ///   - keys: The sessions that provide keys.
    ///   - loader: The loader of playlists and media.
    ///   - clock: The clock for measurements and delays.
    ///   - onEvent: A function that is called with each event, in order; the player waits for it.
    public init(
        settings: PlayerSettings = PlayerSettings(),
        keys: PlayerKeySystems,
        loader: any MediaLoader,
        clock: some Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (PlayerEvent) async -> Void = { _ in }
    ) {
        (self.settings, self.loader, self.onEvent) = (settings, loader, onEvent)
        keyRecipient = PlayerKeyRecipient(keys)
        self.clock = ElapsedTime(clock)
        buffer = BufferModel(settings: settings.buffer)
    }

    /// Plays a presentation to its end, or up to ``PlayerSettings/maximumDuration``. Call it only once per player.
    ///
    /// - Parameters:
    ///   - url: The `http:`, `https:` or `file:` URL of a Multivariant or Media Playlist.
    ///   - output: The output for decrypted media.
    /// - Returns: A report of the playback.
    /// - Throws: ``PlayerError``, also if there was no segment to play. The player passes only whole segments to the
    ///   output, even if playback fails.
    public func play(_ url: String, to output: any MediaOutput) async throws(PlayerError) -> PlaybackReport {
        do throws(ContentKeyError) {
            try await keyRecipient.join()
        } catch {
            throw PlayerError(.key(error), url)
        }
        let result: Result<Void, PlayerError>
        do throws(PlayerError) {
            try await run(url, output)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await keyRecipient.leave()
        do {
            try await output.finish()
        } catch  where (try? result.get()) != nil {
            throw PlayerError(output: error, url)
        } catch {
            // The first error is reported.
        }
        try result.get()
        return report
    }

    private func run(_ url: String, _ output: any MediaOutput) async throws(PlayerError) {
        let startTime = clock.now
        var fetcher = fetcher
        var tracks = try await PlaybackTracks(
            url: try ResourceFetcher.resolve(url, against: url),
            settings,
            fetcher,
            onEvent
        )
        fetcher.variables = tracks.variables ?? fetcher.variables
        let timeline = tracks.readers[0].timeline
        buffer = BufferModel(position: timeline.nextTime, settings: timeline.limited(settings.buffer), now: clock.now)
        var ended: Set<DecryptedPiece.TrackKind> = []
        while let index = next(of: tracks, except: ended) {
            guard !Task.isCancelled else { throw PlayerError(.load(MediaLoadError(.cancelled, url)), url) }
            // Between the parts of a segment, another variant has no independent part to continue with.
            if tracks.readers[index].kind == .main, tracks.readers[index].timeline.nextPart == 0 {
                try await chooseVariant(&tracks, output, fetcher)
            }
            let step = tracks.readers[index].step()
            for notice in step.notices { await recordMissed(notice, tracks.readers[index].kind) }
            switch step.outcome {
            case .ended: ended.insert(tracks.readers[index].kind)
            case .notYet:
                do throws(PlayerError) {
                    try await reload(&tracks.readers[index], fetcher)
                } catch {
                    try await leave(&tracks, index, &ended, because: error)
                }
            case .segment(let segment):
                let decrypted: TrackReader.DecryptedSegment?
                do throws(PlayerError) {
                    decrypted = try await read(segment, &tracks, index, output, fetcher)
                } catch {
                    try await leave(&tracks, index, &ended, because: error)
                    continue
                }
                guard let decrypted else { continue }
                try await write(decrypted, of: tracks, to: output, startTime)
                await waitForPace()
            }
        }
        guard report.segments[.main] != nil else {
            throw PlayerError(.nothingPlayed(missedSeconds: report.missedSeconds), tracks.readers[0].url)
        }
        await sendEvents(buffer.setComplete(true, now: clock.now))
        report.stalls = buffer.stalls
        report.switches = tracks.controller?.counts ?? SwitchCounts()
    }

    /// Ends subtitles that cannot be loaded, or excludes the variant of the main track.
    ///
    /// - Throws: `error` if playback cannot continue.
    private func leave(
        _ tracks: inout PlaybackTracks,
        _ index: Int,
        _ ended: inout Set<DecryptedPiece.TrackKind>,
        because error: PlayerError
    ) async throws(PlayerError) {
        guard tracks.readers[index].kind == .subtitles, !error.isCancellation else {
            return try leaveVariant(&tracks, index, because: error)
        }
        ended.insert(.subtitles)
        await onEvent(.omitted(.subtitles, error))
    }

    /// Returns the track whose segment is due: of the unfinished tracks, the one that is furthest behind.
    private func next(of tracks: PlaybackTracks, except ended: Set<DecryptedPiece.TrackKind>) -> Int? {
        let open = tracks.readers.indices.filter { index in
            let reader = tracks.readers[index]
            return !ended.contains(reader.kind) && settings.maximumDuration.map { reader.position < $0 } ?? true
        }
        return open.min { tracks.readers[$0].position < tracks.readers[$1].position }
    }

    private func write(
        _ decrypted: TrackReader.DecryptedSegment,
        of tracks: PlaybackTracks,
        to output: any MediaOutput,
        _ startTime: Duration
    ) async throws(PlayerError) {
        let (kind, kinds) = (decrypted.played.track, tracks.readers.map(\.kind))
        do {
            if let bytes = decrypted.initialization {
                try await output.write(DecryptedPiece(kind, of: kinds, isInitialization: true, bytes: bytes))
            }
            try await output.write(DecryptedPiece(kind, of: kinds, isInitialization: false, bytes: decrypted.bytes))
        } catch let error as PlayerError {
            throw error
        } catch {
            throw PlayerError(output: error, decrypted.played.name)
        }
        let played = decrypted.played
        if played.part ?? 0 == 0 { report.segments[kind, default: 0] += 1 }
        if played.part != nil { report.parts += 1 }
        report.byteCount += played.byteCount
        report.encryptedSegments += played.isEncrypted ? 1 : 0
        estimate.note(bytes: played.byteCount, duration: decrypted.transfer)
        await onEvent(.played(played))
        guard kind == .main else { return }
        report.duration += played.duration
        if report.startUpTime == nil { report.startUpTime = clock.now - startTime }
        await sendEvents(buffer.segmentAdded(start: decrypted.start, duration: played.duration, now: clock.now))
        measureLatency(tracks.readers[0])
    }

    /// Measures the latency of a viewer at the position of the simulated playback.
    private func measureLatency(_ reader: TrackReader) {
        guard reader.dueLoad != nil, buffer.state == .playing, let now = settings.date?(),
            let date = reader.date(at: buffer.position)
        else { return }
        let latency = now.timeInterval(since: date)
        if report.latency == nil { report.latency = LatencyRange(latency) } else { report.latency?.add(latency) }
    }

    /// Waits until the media that is loaded but not yet played is not longer than the `ahead` of
    /// ``PlayerSettings/Pace/realTime(ahead:)``. Does not wait if the pace is
    /// ``PlayerSettings/Pace/unpaced``.
    private func waitForPace() async {
        guard case .realTime(let ahead) = settings.pace else { return }
        await sendEvents(buffer.timePassed(now: clock.now))
        let excess = buffer.total - ahead / .seconds(1)
        if excess > 0 { try? await clock.sleep(for: PlaybackTime.duration(excess)) }
    }

    func sendEvents(_ transitions: [BufferModel.Transition]) async {
        for transition in transitions { await onEvent(.playback(transition)) }
    }

    private func recordMissed(_ notice: TimelineNotice, _ kind: DecryptedPiece.TrackKind) async {
        switch notice {
        case .gap(_, let seconds), .fellOutOfWindow(_, _, let seconds): report.missedSeconds += seconds
        }
        await onEvent(.missed(kind, notice))
    }

    // MARK: Live

    /// Reloads a live playlist at the scheduled time.
    private func reload(_ reader: inout TrackReader, _ fetcher: ResourceFetcher) async throws(PlayerError) {
        guard let load = reader.dueLoad else {
            throw PlayerError(.live("the playlist has not ended, but no reload is scheduled"), reader.url)
        }
        let wait = load.startTime - clock.now
        if wait > .zero { try? await clock.sleep(for: wait) }
        guard !Task.isCancelled else { throw PlayerError(.load(MediaLoadError(.cancelled, reader.url)), reader.url) }
        await sendEvents(buffer.timePassed(now: clock.now))
        let began = clock.now
        let loaded: ResourceFetcher.LoadedPlaylist
        do throws(PlayerError) {
            let (playlist, url) = try await fetcher.playlist(
                load.uri(reader.url),
                retries: false,
                idleTimeout: load.isBlocking ? load.timeout : nil
            )
            loaded = try ResourceFetcher.LoadedPlaylist(playlist, asked: reader.url, url: url)
        } catch {
            let notices = try reader.reloadFailed(
                began: began,
                now: clock.now,
                retryAfter: error.retryAfter.map { min($0, settings.maximumRetryAfter) }
            )
            for notice in notices {
                await onEvent(.live(reader.kind, notice))
            }
            return
        }
        let (new, notices) = try reader.reloaded(loaded, began: began, now: clock.now)
        for notice in notices { await onEvent(.live(reader.kind, notice)) }
        await onEvent(.reloaded(reader.kind, newSegments: new))
    }

    private var fetcher: ResourceFetcher {
        ResourceFetcher(
            loader: loader,
            attempts: max(settings.attempts, 1),
            initialRetryDelay: settings.initialRetryDelay,
            maximumRetryAfter: settings.maximumRetryAfter,
            clock: clock,
            variables: settings.variables.isEmpty ? nil : settings.variables,
            onRetry: { [weak self] error, attempt in await self?.recordRetry(error, attempt) }
        )
    }

    private func recordRetry(_ error: MediaLoadError, _ attempt: Int) async {
        report.retries += 1
        await onEvent(.retrying(error, attempt: attempt))
    }
}
