import ContentKeySession
import HLSPlaylist
import Locking
import StreamPlayer

/// Downloads a presentation into a bundle, or resumes a download that was stopped by a pause, an error, or a crash of
/// the process or the machine.
///
///     let request = AssetDownload.Request(url: url, folder: "Films/film-7")
///     let download = AssetDownload(request, keys: keys, transport: transport)
///     Task { for await event in download.events { print(event) } }
///     let bundle = try await download.run()
///
/// Steps: playlists, keys, segments, checksums, verification of offline playback. The bundle contains its current
/// state; see ``BundleSummary/State``.
public actor AssetDownload {
    /// The source and destination of a download.
    public struct Request: Sendable, Hashable {
        /// The URL of a Multivariant or Media Playlist, `http:` or `https:`.
        public var url: String
        /// The path of the bundle's folder, which does not have to exist.
        public var folder: String
        /// The title; nil means the name of the folder.
        public var title: String?
        /// The variants and renditions to download.
        public var selection: BundleSelection
        /// True if a Media Playlist without EXT-X-ENDLIST is downloaded as it is, although its stream may be live. False by
        /// default.
        public var assumesEnd = false
        /// The duration of media to record from a live stream; nil for a VOD stream. A recording starts three target
        /// durations before the live edge.
        public var recordingDuration: Duration?

        /// Creates the description of a download.
        public init(url: String, folder: String, title: String? = nil, selection: BundleSelection = BundleSelection()) {
            (self.url, self.folder, self.title, self.selection) = (url, folder, title, selection)
        }
    }

    /// The events of ``run()``, for one reader. If no reader consumes them, only the newest 4,096 are kept.
    public nonisolated let events: AsyncStream<DownloadEvent>

    let request: Request
    let settings: DownloadSettings
    let keys: (any DownloadKeys)?
    let transport: any DownloadTransport
    let clock: DownloadClock
    let faults: DiskFaultInjection
    let folder: BundleFolder
    /// The keys that the server's playlists contain, by their names in the local playlists.
    var inlineKeys: [String: RedactedBytes] = [:]
    private let stream: AsyncStream<DownloadEvent>.Continuation
    private var work: Task<Result<AssetBundle, DownloadError>, Never>?
    private var round: Task<RoundEnd, Never>?
    private var isPaused = false
    private var isCancelled = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a download without starting it.
    ///
    /// - Parameters:
    ///   - request: The source and destination.
    ///   - settings: The settings of the download.
    ///   - keys: The source of keys; nil means that only media are downloaded, and a bundle with keys stays
    ///     ``BundleSummary/State/unverified``.
    ///   - transport: The transport for playlists and media.
    public init(
        _ request: Request,
        settings: DownloadSettings = DownloadSettings(),
        keys: (any DownloadKeys)?,
        transport: any DownloadTransport
    ) {
        self.init(request, settings: settings, keys: keys, transport: transport, clock: DownloadClock())
    }

    init(
        _ request: Request,
        settings: DownloadSettings,
        keys: (any DownloadKeys)?,
        transport: any DownloadTransport,
        clock: DownloadClock,
        faults: DiskFaultInjection = .none
    ) {
        (self.request, self.settings, self.keys, self.transport) = (request, settings, keys, transport)
        (self.clock, self.faults) = (clock, faults)
        folder = BundleFolder(request.folder)
        (events, stream) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    }

    /// Downloads until the bundle is complete or the download stops. Call it only once for each download.
    ///
    /// A complete bundle is verified, and damaged files are downloaded again.
    ///
    /// - Throws: ``DownloadError``; complete files are kept, and another download of the same presentation resumes.
    public func run() async throws(DownloadError) -> AssetBundle {
        guard work == nil, !isCancelled else { throw Self.cancelled(request.url) }
        let work = Task { await self.perform() }
        self.work = work
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
            Task { await self.cancel() }
        }
        if case .success(let bundle) = result { stream.yield(.finished(bundle.description.summary)) }
        stream.finish()
        return try result.get()
    }

    /// Pauses the download of media; ``run()`` waits. Partial files are kept. It has no effect on a recording of a live
    /// stream, which would miss segments.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        round?.cancel()
    }

    /// Resumes the download after a pause.
    public func resume() {
        isPaused = false
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Cancels the download: ``run()`` throws `cancelled`, and another download of the same presentation resumes from
    /// there.
    public func cancel() {
        isCancelled = true
        work?.cancel()
        round?.cancel()
        resume()
    }

    nonisolated func emit(_ event: DownloadEvent) { stream.yield(event) }

    static func cancelled(_ url: String) -> DownloadError { DownloadError(MediaLoadError(.cancelled, url)) }

    private func perform() async -> Result<AssetBundle, DownloadError> {
        do throws(DownloadError) {
            return .success(try await download())
        } catch {
            return .failure(error)
        }
    }

    func checkCancellation() throws(DownloadError) {
        if isCancelled || Task.isCancelled { throw Self.cancelled(request.url) }
    }

    // MARK: Rounds

    /// Downloads the missing files, with pauses in between.
    ///
    /// - Returns: The segments that are missing on the server, if the settings allow them.
    func fetchAll(_ files: DownloadFiles) async throws(DownloadError) -> [Int: DownloadError] {
        while true {
            if isPaused {
                emit(.paused)
                await withCheckedContinuation { waiters.append($0) }
                if !isCancelled { emit(.resumed) }
            }
            try checkCancellation()
            // Files that were completed in an earlier round are not missing.
            var files = files
            files.missing = files.stillMissing
            let transfers = DownloadRound(files: files, settings: settings, clock: clock) { self.emit($0) }
            let round = Task { await transfers.run() }
            self.round = round
            // A pause may have been requested before the round was stored.
            if isPaused { round.cancel() }
            let end = await round.value
            self.round = nil
            switch end {
            case .complete(let missing): return missing
            case .failed(let error): throw error
            case .interrupted: continue
            }
        }
    }
}

/// The clocks and random numbers of a download.
struct DownloadClock: Sendable {
    /// The clock for measurements and delays.
    let elapsed: ElapsedTime
    /// Returns a random number from 0 to 1.
    let chance: @Sendable () -> Double
    /// Returns the current time in seconds since 1970.
    let date: @Sendable () -> Int

    init(
        _ clock: any Clock<Duration> = ContinuousClock(),
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        date: @escaping @Sendable () -> Int = { Self.secondsSince1970() }
    ) {
        (elapsed, self.chance, self.date) = (ElapsedTime(clock), chance, date)
    }
}
