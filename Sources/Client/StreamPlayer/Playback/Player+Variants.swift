import ContentKeySession
import HLSPlaylist

// Which variant gives the next segment: the player's side of the quality controller.

extension Player {
    /// A segment, or nil when another variant has to give it.
    func read(
        _ segment: TimelineSegment,
        _ tracks: inout Tracks,
        _ index: Int,
        _ output: any MediaOutput,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) -> TrackReader.Clear? {
        let watch = watch(segment, tracks, index, output)
        do throws(PlayerError) {
            let clear = try await tracks.readers[index].read(segment, fetcher, ring, watch: watch)
            if index == 0, let variant = tracks.controller?.current { tracks.controller?.succeeded(variant) }
            return clear
        } catch {
            if let abandonment = watch?.abandonment {
                try await take(abandonment, &tracks, fetcher)
            } else {
                try leaveVariant(&tracks, index, because: error)
            }
            return nil
        }
    }

    /// Who watches a download: only where another variant may take its place.
    private func watch(
        _ segment: TimelineSegment,
        _ tracks: Tracks,
        _ index: Int,
        _ output: any MediaOutput
    ) -> DownloadWatch? {
        guard index == 0, maySwitch(tracks, output), let controller = tracks.controller else { return nil }
        return DownloadWatch(controller, buffer: buffer, segmentDuration: segment.duration)
    }

    /// Goes on with a lesser variant, after a download that took too long.
    private func take(
        _ abandonment: DownloadWatch.Abandonment,
        _ tracks: inout Tracks,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) {
        // The network is another one than before: only what came of this download says how slow it is.
        estimate = ThroughputEstimate()
        estimate.note(bytes: abandonment.received, duration: abandonment.elapsed)
        tracks.controller = abandonment.controller
        guard let variant = abandonment.decision.variant else { throw PlayerError(.nothingPlayable, tracks.base) }
        await show(buffer.timePassed(now: clock.now))
        await onEvent(.switched(abandonment.decision))
        do throws(PlayerError) {
            try await tracks.change(to: variant, fetcher)
        } catch {
            try setAside(variant, &tracks, because: error)
        }
    }

    private func maySwitch(_ tracks: Tracks, _ output: any MediaOutput) -> Bool {
        settings.isAdaptive && (output.takesNewInitializations || !tracks.readers[0].hasInitialization)
    }

    /// Sets the main track's variant aside, so that another one goes on.
    ///
    /// - Throws: `error` where there is no other one, or none that would be better.
    func leaveVariant(_ tracks: inout Tracks, _ index: Int, because error: PlayerError) throws(PlayerError) {
        guard tracks.readers[index].kind == .main, let failure = VariantFailure(error),
            let variant = tracks.controller?.current
        else { throw error }
        try setAside(variant, failure, &tracks, because: error)
    }

    /// Sets a variant aside whose playlist cannot be played.
    private func setAside(
        _ variant: Variant,
        _ tracks: inout Tracks,
        because error: PlayerError
    ) throws(PlayerError) {
        guard let failure = VariantFailure(error) else { throw error }
        try setAside(variant, failure, &tracks, because: error)
    }

    private func setAside(
        _ variant: Variant,
        _ failure: VariantFailure,
        _ tracks: inout Tracks,
        because error: PlayerError
    ) throws(PlayerError) {
        tracks.controller?.failed(variant, failure, now: clock.now)
        guard tracks.hasAlternative(now: clock.now) else { throw error }
    }

    /// Goes over to another variant if that is better now, or the one that plays has failed.
    func chooseVariant(
        _ tracks: inout Tracks,
        _ output: any MediaOutput,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) {
        while var controller = tracks.controller {
            let hasFailed = controller.current.map { current in
                controller.setAside(now: clock.now).contains { $0.uri == current.uri }
            }
            guard maySwitch(tracks, output) || hasFailed == true else { return }
            // Before anything was measured there is nothing to say against the first choice.
            guard estimate.isMeasured || hasFailed == true else { return }
            let throughput = estimate.isMeasured ? estimate.bitsPerSecond : settings.abilities.throughput ?? .max
            await show(buffer.timePassed(now: clock.now))
            let decision = controller.next(buffer: buffer.total, throughput: throughput, now: clock.now)
            tracks.controller = controller
            guard let variant = decision.variant else { throw PlayerError(.nothingPlayable, tracks.base) }
            guard decision.isSwitch else { return }
            await onEvent(.switched(decision))
            do throws(PlayerError) {
                return try await tracks.change(to: variant, fetcher)
            } catch {
                try setAside(variant, &tracks, because: error)
            }
        }
    }
}

extension VariantFailure {
    /// Nil for what no other variant makes better.
    init?(_ error: PlayerError) {
        switch error.cause {
        case .load(let load):
            switch load.code {
            case .cancelled, .abandoned: return nil
            case .notFound, .status: self = .status(load.status ?? 404)
            case .noConnection, .deadline: self = .noAnswer
            case .tooLarge, .badAddress, .wrongRange: self = .unreadable
            }
        case .playlist, .notMedia, .media: self = .unreadable
        case .live: self = .stale
        case .key(let error) where error.code == .cancelled || error.code == .sessionExpired: return nil
        case .key, .noKeySystem: self = .keyRefused
        case .nothingPlayable, .output: return nil
        }
    }
}
