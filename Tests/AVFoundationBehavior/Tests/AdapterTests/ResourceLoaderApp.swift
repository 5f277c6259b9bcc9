import AVFoundationTesting
import ContentKeySession
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing

@testable import AVFoundation
@testable import ContentKeySessionAVFoundation

/// An app that plays with FairPlay keys through the resource loader.
@MainActor final class ResourceLoaderApp {
    let scene: AdapterScene
    let keys: ResourceLoaderKeySource
    let loader: KeyLoader
    var delegate: ResourceLoaderDelegate?
    let server: LoaderServer
    private let running: Task<Void, Never>?

    /// Creates an app.
    ///
    /// - Parameters:
    ///   - store: The store of persistent keys, which the app then uses for all keys.
    ///   - isRunning: False if the key loader never answers.
    init(
        _ scene: AdapterScene,
        store: (any PersistentKeyStore)? = nil,
        interceptor: (any ResourceInterceptor)? = nil,
        isRunning: Bool = true,
        _ configure: (inout KeyLoaderSettings) -> Void = { _ in }
    ) {
        let clock = scene.system.clock
        var settings = KeyLoaderSettings()
        settings.persistentKeys = store
        configure(&settings)
        self.scene = scene
        let keys = ResourceLoaderKeySource(settings, clock: clock, now: { clock.date })
        let server = LoaderServer(scene.server)
        let loader = KeyLoader(
            source: keys,
            service: scene.service.keys,
            transport: server,
            settings: settings,
            clock: clock,
            random: SeededNumbers(seed: 1)
        )
        (self.keys, self.loader, self.server) = (keys, loader, server)
        delegate = ResourceLoaderDelegate(keys: keys, interceptor: interceptor)
        running = isRunning ? Task { await loader.run() } : nil
    }

    deinit { running?.cancel() }

    /// Runs a test on the main actor in a new system.
    nonisolated static func run(
        isSimulator: Bool = false,
        _ test: @escaping @MainActor @Sendable (AdapterScene) async throws -> Void
    ) async throws {
        try await AdapterScene.run(switches: { $0.isSimulator = isSimulator }) { try await test($0) }
    }

    struct Playback {
        let asset: AVURLAsset
        let item: AVPlayerItem
        let player: AVPlayer
    }

    /// Plays a film with a new asset.
    func play(_ url: URL, preloads: Bool = false) -> Playback {
        let asset = AVURLAsset(url: url)
        delegate?.attach(to: asset, preloadsEligibleContentKeys: preloads)
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        return Playback(asset: asset, item: item, player: player)
    }

    /// Publishes a film with one key that plays for a long time.
    func film(_ key: String = "skd://film", name: String = "film") -> URL {
        let url = scene.publishFilm([key], name: name)
        scene.system.media.publish(.protected(key, duration: 100_000), at: url)
        return url
    }

    /// Plays a film until it plays.
    func playUntilReady(_ url: URL) async throws -> Playback {
        let playback = play(url)
        try await scene.until("it plays") { await playback.isReady }
        return playback
    }

    /// Waits until a number of keys was delivered, apart from renewals.
    func waitForKeys(_ count: Int) async throws {
        try await scene.until("\(count) keys are delivered") { [loader] in
            await loader.accessLog.entries.count { $0.kind == .onDemand } == count
        }
    }

    /// Plays a film until it fails, and returns the error.
    func playUntilFailure(_ url: URL) async throws -> NSError? {
        let playback = play(url)
        try await scene.until("it fails") { await playback.error != nil }
        return playback.error
    }
}

@MainActor extension ResourceLoaderApp.Playback {
    var isReady: Bool { item.status == .readyToPlay }
    var error: NSError? { item.error as NSError? }
    var numbers: [Int] { error.map(ResourceLoaderApp.numbers) ?? [] }
}

extension ResourceLoaderApp {
    /// The codes of an error and of its underlying errors.
    static func numbers(_ error: NSError) -> [Int] {
        [error.code] + ((error.userInfo[NSUnderlyingErrorKey] as? NSError).map(numbers) ?? [])
    }

    /// Makes a request of AVFoundation with any list of types. Returns it, and the error when it has finished.
    func makeRequest(
        _ address: String = "skd://film",
        allowedContentTypes: [String],
        isRenewal: Bool = false
    ) -> LoaderRequest {
        let key = StreamContent.Key(address)
        let subject = ResourceSubject(
            key: key,
            session: scene.device.beginSession(),
            allowedContentTypes: allowedContentTypes
        )
        let result = Lock<Result<Void, NSError>?>(nil)
        let completion: @Sendable (AVAssetResourceLoadingRequest, NSError?) -> Void = { _, error in
            result.withLock { $0 = error.map { .failure($0) } ?? .success(()) }
        }
        let url = URLRequest(url: URL(string: address) ?? scene.folder)
        let request =
            isRenewal
            ? AVAssetResourceRenewalRequest(subject, request: url, system: scene.system, completion: completion)
            : AVAssetResourceLoadingRequest(subject, request: url, system: scene.system, completion: completion)
        return LoaderRequest(object: request, result: result)
    }

    /// Passes a request to the delegate, which must accept it.
    func begin(_ request: LoaderRequest, of asset: AVURLAsset) {
        let isAccepted =
            if let renewal = request.object as? AVAssetResourceRenewalRequest {
                delegate?.resourceLoader(asset.resourceLoader, shouldWaitForRenewalOfRequestedResource: renewal)
            } else {
                delegate?.resourceLoader(
                    asset.resourceLoader,
                    shouldWaitForLoadingOfRequestedResource: request.object
                )
            }
        #expect(isAccepted == true)
    }
}

/// A request of AVFoundation, and its result.
struct LoaderRequest: @unchecked Sendable {
    // Used after the request has finished.
    let object: AVAssetResourceLoadingRequest
    let result: Lock<Result<Void, NSError>?>
    var isFinished: Bool { result.withLock { $0 != nil } }
    var error: NSError? {
        result.withLock { result in
            guard case .failure(let error)? = result else { return nil }
            return error
        }
    }
}

/// A connection to the key server that remembers the SPCs.
final class LoaderServer: KeyTransport {
    private let server: TestKeyServer
    private let spcs = Lock<[Data]>([])

    init(_ server: TestKeyServer) { self.server = server }

    /// The SPCs of the license requests.
    var requests: [Data] { spcs.withLock { $0 } }

    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        if let object = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any],
            let spc = (object["spc"] as? String).flatMap({ Data(base64Encoded: $0) })
        {
            spcs.withLock { $0.append(spc) }
        }
        return try await server.send(request)
    }
}
