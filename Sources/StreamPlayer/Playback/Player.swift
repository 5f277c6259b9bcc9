import ContentKeySession
import HLSPlaylist

/// Plays a presentation: chooses a variant and renditions, fetches segments, gets their keys, decrypts them and hands them
/// on, to a file, a pipe or nowhere.
///
///     let player = Player(keys: .init(fairPlay: session) { try playableKey($0) })
///     let report = try await player.play("https://example.com/film/main.m3u8", to: StreamOutput(.standardOutput))
public actor Player {
    private let settings: PlayerSettings
    private let loader: any MediaLoader
    private let ring: KeyRing
    private let clock: PlayerClock
    private let onEvent: @Sendable (PlayerEvent) async -> Void
    private var report = PlaybackReport()

    /// Makes a player.
    ///
    /// - Parameters:
    ///   - keys: who is asked for keys.
    ///   - loader: fetches playlists and media.
    ///   - clock: measures and waits.
    ///   - onEvent: is told what happens, in its order; the player waits for it.
    public init(
        settings: PlayerSettings = PlayerSettings(),
        keys: PlayerKeySystems,
        loader: any MediaLoader = HTTPMediaLoader(),
        clock: some Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (PlayerEvent) async -> Void = { _ in }
    ) {
        (self.settings, self.loader, self.onEvent) = (settings, loader, onEvent)
        ring = KeyRing(keys)
        self.clock = PlayerClock(clock)
    }

    /// Plays a presentation to its end, or as far as the settings say. A player plays once.
    ///
    /// - Parameter url: of a Multivariant or a Media Playlist: `http:`, `https:` or `file:`.
    /// - Returns: what was played, in numbers.
    /// - Throws: ``PlayerError``; what was handed on until then is whole segments.
    public func play(_ url: String, to output: any MediaOutput) async throws(PlayerError) -> PlaybackReport {
        do throws(ContentKeyError) {
            try await ring.join()
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
        await ring.leave()
        do {
            try await output.finish()
        } catch  where (try? result.get()) != nil {
            throw PlayerError(.output("it was not finished"), url)
        } catch {
            // The first failure is the one to tell.
        }
        try result.get()
        return report
    }

    private func run(_ url: String, _ output: any MediaOutput) async throws(PlayerError) {
        let begin = clock.now()
        let start = try ResourceFetcher.resolve(url, against: url)
        let (first, base, _) = try await fetcher.playlist(start)
        var tracks = try await Tracks(first, url: start, base: base, settings, fetcher, onEvent)
        var loop = PlaybackLoop(begin: begin)
        while let index = tracks.next(limit: settings.maximumDuration) {
            guard !Task.isCancelled else { throw PlayerError(.load(MediaLoadError(.cancelled, url)), url) }
            if tracks.readers[index].skipGap() {
                report.skippedSegments += 1
                await onEvent(.skipped(tracks.readers[index].kind, segments: 1))
                continue
            }
            guard tracks.readers[index].hasNext else {
                try await reload(&tracks.readers[index], &loop)
                continue
            }
            let clear = try await tracks.readers[index].next(fetcher, ring)
            try await hand(clear, of: tracks, to: output, &loop)
            await keepPace(tracks, loop)
        }
    }

    private func hand(
        _ clear: TrackReader.Clear,
        of tracks: Tracks,
        to output: any MediaOutput,
        _ loop: inout PlaybackLoop
    ) async throws(PlayerError) {
        let (kind, kinds) = (clear.played.track, tracks.readers.map(\.kind))
        do {
            if let bytes = clear.initialization {
                try await output.write(ClearPiece(kind, of: kinds, isInitialization: true, bytes: bytes))
            }
            try await output.write(ClearPiece(kind, of: kinds, isInitialization: false, bytes: clear.bytes))
        } catch let error as PlayerError {
            throw error
        } catch {
            throw PlayerError(.output("it takes no more"), clear.played.name)
        }
        let played = clear.played
        report.segments[kind, default: 0] += 1
        report.byteCount += played.byteCount
        report.encryptedSegments += played.isEncrypted ? 1 : 0
        if kind == .main {
            report.duration += played.duration
            if report.startUpTime == nil { report.startUpTime = clock.now() - loop.begin }
        }
        await onEvent(.played(played))
    }

    /// What a viewer would have in hand is not more than the settings say.
    private func keepPace(_ tracks: Tracks, _ loop: PlaybackLoop) async {
        guard case .realTime(let ahead) = settings.pace, let started = report.startUpTime else { return }
        let played = clock.now() - loop.begin - started - report.stallTime
        let excess = Duration.seconds(tracks.position) - ahead - played
        if excess > .zero { try? await clock.sleep(excess) }
    }

    // MARK: Live

    /// Loads a live playlist again, until it has something new.
    private func reload(_ reader: inout TrackReader, _ loop: inout PlaybackLoop) async throws(PlayerError) {
        let target = Duration.seconds(Double(reader.playlist.targetDuration))
        // After a change a target duration, without one half of it (RFC 8216bis, 6.3.4).
        let due = loop.lastLoad[reader.kind].map { $0.at + ($0.wasNew ? target : target / 2) } ?? clock.now()
        if due > clock.now() { try? await clock.sleep(due - clock.now()) }
        let at = clock.now()
        guard case .media(let newer) = try await fetcher.playlist(reader.url).playlist else {
            throw PlayerError(.notMedia, reader.url)
        }
        let (new, lost) = try reader.reload(newer)
        loop.lastLoad[reader.kind] = (at, new > 0)
        if lost > 0 {
            report.skippedSegments += lost
            await onEvent(.skipped(reader.kind, segments: lost))
        }
        await onEvent(.reloaded(reader.kind, newSegments: new))
    }

    private var fetcher: ResourceFetcher {
        ResourceFetcher(
            loader: loader,
            attempts: max(settings.attempts, 1),
            firstPause: settings.firstPause,
            sleep: clock.sleep,
            now: clock.now,
            onRetry: { [weak self] error, attempt in await self?.note(retry: error, attempt) }
        )
    }

    private func note(retry error: MediaLoadError, _ attempt: Int) async {
        report.retries += 1
        await onEvent(.retrying(error, attempt: attempt))
    }
}

/// What goes on from one segment to the next.
struct PlaybackLoop {
    /// When playing was asked for.
    let begin: Duration
    /// When each playlist was loaded last, and whether there was something new in it.
    var lastLoad: [ClearPiece.TrackKind: (at: Duration, wasNew: Bool)] = [:]

    init(begin: Duration) { self.begin = begin }
}

/// A clock as moments since it was taken.
struct PlayerClock: Sendable {
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }
}
