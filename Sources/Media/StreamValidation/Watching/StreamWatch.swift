public import HLSPlaylist

/// A watch of a live presentation over time: its playlists are reloaded and each new segment is measured once, until the
/// presentation ends, the limit is reached, or the task is cancelled.
///
///     let watch = StreamWatch(resources: resources, clock: ContinuousClock(), date: { now() })
///     let report = try await watch.run("https://cdn.example.com/live/main.m3u8") { event in print(event) }
///
/// The rules of `HLSPlaylist` judge each snapshot and its changes; ``ValidationRule/all`` judges all measured segments,
/// whether or not they are still listed.
public struct StreamWatch: Sendable {
    /// The settings of a watch.
    public struct Settings: Sendable {
        /// The maximum duration.
        public var limit = Duration.seconds(600)
        /// The interval of ``Event/progress(_:)``, at which measured segments are judged and listed segments are loaded
        /// again.
        public var interval = Duration.seconds(60)
        /// Whether Partial Segments are loaded and measured.
        public var loadsParts = true
        /// The maximum number of segments at the end of a playlist that are measured at the start of the watch.
        public var initialSegments = 6
        /// The number of measured segments of a Media Playlist after which the older half is judged and forgotten.
        public var historyCount = 2048
        /// The limits of sizes and counts. The sampling applies only if the presentation is not live.
        public var loading = StreamValidator.Settings()

        /// Creates the default settings.
        public init() {}
    }

    /// An event of a watch.
    public enum Event: Sendable {
        /// A rule about measurements or about times is violated, for the first time in its playlist.
        case finding(ValidationFinding)
        /// A rule about the text of playlists or their changes is violated, for the first time in its playlist.
        case playlistFinding(LintFinding)
        /// The progress, once in each interval.
        case progress(WatchProgress)
        /// The result. The last event of ``events(_:)``.
        case report(ValidationReport)
    }

    /// The source of keys and the decoder with which Partial Segments are opened.
    struct Keys: Sendable {
        let source: any ValidationKeySource
        let decoder: (any ExternalDecoder)?
    }

    private let resources: any ValidationResources
    private let settings: Settings
    private let time: WatchTime
    /// The source of keys, with which each encrypted Partial Segment is opened when it is new; nil, the default, requests no key.
    public var keySource: (any ValidationKeySource)?
    /// A decoder that checks decrypted pictures; nil, the default, leaves them undecided.
    public var decoder: (any ExternalDecoder)?

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - clock: The clock of reloads.
    ///   - date: Returns the current date, with which EXT-X-PROGRAM-DATE-TIME is compared.
    public init(
        resources: any ValidationResources,
        settings: Settings = Settings(),
        clock: some Clock<Duration>,
        date: @escaping @Sendable () -> PlaylistDate
    ) {
        (self.resources, self.settings) = (resources, settings)
        time = WatchTime(clock, date: date)
    }

    /// Watches a presentation. If the task is cancelled, the report contains what was found until then. A presentation
    /// that is not live is validated once.
    ///
    /// - Parameters:
    ///   - url: The URL or path of a Multivariant Playlist or a Media Playlist.
    ///   - notify: Called with each event except ``Event/report(_:)``.
    /// - Throws: ``ResourceFailure`` if the URL cannot be loaded, or its resource is not a playlist.
    public func run(
        _ url: String,
        notify: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws(ResourceFailure) -> ValidationReport {
        var loading = settings.loading
        loading.sampling = .none
        let began = time.now
        let presentation = try await StreamValidator(resources: resources, settings: loading).load(url)
        guard presentation.renditions.contains(where: \.isLive) else {
            return try await StreamValidator(resources: resources, settings: settings.loading).validate(url)
        }
        let state = WatchState(presentation, settings, notify)
        let indices = presentation.renditions.indices
        let keys = keySource.map { Keys(source: $0, decoder: decoder) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskGroup(of: Void.self) { group in
                    for index in indices {
                        let watch = RenditionWatch(
                            index: index,
                            rendition: presentation.renditions[index],
                            variables: presentation.playlist?.variables,
                            multivariant: presentation.multivariant?.name,
                            resources: self.resources,
                            settings: self.settings,
                            keys: keys,
                            time: self.time,
                            state: state
                        )
                        group.addTask { await watch.run(began: began) }
                    }
                }
            }
            group.addTask { await self.report(state, until: began + self.settings.limit) }
            // Either all playlists have ended, or the limit is reached.
            await group.next()
            group.cancelAll()
        }
        return await state.finish(now: time.now)
    }

    /// Returns the events of a watch, the last of which is the report. Ending the iteration ends the watch.
    ///
    /// At most 1024 events wait for the consumer; then the oldest are dropped.
    public func events(_ url: String) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            let task = Task {
                do {
                    let report = try await run(url) { continuation.yield($0) }
                    continuation.yield(.report(report))
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Judges and reports the progress once in each interval, until the limit.
    private func report(_ state: WatchState, until limit: Duration) async {
        let interval = max(settings.interval, .seconds(1))
        var next = time.now + interval
        while next < limit {
            guard (try? await time.sleep(until: next)) != nil else { return }
            await state.reportProgress(now: time.now)
            next = max(next + interval, time.now)
        }
        try? await time.sleep(until: limit)
    }
}

/// The progress of a watch.
public struct WatchProgress: Hashable, Sendable {
    /// The time since the start.
    public var elapsed: Duration
    /// The number of live Media Playlists that have not ended.
    public var playlists: Int
    /// The number of measured segments.
    public var segments: Int
    /// The number of measured Partial Segments.
    public var parts: Int
    /// How much later than the fastest ones Partial Segments were listed.
    public var partDelays: PartDelays
    /// The size of the loaded segments and Partial Segments in bytes.
    public var byteCount: Int
    /// The number of segments that were not measured, because they were loaded more slowly than published.
    public var skipped: Int
    /// The number of findings so far. Findings about times of updates are complete only at the end.
    public var findings: Int
}
