import Foundation
import Locking

extension PlaybackEngine {
    /// The output for which keys are needed.
    func route(_ state: State) -> OutputRoute { state.isExternal ? system.media.route : .local }

    /// Continues as far as the keys allow. Runs on the queue.
    func proceed() {
        updatePosition()
        guard let needs = needs() else { return }
        for need in needs.missing { request(need, asset: needs.asset) }
        if let missing = needs.unavailable { return fail(missing) }
        guard needs.areLoaded else { return stop() }
        state.withLock { state in
            if state.status == .unknown { state.status = .ready }
        }
        guard state.withLock({ $0.wantsToPlay }) else { return }
        start(needs)
    }

    struct Needs: Sendable {
        var asset: AVURLAsset
        var keys: [StreamContent.Key] = []
        var missing: [StreamContent.Key] = []
        var areLoaded = false
        var route = OutputRoute.local
        var unavailable: NSError?
    }

    /// The keys that the position needs; nil if nothing can play.
    private func needs() -> Needs? {
        let network = system.media.network
        return state.withLock { state in
            guard let resolved = state.content, state.status != .failed, !state.isDetached, !state.hasEnded,
                let asset = state.interstitial?.asset ?? self.asset as? AVURLAsset
            else { return nil }
            let position = state.interstitial == nil ? state.position : 0
            let content = state.interstitial?.content ?? resolved.content
            let selection = state.interstitial == nil ? state.selection : content.automaticSelection
            var needs = Needs(asset: asset, route: route(state))
            let variant = state.interstitial == nil ? resolved.playedVariant : content.variants.first
            needs.keys = content.keys(variant, [selection]).filter { $0.isNeeded(at: position) }
            let ids = needs.keys.map { KeyID(uri: $0.uri, route: needs.route) }
            // A package contains the keys that the system fetched for it.
            for (key, id) in zip(needs.keys, ids) where key.method == .aes128 {
                if let stored = resolved.package?.keys[key.uri] { state.keys[id] = .clear(stored) }
            }
            for (key, id) in zip(needs.keys, ids) where state.keys[id] == nil {
                if state.requested.insert(id).inserted { needs.missing.append(key) }
            }
            needs.areLoaded = ids.allSatisfy { state.keys[$0] != nil }
            // Rule 119: what was not downloaded comes from the network.
            if let package = resolved.package, network == .offline,
                !package.isComplete || selection.all.contains(where: { !package.contains($0) })
            {
                needs.unavailable = MediaErrors.offline
            }
            return needs
        }
    }

    private func request(_ key: StreamContent.Key, asset needing: AVURLAsset) {
        guard let owner = asset as? AVURLAsset else { return }
        let id = KeyID(uri: key.uri, route: state.withLock { route($0) })
        let source = AssetKeySource(asset: needing, owner: owner)
        addMetric(key, isClientInitiated: source.isClientInitiated(key))
        source.need(key, route: id.route) { [weak self] result in
            guard let self else { return }
            system.deliver(on: queue) { self.received(result, id) }
        }
    }

    private func received(_ result: Result<LoadedKey, NSError>, _ id: KeyID) {
        switch result {
        case .failure(let error):
            state.withLock { _ = $0.requested.remove(id) }
            // A failed key of another output does not matter after the output changed back.
            if state.withLock({ route($0) }) == id.route { fail(error) }
        case .success(let key):
            state.withLock { $0.keys[id] = key }
            proceed()
        }
    }

    /// Plays, with the keys that the position needs.
    private func start(_ needs: Needs) {
        guard let owner = asset as? AVURLAsset else { return }
        let source = AssetKeySource(asset: needs.asset, owner: owner)
        for key in needs.keys {
            do throws(NSError) {
                try start(key, needs.route, source)
            } catch {
                return fail(error)
            }
        }
        state.withLock { state in
            if state.runningSince == nil { state.runningSince = system.clock.now }
        }
        scheduleBoundaries(needs)
    }

    /// Starts to play with a key, or goes on with it.
    private func start(_ key: StreamContent.Key, _ route: OutputRoute, _ source: AssetKeySource) throws(NSError) {
        let id = KeyID(uri: key.uri, route: route)
        let (loaded, isNew) = state.withLock { ($0.keys[id], $0.started.insert(id).inserted) }
        guard let loaded else { return }
        // Rule 60: a key past its end is refused at the start. Rule 58: the first start may replace it.
        if isNew { try source.startPlaying(loaded, for: key) }
        guard case .fairPlay(let current) = loaded else { return }
        do throws(NSError) {
            try current.checkDecryption()
        } catch {
            // Rule 51: the lease has ended, unless its session has renewed it.
            guard case .fairPlay(let renewed)? = source.loadedKey(key, route: route), renewed !== current else {
                throw error
            }
            state.withLock { state in
                state.keys[id] = .fairPlay(renewed)
                state.started.remove(id)
            }
            current.stopPlaying()
            try start(key, route, source)
        }
    }

    /// Runs ``proceed()`` when other keys are needed, a lease ends, an interstitial begins or the end is reached.
    private func scheduleBoundaries(_ needs: Needs) {
        cancelTimers()
        let now = system.clock.now
        var delays: [Double] = []
        state.withLock { state in
            guard let content = state.content?.content else { return }
            if let interstitial = state.interstitial {
                delays.append(interstitial.endsAfter)
            } else {
                let boundaries =
                    content.keys(state.content?.playedVariant, [state.selection])
                    .flatMap { key in key.range.map { [$0.lowerBound, $0.upperBound] } ?? [] }
                    + content.interstitials.map(\.start) + (content.duration.map { [$0] } ?? [])
                delays += boundaries.map { $0 - state.position }.filter { $0 > 0 }
            }
            for key in needs.keys {
                let loaded = state.keys[KeyID(uri: key.uri, route: needs.route)]
                // Rule 51: a lease that is not renewed stops playback at its end. The end of a rental does not.
                if case .fairPlay(let key)? = loaded, let end = key.leaseEnd {
                    let left = Double(end) - now.date.timeIntervalSince1970
                    // The device decides whether the last second is part of the lease.
                    delays.append(left > 0 ? left : 1)
                }
            }
        }
        guard let next = delays.min() else { return }
        let timer = system.clock.schedule(after: .seconds(next)) { [weak self] in
            guard let self else { return }
            system.deliver(on: queue) { self.proceed() }
        }
        state.withLock { $0.timers.append(timer) }
    }

    /// Moves the position to the present, begins and ends interstitials, and ends playback at the end.
    private func updatePosition() {
        let now = system.clock.now
        let hasEnded = state.withLock { state in
            guard let since = state.runningSince, let content = state.content?.content else { return false }
            let elapsed = since.duration(to: now) / .seconds(1)
            state.runningSince = now
            if let interstitial = state.interstitial {
                state.interstitial?.endsAfter = interstitial.endsAfter - elapsed
                if interstitial.endsAfter <= elapsed { state.interstitial = nil }
                return false
            }
            state.position += elapsed
            if state.playedInterstitials < content.interstitials.count {
                let next = content.interstitials[state.playedInterstitials]
                if next.start <= state.position, let played = try? system.media.resolve(next.url) {
                    state.playedInterstitials += 1
                    state.interstitial = PlayingInterstitial(
                        asset: AppleSystem.$current.withValue(system) { AVURLAsset(url: next.url) },
                        content: played.content,
                        endsAfter: played.content.duration ?? 0
                    )
                }
            }
            guard let duration = content.duration, state.position >= duration else { return false }
            state.position = duration
            state.hasEnded = true
            return true
        }
        guard hasEnded else { return }
        stop()
        stopKeys()
        post("AVPlayerItemDidPlayToEndTimeNotification")
    }

    func stop() {
        cancelTimers()
        updatePositionOnly()
        state.withLock { $0.runningSince = nil }
    }

    private func updatePositionOnly() {
        let now = system.clock.now
        state.withLock { state in
            guard let since = state.runningSince, state.interstitial == nil else { return }
            state.position += since.duration(to: now) / .seconds(1)
            state.runningSince = now
        }
    }

    func fail(_ error: NSError) {
        let wasRunning = state.withLock { $0.runningSince != nil }
        stop()
        state.withLock { state in
            guard state.status != .failed else { return }
            (state.status, state.error) = (.failed, error)
            state.errors.append(error)
        }
        stopKeys()
        guard wasRunning else { return }
        post("AVPlayerItemFailedToPlayToEndTimeNotification", ["AVPlayerItemFailedToPlayToEndTimeErrorKey": error])
    }

    private func post(_ name: String, _ userInfo: [String: any Sendable]? = nil) {
        guard let item = item.object else { return }
        NotificationCenter.default.post(name: Notification.Name(name), object: item, userInfo: userInfo)
    }

    func stopKeys() {
        let keys = state.withLock { state in
            defer { state.started = [] }
            return state.started.compactMap { state.keys[$0] }
        }
        for case .fairPlay(let key) in keys { key.stopPlaying() }
    }

    func cancelTimers() {
        for timer in state.withLock({ state in
            defer { state.timers = [] }
            return state.timers
        }) {
            system.clock.cancel(timer)
        }
    }

    private func addMetric(_ key: StreamContent.Key, isClientInitiated: Bool) {
        guard #available(iOS 18, macOS 15, tvOS 18, visionOS 2, *) else { return }
        metrics.add(contentKeyRequestOf: key, isClientInitiated: isClientInitiated, system: system)
    }
}

extension MetricLog {
    /// Adds the event of a key that the player needs, which the app may have requested before (rule 123).
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    fileprivate func add(contentKeyRequestOf key: StreamContent.Key, isClientInitiated: Bool, system: AppleSystem) {
        let specifier = AVContentKeySpecifier(
            forKeySystem: key.method == .fairPlay ? .fairPlayStreaming : .clearKey,
            identifier: key.uri
        )
        add(
            AVMetricContentKeyRequestEvent(
                specifier,
                mediaType: .video,
                isClientInitiated: isClientInitiated,
                request: AVMetricMediaResourceRequestEvent(url: URL(string: key.uri), date: system.clock.date),
                date: system.clock.date
            )
        )
    }
}
