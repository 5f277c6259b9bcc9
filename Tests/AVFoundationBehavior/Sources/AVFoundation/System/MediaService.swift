package import Foundation
import Locking

/// The servers, the network and the outputs that players and downloads use.
package final class MediaService: Sendable {
    /// The network of the device.
    package enum Network: Sendable { case wiFi, cellular, constrained, offline }

    private struct State {
        var contents: [URL: StreamContent] = [:]
        var keys: [String: Data] = [:]
        var fetchedKeys: [String] = []
        var network = Network.wiFi
        var route = OutputRoute.local
        var isMirroring = false
        var failures = 0
        var engines: [WeakReference<PlaybackEngine>] = []
        var log: [String] = []
    }
    private let state = Lock(State())
    private let keySource = Lock<(any KeySource)?>(nil)

    // MARK: Servers

    /// Publishes a presentation at a URL; nil removes it.
    package func publish(_ content: StreamContent?, at url: URL) { state.withLock { $0.contents[url] = content } }

    /// Publishes an AES-128 key, 16 bytes, at an https URI (rule 90).
    package func publish(key: Data, at uri: String) { state.withLock { $0.keys[uri] = key } }

    /// The URIs of the keys that the system fetched from the network.
    package var fetchedKeys: [String] { state.withLock { $0.fetchedKeys } }

    /// Fetches an AES-128 key.
    func fetchKey(_ uri: String) throws(NSError) -> Data {
        let (network, key): (Network, Data?) = state.withLock { state in
            if state.network != .offline { state.fetchedKeys.append(uri) }
            return (state.network, state.keys[uri])
        }
        if network == .offline { throw MediaErrors.offline }
        guard let key else { throw MediaErrors.notFound }
        return key
    }

    // MARK: The network

    package var network: Network { state.withLock { $0.network } }

    /// Fails the next starts of downloaded packages with -1009, as seen in the field (rule 119).
    package func failOfflineStarts(_ count: Int) { state.withLock { $0.failures = count } }

    func takesOfflineFailure() -> Bool {
        state.withLock { state in
            guard state.failures > 0 else { return false }
            state.failures -= 1
            return true
        }
    }

    /// Sets the network. Use ``AppleSystem/setNetwork(_:)``, which also continues downloads.
    func setNetwork(_ network: Network) { state.withLock { $0.network = network } }

    /// The presentation at a URL of the network.
    func remoteContent(_ url: URL) throws(NSError) -> StreamContent {
        let (network, content) = state.withLock { ($0.network, $0.contents[url]) }
        if network == .offline { throw MediaErrors.offline }
        guard let content else { throw MediaErrors.notFound }
        return content
    }

    // MARK: Outputs

    package var route: OutputRoute { state.withLock { $0.route } }
    var isMirroring: Bool { state.withLock { $0.isMirroring } }

    /// Changes the output of all players, which then need keys for it (rules 45 and 86).
    ///
    /// - Parameter mirroring: The external screen shows the device's screen, unless the player sets
    ///   `usesExternalPlaybackWhileExternalScreenIsActive` (rule 88).
    package func setRoute(_ route: OutputRoute, mirroring: Bool = false) {
        let engines = state.withLock { state in
            (state.route, state.isMirroring) = (route, mirroring)
            return state.engines.compactMap(\.object)
        }
        for engine in engines { engine.routeDidChange() }
    }

    func add(_ engine: PlaybackEngine) {
        state.withLock { state in
            state.engines.removeAll { $0.object == nil }
            state.engines.append(WeakReference(engine))
        }
    }

    /// The process has ended, and with it all playback.
    func endProcess() {
        for engine in state.withLock({ state in
            defer { state.engines = [] }
            return state.engines.compactMap(\.object)
        }) {
            engine.detach()
        }
    }

    // MARK: Keys

    /// The source of keys in place of the assets' key sessions, for tests of players without key sessions.
    package func setKeySource(_ source: (any KeySource)?) { keySource.withLock { $0 = source } }
    var customKeySource: (any KeySource)? { keySource.withLock { $0 } }

    // MARK: The log

    /// The lines that the system logged, for example about a second `finishLoading` (rule 96).
    package var log: [String] { state.withLock { $0.log } }
    func log(_ line: String) { state.withLock { $0.log.append(line) } }
}

/// The part of a key session that players and downloads use.
package protocol KeySource: Sendable {
    /// Gets a key: see ``AVContentKeySession/needKey(_:for:completion:)``.
    func needKey(
        _ need: KeyNeed,
        for recipient: any AVContentKeyRecipient,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    )
    /// Returns the key that is loaded now, also if it has ended; nil without one.
    func loadedKey(_ uri: String, route: OutputRoute) -> LoadedKey?
    /// Starts playback: see ``AVContentKeySession/startPlaying(_:for:)``.
    func startPlaying(_ key: LoadedKey, for uri: String) throws(NSError)
}

/// The errors of the network and the player: the numbers of the reference's table.
enum MediaErrors {
    static let offline = NSError(domain: NSURLErrorDomain, code: NSURLErrorNotConnectedToInternet)
    static let unsupportedURL = NSError(domain: NSURLErrorDomain, code: NSURLErrorUnsupportedURL)
    static let cancelled = NSError(domain: NSURLErrorDomain, code: NSURLErrorCancelled)
    /// HTTP 404: content unavailable, over CoreMedia's number for it.
    static let notFound = NSError(
        domain: AVFoundationErrorDomain,
        code: -11863,
        userInfo: [NSUnderlyingErrorKey: NSError(domain: "CoreMediaErrorDomain", code: -12938)]
    )
    /// A package that is not complete, or was purged.
    static let notAvailable = NSError(domain: AVFoundationErrorDomain, code: -11867)
    /// The error of a FairPlay number: AVFoundation -11800 over it (rule 14).
    static func fairPlay(_ underlying: NSError) -> NSError {
        NSError(domain: AVFoundationErrorDomain, code: -11800, userInfo: [NSUnderlyingErrorKey: underlying])
    }
}

/// The networks that an asset or a session may use (rule 116).
struct NetworkAccess: Hashable, Sendable {
    var cellular = true
    var expensive = true
    var constrained = true

    func allows(_ network: MediaService.Network) -> Bool {
        switch network {
        case .wiFi: true
        case .cellular: cellular && expensive
        case .constrained: constrained
        case .offline: false
        }
    }
}

/// The presentation or package at a URL.
struct ResolvedContent: Sendable {
    var content: StreamContent
    /// The package, if the URL is that of a download.
    var package: DownloadPackage?

    /// The variant that plays: the downloaded one, otherwise the first.
    var playedVariant: StreamContent.Variant? { package?.variants.first ?? content.variants.first }
}

extension MediaService {
    /// True for URLs that the system loads without the resource loader's delegate.
    func loadsItself(_ url: URL) -> Bool { url.isFileURL || ["http", "https"].contains(url.scheme?.lowercased()) }
}

extension AppleSystem {
    /// Changes the network of the device.
    package func setNetwork(_ network: MediaService.Network) {
        media.setNetwork(network)
        downloads.proceedAll()
    }
}
