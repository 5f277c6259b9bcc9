import HLSPlaylist
import MediaDecryption

/// A reader of one rendition: loads and reloads its Media Playlist, and loads and decrypts its segments in order.
struct TrackReader {
    /// A decrypted segment.
    struct DecryptedSegment {
        var initialization: [UInt8]?
        var bytes: [UInt8]
        var played: PlayedSegment
        /// The start of the segment, in seconds on the timeline.
        var start: Double
        /// The time of the successful attempt.
        var transfer: Duration
    }

    let kind: DecryptedPiece.TrackKind
    /// The URL of the playlist.
    private(set) var url: String
    /// The URL against which the playlist's URIs are resolved.
    private var base: String
    private(set) var timeline: SegmentTimeline
    private var live: LiveReload
    /// The next load of a live playlist, if any.
    private(set) var dueLoad: PlaylistLoad?
    private var decryptor = RenditionDecryptor()
    private var isIFrame: Bool
    private var initialization: ResolvedInitialization?
    /// The decrypted init segment that was returned last.
    private var lastInitialization: [UInt8]?
    /// The start of playback, on the timeline.
    private let origin: Double

    /// Creates a reader at the start of playback of a playlist.
    ///
    /// - Parameters:
    ///   - kind: The kind of track.
    ///   - loaded: The loaded playlist.
    ///   - began: The start of its load.
    ///   - start: EXT-X-START of the Multivariant Playlist.
    ///   - usesParts: Whether parts are played.
    ///   - now: The current time.
    init(
        _ kind: DecryptedPiece.TrackKind,
        _ loaded: ResourceFetcher.LoadedPlaylist,
        start: StartTag?,
        usesParts: Bool,
        began: Duration,
        now: Duration
    ) throws(PlayerError) {
        (self.kind, url, base) = (kind, loaded.asked, loaded.url)
        isIFrame = loaded.playlist.isIFramesOnly
        live = LiveReload(settings: LiveReloadSettings(waitsForParts: usesParts))
        timeline = try Self.timeline(loaded) { () throws(TimelineError) in
            try SegmentTimeline(loaded.playlist, start: start, usesParts: usesParts)
        }
        origin = timeline.nextTime
        for action in live.loaded(loaded.playlist, began: began, now: now) {
            if case .load(let load) = action { dueLoad = load }
        }
    }

    private static func timeline<Value>(
        _ loaded: ResourceFetcher.LoadedPlaylist,
        _ body: () throws(TimelineError) -> Value
    ) throws(PlayerError) -> Value {
        do throws(TimelineError) {
            return try body()
        } catch {
            throw PlayerError(.live("the playlist cannot be played: \(error)"), loaded.asked)
        }
    }

    /// The position of the next segment, in seconds of media since playback started.
    var position: Double { timeline.nextTime - origin }

    /// The duration of the segments that a live playlist lists; nil if the playlist has ended.
    var liveWindow: Duration? { dueLoad == nil ? nil : live.window }

    /// True if the segments have an init segment.
    var hasInitialization: Bool { initialization != nil }

    /// Returns the date of a position, in seconds on the timeline; nil without EXT-X-PROGRAM-DATE-TIME, or if the newest
    /// playlist has no segment near it.
    func date(at time: Double) -> PlaylistDate? {
        let segment = timeline.segment(at: time) ?? timeline.segments.first
        guard let segment, let date = segment.resolved.programDateTime else { return nil }
        return date.advanced(by: time - segment.start)
    }

    /// Returns the next step of playback.
    mutating func step() -> TimelineStep { timeline.next() }

    // MARK: Playlists

    /// Handles a reloaded live playlist.
    ///
    /// - Returns: The number of new segments, and notices for the log.
    mutating func reloaded(
        _ loaded: ResourceFetcher.LoadedPlaylist,
        began: Duration,
        now: Duration
    ) throws(PlayerError) -> (new: Int, notices: [LiveReloadNotice]) {
        base = loaded.url
        return try perform(live.loaded(loaded.playlist, began: began, now: now), loaded.asked)
    }

    /// Handles a failed reload of a live playlist.
    ///
    /// - Parameters:
    ///   - began: The start of the load.
    ///   - now: The current time.
    ///   - retryAfter: The delay before the next load that the server requires.
    mutating func reloadFailed(
        began: Duration,
        now: Duration,
        retryAfter: Duration? = nil
    ) throws(PlayerError) -> [LiveReloadNotice] {
        try perform(live.failed(began: began, now: now, retryAfter: retryAfter), url).notices
    }

    private mutating func perform(
        _ actions: [LiveReloadAction],
        _ url: String
    ) throws(PlayerError) -> (new: Int, notices: [LiveReloadNotice]) {
        var (new, notices): (Int, [LiveReloadNotice]) = (0, [])
        dueLoad = nil
        for action in actions {
            switch action {
            case .load(let load): dueLoad = load
            case .use(let playlist):
                let end = timeline.endNumber
                do throws(TimelineError) {
                    try timeline.update(playlist)
                } catch {
                    throw PlayerError(.live("the playlist cannot be played: \(error)"), url)
                }
                new = Int(clamping: timeline.endNumber > end ? timeline.endNumber - end : 0)
            case .restart(let playlist):
                do throws(TimelineError) {
                    try timeline.restart(with: playlist)
                } catch {
                    throw PlayerError(.live("the playlist cannot be played: \(error)"), url)
                }
                new = playlist.segments.count
                // The init segment of the new encoder can have the same name and different content.
                (decryptor, initialization) = (RenditionDecryptor(), nil)
            case .notice(let notice): notices.append(notice)
            case .ended: break
            case .failed(let notice): throw PlayerError(.live("the live playlist is no longer updated: \(notice)"), url)
            }
        }
        return (new, notices)
    }

    /// Switches to another rendition's playlist at the current position.
    mutating func change(to loaded: ResourceFetcher.LoadedPlaylist, began: Duration, now: Duration) throws(PlayerError)
    {
        var timeline = timeline
        try Self.timeline(loaded) { () throws(TimelineError) in try timeline.change(to: loaded.playlist) }
        self.timeline = timeline
        (url, base) = (loaded.asked, loaded.url)
        isIFrame = loaded.playlist.isIFramesOnly
        live = LiveReload(settings: live.settings)
        dueLoad = nil
        for action in live.loaded(loaded.playlist, began: began, now: now) {
            if case .load(let load) = action { dueLoad = load }
        }
        (decryptor, initialization, lastInitialization) = (RenditionDecryptor(), nil, nil)
    }

    // MARK: Segments

    /// Loads and decrypts a segment, and advances past it.
    ///
    /// - Parameters:
    ///   - next: The segment.
    ///   - fetcher: The loader with retries.
    ///   - keyRecipient: The recipient that provides keys.
    ///   - watch: The monitor that can abandon the segment's download.
    nonisolated(nonsending) mutating func read(
        _ next: TimelineSegment,
        _ fetcher: ResourceFetcher,
        _ keyRecipient: PlayerKeyRecipient,
        watch: DownloadMonitor? = nil
    ) async throws(PlayerError) -> DecryptedSegment {
        let segment = next.resolved
        let uri = next.uri
        let address = try ResourceFetcher.resolve(uri, against: base)
        let keys = try await keyRecipient.keys(for: segment.keys, base: base)
        var newInitialization: [UInt8]?
        if let needed = segment.initialization, needed != initialization {
            newInitialization = try await load(needed, segment.keys, keys, fetcher, keyRecipient)
        }
        let (media, time, transfer) = try await fetcher.fetch(
            MediaResource(address, range: next.byteRange),
            watch: watch
        )
        let clear: [UInt8]
        do {
            clear = try decryptor.decrypt(
                media.bytes,
                .init(
                    keys: segment.keys,
                    mediaSequenceNumber: segment.mediaSequenceNumber,
                    name: MediaLoadError.place(uri),
                    isIFrame: isIFrame
                ),
                keys: keys
            )
        } catch {
            throw Self.failure(error, uri, address)
        }
        timeline.advance(past: next)
        // Stored only now, because the init segment is returned together with its segment.
        if let bytes = newInitialization {
            initialization = segment.initialization
            // After a restart of the encoder, most outputs do not support another init segment.
            if bytes == lastInitialization { newInitialization = nil }
            lastInitialization = bytes
        }
        return DecryptedSegment(
            initialization: newInitialization,
            bytes: clear,
            played: PlayedSegment(
                track: kind,
                mediaSequenceNumber: segment.mediaSequenceNumber,
                part: next.part?.index,
                name: MediaLoadError.place(uri),
                duration: next.duration,
                byteCount: media.bytes.count,
                loadTime: time,
                isEncrypted: segment.keys.isEncrypted
            ),
            start: next.start,
            transfer: transfer
        )
    }

    /// Loads an init segment, and decrypts it first as a whole if it uses AES-128 (RFC 8216bis, 4.4.4.5).
    nonisolated(nonsending) private mutating func load(
        _ needed: ResolvedInitialization,
        _ segmentKeys: KeyContext,
        _ keys: DecryptionKeys,
        _ fetcher: ResourceFetcher,
        _ keyRecipient: PlayerKeyRecipient
    ) async throws(PlayerError) -> [UInt8] {
        let address = try ResourceFetcher.resolve(needed.map.uri, against: base)
        var bytes = try await fetcher.fetch(MediaResource(address, range: needed.byteRange)).media.bytes
        do {
            let name = MediaLoadError.place(needed.map.uri)
            // Some packagers encrypt only the segments. Encrypted bytes are not MP4.
            let isClear = MediaFileKind(bytes) == .mp4
            if !isClear, let tags = PlaylistKey(needed.keys, subject: name), tags.method == .aes128 {
                let own = try await keyRecipient.keys(for: needed.keys, base: base)
                let key = try tags.key(in: own, mediaSequenceNumber: nil)
                bytes = try RenditionDecryptor.decryptWhole(bytes, key, name: name)
            }
            let tags = PlaylistKey(segmentKeys, subject: name)
            let key = tags.flatMap { try? $0.key(in: keys, mediaSequenceNumber: nil) }
            return try decryptor.initialize(bytes, name: name, key: key)
        } catch let error as PlayerError {
            throw error
        } catch {
            throw Self.failure(error, needed.map.uri, address)
        }
    }

    /// Returns the error for media that cannot be played. The address in it replaces the name in `error`.
    private static func failure(_ error: any Error, _ uri: String, _ address: String) -> PlayerError {
        if let error = error as? DecryptionError, error.subject == MediaLoadError.place(uri) {
            return PlayerError(.media(error.reason), address)
        }
        return PlayerError(.media("\(error)"), address)
    }
}
