import ContentKeySession
import HLSPlaylist

// The choice of the variant for the next segment, with the quality controller.

extension Player {
    /// Reads a segment; returns nil if another variant has to provide it.
    func read(
        _ segment: TimelineSegment,
        _ tracks: inout PlaybackTracks,
        _ index: Int,
        _ output: any MediaOutput,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) -> TrackReader.DecryptedSegment? {
        let watch = watch(segment, tracks, index, output)
        var fetcher = fetcher
        fetcher.minimumRetryTime = minimumRetryTime(tracks, index)
        do throws(PlayerError) {
            let decrypted = try await tracks.readers[index].read(segment, fetcher, keyRecipient, watch: watch)
            if index == 0, let variant = tracks.controller?.current {
                tracks.controller?.succeeded(variant)
                let played = decrypted.played
                tracks.controller?.measure(bytes: played.byteCount, duration: played.duration, of: variant)
            }
            return decrypted
        } catch {
            if let abandonment = watch?.abandonment {
                try await applyAbandonment(abandonment, &tracks, fetcher)
            } else {
                try leaveVariant(&tracks, index, because: error)
            }
            return nil
        }
    }

    /// Returns the time for which a segment is retried after errors of the server or the connection. A live stream
    /// without another variant continues as long as the buffer lasts and the playlist lists the segment.
    private func minimumRetryTime(_ tracks: PlaybackTracks, _ index: Int) -> Duration {
        guard let window = tracks.readers[index].liveWindow, index > 0 || !tracks.hasOtherVariant(now: clock.now) else {
            return .zero
        }
        return min(max(window, PlaybackTime.duration(buffer.total)), Self.maximumRetryTime)
    }

    /// The maximum time for which a segment is retried.
    private static let maximumRetryTime = Duration.seconds(60)

    /// Returns a monitor of a download, but only if the player can switch to another variant.
    private func watch(
        _ segment: TimelineSegment,
        _ tracks: PlaybackTracks,
        _ index: Int,
        _ output: any MediaOutput
    ) -> DownloadMonitor? {
        guard index == 0, canSwitch(tracks, output), let controller = tracks.controller else { return nil }
        return DownloadMonitor(controller, buffer: buffer, segmentDuration: segment.duration)
    }

    /// Continues with a lower variant, after an abandoned download.
    private func applyAbandonment(
        _ abandonment: DownloadMonitor.Abandonment,
        _ tracks: inout PlaybackTracks,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) {
        // The network has changed: only this download measures its current throughput.
        estimate = ThroughputEstimate()
        estimate.note(bytes: abandonment.received, duration: abandonment.elapsed)
        tracks.controller = abandonment.controller
        guard let variant = abandonment.decision.variant else { throw PlayerError(.nothingPlayable, tracks.base) }
        await sendEvents(buffer.timePassed(now: clock.now))
        await onEvent(.switched(abandonment.decision))
        do throws(PlayerError) {
            try await tracks.change(to: variant, fetcher)
        } catch {
            try exclude(variant, &tracks, because: error)
        }
    }

    private func canSwitch(_ tracks: PlaybackTracks, _ output: any MediaOutput) -> Bool {
        settings.isAdaptive && (output.supportsInitializationChanges || !tracks.readers[0].hasInitialization)
    }

    /// Excludes the main track's variant, so that playback continues with another one.
    ///
    /// - Throws: `error` if there is no other variant, or another variant would not help.
    func leaveVariant(_ tracks: inout PlaybackTracks, _ index: Int, because error: PlayerError) throws(PlayerError) {
        guard tracks.readers[index].kind == .main, let failure = VariantFailure(error),
            let variant = tracks.controller?.current
        else { throw error }
        try exclude(variant, failure, &tracks, because: error)
    }

    /// Excludes a variant whose playlist cannot be played.
    private func exclude(
        _ variant: Variant,
        _ tracks: inout PlaybackTracks,
        because error: PlayerError
    ) throws(PlayerError) {
        guard let failure = VariantFailure(error) else { throw error }
        try exclude(variant, failure, &tracks, because: error)
    }

    private func exclude(
        _ variant: Variant,
        _ failure: VariantFailure,
        _ tracks: inout PlaybackTracks,
        because error: PlayerError
    ) throws(PlayerError) {
        tracks.controller?.failed(variant, failure, now: clock.now)
        guard tracks.hasAlternative(now: clock.now) else { throw error }
    }

    /// Switches to another variant if it is better now, or if the current variant has failed.
    func chooseVariant(
        _ tracks: inout PlaybackTracks,
        _ output: any MediaOutput,
        _ fetcher: ResourceFetcher
    ) async throws(PlayerError) {
        while var controller = tracks.controller {
            let hasFailed = controller.current.map { current in
                controller.excludedVariants(now: clock.now).contains { $0.uri == current.uri }
            }
            guard canSwitch(tracks, output) || hasFailed == true else { return }
            // Before the first measurement there is no reason to change the first choice.
            guard estimate.isMeasured || hasFailed == true else { return }
            let throughput = estimate.isMeasured ? estimate.bitsPerSecond : settings.abilities.throughput ?? .max
            await sendEvents(buffer.timePassed(now: clock.now))
            let decision = controller.next(buffer: buffer.total, throughput: throughput, now: clock.now)
            tracks.controller = controller
            guard let variant = decision.variant else { throw PlayerError(.nothingPlayable, tracks.base) }
            guard decision.isSwitch else { return }
            await onEvent(.switched(decision))
            do throws(PlayerError) {
                return try await tracks.change(to: variant, fetcher)
            } catch {
                try exclude(variant, &tracks, because: error)
            }
        }
    }
}

extension VariantFailure {
    /// Nil for errors that another variant would not avoid.
    init?(_ error: PlayerError) {
        switch error.cause {
        case .load(let load):
            switch load.code {
            case .cancelled, .abandoned: return nil
            case .notFound, .status: self = .status(load.status ?? 404)
            case .noConnection, .deadline: self = .noResponse
            case .untrusted: self = .noResponse
            case .tooLarge, .badAddress, .wrongRange, .redirects, .encoding, .damaged: self = .unreadable
            }
        case .playlist, .notMedia, .media: self = .unreadable
        case .live: self = .stale
        case .key(let error) where error.code == .cancelled || error.code == .sessionExpired: return nil
        case .key, .noKeySystem: self = .keyRefused
        case .nothingPlayable, .nothingPlayed, .output: return nil
        }
    }
}
