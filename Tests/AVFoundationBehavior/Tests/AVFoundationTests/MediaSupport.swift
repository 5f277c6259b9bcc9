import AVFoundation
import KeywayTesting
import Locking
import Testing

let film = URL(fileURLWithPath: "/").absoluteURL.film("film")

extension URL {
    /// An https URL of the tests' server.
    func film(_ name: String) -> URL {
        var components = URLComponents()
        (components.scheme, components.host, components.path) = ("https", "media.example", "/\(name)/main.m3u8")
        return components.url ?? self
    }
}

/// Runs a test on a system of its own, and expects that it raises no exception that the test did not take.
func onSystem(
    device: StandInDevice? = nil,
    switches: Switches = Switches(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (AppleSystem) async throws -> Void
) async throws {
    let system = AppleSystem(device: device, switches: switches)
    device?.clock.withLock { $0 = system.clock }
    defer { system.downloads.removeAll() }
    try await AppleSystem.$current.withValue(system) { try await body(system) }
    #expect(system.exceptions == [])
}

/// A device whose messages are readable: an SPC is "spc:ID:VERSIONS:ROUTE", a CKC "ckc", optionally with the seconds of a
/// lease, "ckc:SECONDS".
final class StandInDevice: FairPlayDevice {
    final class Request: FairPlayRequest {
        let spc: Data
        let renewed: StandInKey?
        init(_ text: String, renewed: StandInKey? = nil) { (spc, self.renewed) = (Data(text.utf8), renewed) }
    }
    let clock = Lock<SystemClock?>(nil)
    let sessions = Lock<UInt64>(0)

    func canPersist(on route: OutputRoute) -> Bool { route == .local }
    func beginSession() -> UInt64 {
        sessions.withLock { number in
            number += 1
            return number
        }
    }
    func makeSPC(_ parameters: SPCParameters) throws(NSError) -> any FairPlayRequest {
        let identifier = String(decoding: parameters.contentIdentifier ?? Data(), as: UTF8.self)
        if identifier.isEmpty { throw NSError(domain: NSOSStatusErrorDomain, code: -42673) }
        let kind = parameters.isPersistable ? "persistent" : "\(parameters.route)"
        return Request("spc:\(identifier):\(parameters.versions):\(kind)")
    }
    func makeSPC(renewing key: any FairPlayKey) throws(NSError) -> any FairPlayRequest {
        Request("renewal", renewed: key as? StandInKey)
    }
    func open(ckc: Data, for request: any FairPlayRequest) throws(NSError) -> any FairPlayKey {
        let parts = String(decoding: ckc, as: UTF8.self).split(separator: ":")
        guard parts.first == "ckc" else { throw NSError(domain: NSOSStatusErrorDomain, code: -42668) }
        let lease = parts.count > 1 ? Int64(parts[1]) : nil
        let clock = clock.withLock { $0 }
        return StandInKey(clock: clock, lease: lease)
    }
    func persistableKey(ckc: Data, for request: any FairPlayRequest) throws(NSError) -> Data {
        guard ckc == Data("ckc".utf8) else { throw NSError(domain: NSOSStatusErrorDomain, code: -42668) }
        return Data("persistent".utf8)
    }
    func load(persistable: Data, session: UInt64) throws(NSError) -> any FairPlayKey {
        guard persistable == Data("persistent".utf8) else { throw NSError(domain: NSOSStatusErrorDomain, code: -42803) }
        return StandInKey(clock: clock.withLock { $0 }, lease: nil)
    }
    func secureToken(of persistable: Data) throws(NSError) -> Data { Data() }
    func invalidate(_ subject: InvalidationSubject, versions: [Int], challenge: UInt64) throws(NSError) -> Data {
        Data()
    }
    func expiredSessionReport(of key: any FairPlayKey) -> Data? { nil }
}

/// A key of the stand-in device.
final class StandInKey: FairPlayKey {
    struct State {
        var leaseEnd: Int64?
        var refusal: NSError?
        var isOutputSufficient = true
        var starts = 0
        var stops = 0
    }
    let state: Lock<State>
    private let clock: SystemClock?

    init(clock: SystemClock? = nil, lease: Int64? = nil) {
        self.clock = clock
        let now = Int64(clock?.date.timeIntervalSince1970 ?? 0)
        state = Lock(State(leaseEnd: lease.map { now + $0 }))
    }

    var leaseEnd: Int64? { state.withLock { $0.leaseEnd } }
    var isOutputSufficient: Bool { state.withLock { $0.isOutputSufficient } }
    var starts: Int { state.withLock { $0.starts } }
    var stops: Int { state.withLock { $0.stops } }
    func startPlaying() throws(NSError) -> Data? {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        state.withLock { $0.starts += 1 }
        return nil
    }
    func stopPlaying() { state.withLock { $0.stops += 1 } }
    func discard() {}
    func checkDecryption() throws(NSError) {
        guard let end = leaseEnd, let clock, Int64(clock.date.timeIntervalSince1970) >= end else { return }
        throw NSError(domain: NSOSStatusErrorDomain, code: -42656)
    }
}

/// A source of keys in place of a key session.
final class StandInKeys: KeySource {
    struct Need: Hashable {
        var uri: String
        var route: OutputRoute
        var versions: [Int]
        var asset: String?
    }
    private struct State {
        var needs: [Need] = []
        var keys: [String: LoadedKey] = [:]
        var failures: [String: NSError] = [:]
        var open: [(need: Need, completion: @Sendable (Result<LoadedKey, NSError>) -> Void)] = []
        var starts: [String] = []
    }
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "stand-in keys")
    private let system: AppleSystem

    init(_ system: AppleSystem) {
        self.system = system
        system.media.setKeySource(self)
    }

    var needs: [Need] { state.withLock { $0.needs } }
    var uris: [String] { needs.map(\.uri) }
    var starts: [String] { state.withLock { $0.starts } }

    /// Answers all needs of a URI, past and future.
    func provide(_ key: LoadedKey, for uri: String) {
        state.withLock { $0.keys[uri] = key }
        answer(uri, .success(key))
    }
    func fail(_ uri: String, _ error: NSError) {
        state.withLock { $0.failures[uri] = error }
        answer(uri, .failure(error))
    }

    private func answer(_ uri: String, _ result: Result<LoadedKey, NSError>) {
        let open = state.withLock { state in
            defer { state.open.removeAll { $0.need.uri == uri } }
            return state.open.filter { $0.need.uri == uri }.map(\.completion)
        }
        for completion in open { system.deliver(on: queue) { completion(result) } }
    }

    func needKey(
        _ need: KeyNeed,
        for recipient: any AVContentKeyRecipient,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) {
        let asked = Need(
            uri: need.uri,
            route: need.route,
            versions: need.versions,
            asset: (recipient as? AVURLAsset)?.url.pathComponents.dropFirst().first
        )
        let result: Result<LoadedKey, NSError>? = state.withLock { state in
            state.needs.append(asked)
            if let failure = state.failures[need.uri] { return .failure(failure) }
            if let key = state.keys[need.uri] { return .success(key) }
            state.open.append((asked, completion))
            return nil
        }
        if let result { system.deliver(on: queue) { completion(result) } }
    }

    func loadedKey(_ uri: String, route: OutputRoute) -> LoadedKey? { state.withLock { $0.keys[uri] } }

    func startPlaying(_ key: LoadedKey, for uri: String) throws(NSError) {
        state.withLock { $0.starts.append(uri) }
        if case .fairPlay(let key) = key { _ = try key.startPlaying() }
    }
}

/// A delegate that writes down what a download session tells.
final class DownloadLog: NSObject, AVAssetDownloadDelegate, @unchecked Sendable {
    private let lines = Lock<[String]>([])
    private let found = Lock<[URL]>([])
    private let metrics = Lock<[AVMetricDownloadSummaryEvent]>([])

    var events: [String] { lines.withLock { $0 } }
    var locations: [URL] { found.withLock { $0 } }
    var summaries: [AVMetricDownloadSummaryEvent] { metrics.withLock { $0 } }
    private func add(_ line: String) { lines.withLock { $0.append(line) } }

    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, willDownloadTo location: URL) {
        found.withLock { $0.append(location) }
        add("willDownload")
    }
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, didFinishDownloadingTo location: URL)
    {
        found.withLock { $0.append(location) }
        add("didFinish")
    }
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didLoad timeRange: CMTimeRange,
        totalTimeRangesLoaded loadedTimeRanges: [NSValue],
        timeRangeExpectedToLoad: CMTimeRange
    ) {
        let loaded = loadedTimeRanges.first?.timeRangeValue.duration.seconds ?? 0
        add("loaded \(Int(loaded)) of \(Int(timeRangeExpectedToLoad.duration.seconds))")
    }
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didResolve resolvedMediaSelection: AVMediaSelection
    ) { add("didResolve") }
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        willDownloadVariants variants: [AVAssetVariant]
    ) { add("variants \(variants.map { Int($0.peakBitRate ?? 0) })") }
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didReceive metricEvent: AVMetricEvent
    ) {
        guard let summary = metricEvent as? AVMetricDownloadSummaryEvent else { return }
        metrics.withLock { $0.append(summary) }
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let name = task.taskDescription.map { " \($0)" } ?? ""
        guard let error = error as NSError? else { return add("complete\(name)") }
        add("error\(name) \(error.domain) \(error.code)")
    }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { add("endOfEvents") }
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { add("invalid") }

    func makeSession(_ identifier: String = "films", discretionary: Bool = false) -> AVAssetDownloadURLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = discretionary
        return AVAssetDownloadURLSession(configuration: configuration, assetDownloadDelegate: self, delegateQueue: nil)
    }
}

extension AVAssetDownloadURLSession {
    /// Starts a download.
    @discardableResult
    func start(
        _ asset: AVURLAsset = AVURLAsset(url: film),
        name: String? = nil,
        configure: (AVAssetDownloadConfiguration) -> Void = { _ in }
    ) -> AVAssetDownloadTask {
        let configuration = AVAssetDownloadConfiguration(asset: asset, title: "A film")
        configure(configuration)
        let task = makeAssetDownloadTask(downloadConfiguration: configuration)
        task.taskDescription = name
        task.resume()
        return task
    }
}

extension NSError {
    static let refused = NSError(domain: "org.example.server", code: 403)
}
