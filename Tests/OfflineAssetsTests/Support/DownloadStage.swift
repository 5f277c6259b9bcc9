import StreamPlayer
import Synchronization
import Testing

@testable import OfflineAssets

/// A transport that serves a ``FilmSite`` without a network.
struct SiteTransport: DownloadTransport {
    let site: FilmSite
    static let address = "https://films.test"

    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
        if Task.isCancelled { throw MediaLoadError(.cancelled, request.url) }
        let path = String(request.url.dropFirst(Self.address.count))
        let answer = site.answer(SiteRequest(path: path, range: request.range, ifRange: request.ifRange))
        func header(_ name: String) -> String? { answer.headers.first { $0.name == name }?.value }
        let position = Mutex(0)
        return DownloadResponse(
            status: answer.status,
            url: request.url,
            validators: Validators(etag: header("ETag"), lastModified: header("Last-Modified")),
            length: UInt64(answer.body.count),
            part: header("Content-Range").flatMap { DownloadResponse.Part($0) },
            retryAfter: header("Retry-After").flatMap { Int($0) }.map { .seconds($0) },
            body: { () async throws(MediaLoadError) in
                let place = position.withLock { $0 }
                switch answer.end {
                case .breaksOff(let after) where place >= after: throw MediaLoadError(.noConnection, request.url)
                case .hangs(let after) where place >= after:
                    // Until the download has received enough.
                    site.fallSilent()
                    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
                    throw MediaLoadError(.cancelled, request.url)
                case .whole, .breaksOff, .hangs: break
                }
                let end: Int =
                    switch answer.end {
                    case .whole: answer.body.count
                    case .breaksOff(let after), .hangs(let after): min(after, answer.body.count)
                    }
                guard place < answer.body.count else { return nil }
                let next = min(place + 1000, end)
                position.withLock { $0 = next }
                return Array(answer.body[place..<next])
            }
        )
    }
}

/// Keys with scripted behavior that records the calls.
final class StageKeys: DownloadKeys {
    private struct State {
        var asked: [[DownloadKey]] = []
        var titles: [String] = []
        var requestsBefore: Int?
        var verificationCount = 0
        var refusal: DownloadKeysError?
        /// The identifiers that are refused.
        var isRefused: @Sendable ([DownloadKey]) -> Bool = { _ in false }
        var verificationFailure: DownloadKeysError?
    }

    private let state = Mutex(State())
    private let site: FilmSite

    init(_ site: FilmSite) { self.site = site }

    var asked: [[DownloadKey]] { state.withLock { $0.asked } }
    var titles: [String] { state.withLock { $0.titles } }
    var verificationCount: Int { state.withLock { $0.verificationCount } }
    func refuse(_ error: DownloadKeysError?) { state.withLock { $0.refusal = error } }
    func refuse(_ isRefused: @escaping @Sendable ([DownloadKey]) -> Bool) {
        state.withLock { ($0.refusal, $0.isRefused) = (nil, isRefused) }
    }
    func failVerification(_ error: DownloadKeysError?) { state.withLock { $0.verificationFailure = error } }

    func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError) {
        let refusal = state.withLock { state in
            state.asked.append(contentsOf: keys)
            state.titles.append(title)
            guard state.refusal == nil, keys.contains(where: state.isRefused) else { return state.refusal }
            return DownloadKeysError(code: "forbidden", place: title, reason: "its address has ended")
        }
        if let refusal { throw refusal }
    }

    func verify(_ bundle: AssetBundle) async throws(DownloadKeysError) {
        let failure = state.withLock { state in
            state.verificationCount += 1
            return state.verificationFailure
        }
        if let failure { throw failure }
    }
}

/// The events in order.
final class EventLog: Sendable {
    private let log = Mutex<[DownloadEvent]>([])
    var events: [DownloadEvent] { log.withLock { $0 } }
    func add(_ event: DownloadEvent) { log.withLock { $0.append(event) } }

    var restarts: [RestartReason] {
        events.compactMap { if case .restarting(_, let reason) = $0 { reason } else { nil } }
    }
    var isPaused: Bool { events.contains { if case .paused = $0 { true } else { false } } }
    var retries: Int { events.count { if case .retrying = $0 { true } else { false } } }
    var pauses: [Duration] { events.compactMap { if case .retrying(_, _, _, let pause) = $0 { pause } else { nil } } }
    var repaired: [String] { events.compactMap { if case .repairing(let file, _) = $0 { file } else { nil } } }
    var reloads: [DownloadError?] {
        events.compactMap { if case .reloadingPlaylists(let error) = $0 { .some(error) } else { nil } }
    }
    var progress: [AssetDownloadProgress] {
        events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }
    var plan: DownloadPlanSummary? {
        events.compactMap { if case .planned(let facts) = $0 { facts } else { nil } }.first
    }
}

/// A download of a site into a separate folder, in which delays take no time.
struct DownloadStage {
    let site: FilmSite
    let folder: TemporaryFolder
    var keys: (any DownloadKeys)?
    var settings = DownloadSettings()
    var faults = DiskFaultInjection.none
    var url: String
    var selection = BundleSelection()
    var title: String?
    let log = EventLog()

    init(_ site: FilmSite, url: String = SiteTransport.address + "/film.m3u8") throws {
        (self.site, self.url) = (site, url)
        folder = try TemporaryFolder()
        keys = StageKeys(site)
        // A stalled response stays stalled until it is cancelled.
        settings.idleTimeout = .seconds(3600)
    }

    var path: String { folder.path + "/bundle" }

    /// A clock that advances only while a task sleeps.
    var clock: DownloadClock { DownloadClock(SleepersClock(), chance: { 0 }, date: { 1_000_000 }) }

    func download() -> AssetDownload {
        AssetDownload(
            AssetDownload.Request(url: url, folder: path, title: title, selection: selection),
            settings: settings,
            keys: keys,
            transport: SiteTransport(site: site),
            clock: clock,
            faults: faults
        )
    }

    @discardableResult
    func run() async throws(DownloadError) -> AssetBundle { try await run(download()) }

    func run(_ download: AssetDownload) async throws(DownloadError) -> AssetBundle {
        let log = log
        let listening = Task { for await event in download.events { log.add(event) } }
        let result: Result<AssetBundle, DownloadError>
        do throws(DownloadError) {
            result = .success(try await download.run())
        } catch {
            result = .failure(error)
        }
        await listening.value
        return try result.get()
    }

    /// Returns the error that the download ends with.
    func failure() async -> DownloadError? {
        do throws(DownloadError) {
            try await run()
            return nil
        } catch {
            return error
        }
    }
}

/// A clock that advances only while a task sleeps, and then at once.
private final class SleepersClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private let time = Mutex(Instant(time: .zero))
    let minimumResolution = Duration.zero

    var now: Instant { time.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
