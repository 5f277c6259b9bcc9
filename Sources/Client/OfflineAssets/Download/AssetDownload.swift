import ContentKeySession
import HLSPlaylist
import Locking
import StreamPlayer

/// Downloads a presentation into a bundle, or goes on with a download that was stopped: by a pause, an error, a crash of the
/// process or of the machine.
///
///     let request = AssetDownload.Request(url: url, folder: "Films/film-7")
///     let download = AssetDownload(request, keys: keys, transport: transport)
///     Task { for await event in download.events { print(event) } }
///     let bundle = try await download.run()
///
/// Steps: playlists, keys, segments, checksums, proof. The bundle tells its state at every moment; see
/// ``BundleSummary/State``.
public actor AssetDownload {
    /// What is downloaded, and where to.
    public struct Request: Sendable, Hashable {
        /// A Multivariant or a Media Playlist, `http:` or `https:`.
        public var url: String
        /// The path of the bundle's folder; it need not be there.
        public var folder: String
        /// What people call it; nil: the name of the folder.
        public var title: String?
        /// Which variants and renditions.
        public var selection: BundleSelection

        /// Describes a download.
        public init(url: String, folder: String, title: String? = nil, selection: BundleSelection = BundleSelection()) {
            (self.url, self.folder, self.title, self.selection) = (url, folder, title, selection)
        }
    }

    /// What happens, from ``run()`` to its end. For one reader; if nobody reads, the oldest of 4,096 are lost.
    public nonisolated let events: AsyncStream<DownloadEvent>

    let request: Request
    let settings: DownloadSettings
    let keys: (any DownloadKeys)?
    let transport: any DownloadTransport
    let clock: DownloadClock
    let faults: DiskFaults
    let folder: BundleFolder
    private let stream: AsyncStream<DownloadEvent>.Continuation
    private var work: Task<Result<AssetBundle, DownloadError>, Never>?
    private var round: Task<RoundEnd, Never>?
    private var isPaused = false
    private var isCancelled = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Makes a download; nothing happens yet.
    ///
    /// - Parameters:
    ///   - keys: where keys come from; nil: only media are fetched, and a bundle with keys stays
    ///     ``BundleSummary/State/unproven``.
    ///   - transport: fetches playlists and media.
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
        faults: DiskFaults = .none
    ) {
        (self.request, self.settings, self.keys, self.transport) = (request, settings, keys, transport)
        (self.clock, self.faults) = (clock, faults)
        folder = BundleFolder(request.folder)
        (events, stream) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    }

    /// Downloads, until the bundle is complete or something stops it. A download runs once.
    ///
    /// A bundle that is complete is checked, and what is damaged is fetched again.
    ///
    /// - Throws: ``DownloadError``; what is complete by then stays, and another download of the same goes on.
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

    /// Stops fetching media; ``run()`` waits. What is there of files that are under way is kept.
    public func pause() {
        guard !isPaused else { return }
        isPaused = true
        round?.cancel()
    }

    /// Goes on after a pause.
    public func resume() {
        isPaused = false
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Stops for good: ``run()`` throws `cancelled`, and another download of the same goes on where this one was.
    public func cancel() {
        isCancelled = true
        work?.cancel()
        round?.cancel()
        resume()
    }

    nonisolated func tell(_ event: DownloadEvent) { stream.yield(event) }

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

    /// Fetches what is missing, with pauses in between.
    func fetchAll(_ files: DownloadFiles) async throws(DownloadError) {
        while true {
            if isPaused {
                tell(.paused)
                await withCheckedContinuation { waiters.append($0) }
                if !isCancelled { tell(.resumed) }
            }
            try checkCancellation()
            // What came in an earlier round is there.
            var files = files
            files.missing = files.stillMissing
            let transfers = DownloadRound(files: files, settings: settings, clock: clock) { self.tell($0) }
            let round = Task { await transfers.run() }
            self.round = round
            // A pause may have come before there was anything to cancel.
            if isPaused { round.cancel() }
            let end = await round.value
            self.round = nil
            switch end {
            case .complete: return
            case .failed(let error): throw error
            case .interrupted: continue
            }
        }
    }
}

/// Time and chance, as a download knows them.
struct DownloadClock: Sendable {
    /// Measures and waits.
    let elapsed: ElapsedTime
    /// 0 to 1.
    let chance: @Sendable () -> Double
    /// Seconds since 1970.
    let date: @Sendable () -> Int

    init(
        _ clock: any Clock<Duration> = ContinuousClock(),
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        date: @escaping @Sendable () -> Int = { Self.secondsSince1970() }
    ) {
        (elapsed, self.chance, self.date) = (ElapsedTime(clock), chance, date)
    }
}
