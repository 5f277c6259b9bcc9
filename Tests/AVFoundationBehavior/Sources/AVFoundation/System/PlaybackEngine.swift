import Foundation
import Locking

/// The playback of one item: its keys, its position by the system's clock, and its end.
package final class PlaybackEngine: Sendable {
    enum Status: Sendable, Equatable { case unknown, ready, failed }

    struct State: Sendable {
        var status = Status.unknown
        var error: NSError?
        var errors: [NSError] = []
        var content: ResolvedContent?
        var selection = StreamContent.Selection()
        var hasSelection = false
        /// The keys by URI and output.
        var keys: [KeyID: LoadedKey] = [:]
        var requested: Set<KeyID> = []
        var started: Set<KeyID> = []
        var isLoading = false
        var wantsToPlay = false
        /// The time at which the position was right; nil while playback does not proceed.
        var runningSince: SystemClock.Instant?
        var position = 0.0
        var timers: [UInt64] = []
        var isExternal = false
        var allowsExternal = true
        var usesExternalOnScreen = false
        var interstitial: PlayingInterstitial?
        var playedInterstitials = 0
        var hasEnded = false
        var isDetached = false
    }

    struct KeyID: Hashable, Sendable {
        var uri: String
        var route: OutputRoute
    }

    struct PlayingInterstitial: Sendable {
        var asset: AVURLAsset
        var content: StreamContent
        var endsAfter: Double
    }

    let asset: AVAsset
    let system: AppleSystem
    let metrics = MetricLog()
    /// The item, which is the object of notifications.
    let item = Weak(nil)
    let queue = DispatchQueue(label: "AVPlayerItem")
    let state = Lock(State())

    init(_ asset: AVAsset) {
        (self.asset, system) = (asset, asset.system)
        system.media.add(self)
        (asset as? AVURLAsset)?.resourceLoader.addUser(self)
    }

    deinit { stopKeys() }

    // MARK: What the player says

    /// Begins to load, because a player has the item.
    func load() {
        let begins = state.withLock { state in
            guard !state.isLoading, state.status == .unknown else { return false }
            state.isLoading = true
            return true
        }
        if begins { system.deliver(on: queue) { [self] in loadContent() } }
    }

    func play() {
        state.withLock { $0.wantsToPlay = true }
        load()
        system.deliver(on: queue) { [self] in proceed() }
    }

    func pause() {
        stop()
        state.withLock { $0.wantsToPlay = false }
    }

    /// The player let go of the item: its keys are not needed any more.
    func detach() {
        pause()
        state.withLock { $0.isDetached = true }
        stopKeys()
        (asset as? AVURLAsset)?.resourceLoader.cancelRequests()
    }

    func select(_ rendition: StreamContent.Rendition?, kind: StreamContent.Rendition.Kind) {
        state.withLock { state in
            state.selection[kind] = rendition
            state.hasSelection = true
        }
        system.deliver(on: queue) { [self] in proceed() }
    }

    func setExternal(allows: Bool? = nil, usesOnScreen: Bool? = nil) {
        state.withLock { state in
            state.allowsExternal = allows ?? state.allowsExternal
            state.usesExternalOnScreen = usesOnScreen ?? state.usesExternalOnScreen
        }
        routeDidChange()
    }

    // MARK: What others say

    /// The output has changed: keys for it are needed (rules 45 and 86).
    func routeDidChange() {
        let (route, isMirroring) = (system.media.route, system.media.isMirroring)
        state.withLock { state in
            // Rule 88.
            state.isExternal = state.allowsExternal && route != .local && (!isMirroring || state.usesExternalOnScreen)
        }
        system.deliver(on: queue) { [self] in proceed() }
    }

    /// A renewal replaced a key.
    func replaceKey(_ key: LoadedKey, for uri: String) {
        state.withLock { state in
            for id in state.keys.keys where id.uri == uri && id.route == route(state) {
                state.keys[id] = key
                state.started.remove(id)
            }
        }
        system.deliver(on: queue) { [self] in proceed() }
    }

    /// True if the item still needs a key.
    func uses(_ uri: String) -> Bool {
        state.withLock { state in
            !state.isDetached && !state.hasEnded && state.status != .failed
                && state.requested.contains { $0.uri == uri }
        }
    }

    // MARK: Loading

    private func loadContent() {
        do throws(NSError) {
            if let asset = asset as? AVURLAsset, !system.media.loadsItself(asset.url) {
                return loadPlaylist(of: asset)
            }
            try begin()
        } catch {
            fail(error)
        }
    }

    /// A URL with a scheme of the app: the resource loader's delegate provides the playlist.
    private func loadPlaylist(of asset: AVURLAsset) {
        asset.resourceLoader.load(asset.url, subject: ResourceSubject()) { [weak self] _, error in
            guard let self else { return }
            do throws(NSError) {
                if let error { throw error }
                try begin()
            } catch {
                fail(error)
            }
        }
    }

    private func begin() throws(NSError) {
        asset.markLoaded()
        let resolved = try asset.resolve()
        if resolved.package != nil {
            // Rule 119: some first starts of downloads fail.
            if system.media.takesOfflineFailure() { throw MediaErrors.offline }
        }
        state.withLock { state in
            state.content = resolved
            if !state.hasSelection {
                state.selection = resolved.package?.selections.first ?? resolved.content.automaticSelection
            }
        }
        if let asset = asset as? AVURLAsset { asset.resourceLoader.preload(resolved.content.sessionKeys) }
        proceed()
    }
}
