import HLSPlaylist
import MediaDecryption

/// Reads one rendition: its Media Playlist, and its segments one after the other, decrypted.
struct TrackReader {
    let kind: ClearPiece.TrackKind
    /// The URL that its playlist is loaded from.
    let url: String
    private(set) var playlist: MediaPlaylist
    private var segments: [ResolvedSegment]
    private let base: String
    private var index: Int
    private var decryptor = RenditionDecryptor()
    private var initialization: ResolvedInitialization?
    /// The end of the last segment that was read, in seconds of media from where playback began.
    private(set) var position = 0.0

    /// One segment, clear.
    struct Clear {
        var initialization: [UInt8]?
        var bytes: [UInt8]
        var played: PlayedSegment
    }

    /// Starts at the beginning of a playlist that has ended, and three target durations before the end of one that has
    /// not (RFC 8216bis, 6.3.3).
    init(_ kind: ClearPiece.TrackKind, _ playlist: MediaPlaylist, url: String, base: String) throws(PlayerError) {
        (self.kind, self.playlist, self.url, self.base) = (kind, playlist, url, base)
        segments = try Self.resolved(playlist, url)
        index = 0
        guard !playlist.isEnded else { return }
        var left = Double(playlist.targetDuration) * 3
        index = segments.count
        while index > 0, left > 0 {
            index -= 1
            left -= segments[index].segment.duration
        }
    }

    private static func resolved(_ playlist: MediaPlaylist, _ url: String) throws(PlayerError) -> [ResolvedSegment] {
        do throws(PlaylistError) {
            return Array(try playlist.resolvedSegments())
        } catch {
            throw PlayerError(.playlist(error), url)
        }
    }

    /// Whether nothing follows, now or later.
    var isAtEnd: Bool { index >= segments.count && playlist.isEnded }
    /// Whether the next segment is known.
    var hasNext: Bool { index < segments.count }
    /// The next segment's length in seconds.
    var nextDuration: Double { hasNext ? segments[index].segment.duration : Double(playlist.targetDuration) }
    /// The next segment's media sequence number.
    var nextNumber: UInt64 { hasNext ? segments[index].mediaSequenceNumber : endNumber }
    private var endNumber: UInt64 {
        (segments.last?.mediaSequenceNumber).map { $0 &+ 1 } ?? playlist.mediaSequence ?? 0
    }

    /// Takes a newer version of the playlist.
    ///
    /// - Returns: how many segments are new, and how many that were to be played are gone.
    mutating func reload(_ newer: MediaPlaylist) throws(PlayerError) -> (new: Int, lost: UInt64) {
        let (next, end) = (nextNumber, endNumber)
        let whole: MediaPlaylist
        do throws(PlaylistError) {
            whole = try playlist.applying(newer)
        } catch {
            throw PlayerError(.playlist(error), url)
        }
        let newSegments = try Self.resolved(whole, url)
        guard (newSegments.last?.mediaSequenceNumber ?? end) &+ 1 >= end else {
            throw PlayerError(.live("its media sequence numbers went back"), url)
        }
        (playlist, segments) = (whole, newSegments)
        let first = segments.first?.mediaSequenceNumber ?? next
        let lost = first > next ? first - next : 0
        index = segments.firstIndex { $0.mediaSequenceNumber >= next } ?? segments.count
        return (segments.count { $0.mediaSequenceNumber >= end }, lost)
    }

    /// Goes on where another rendition of the same kind has stopped: at the same time of a playlist that has ended, at the
    /// same number of one that has not.
    mutating func seek(after other: TrackReader) {
        position = other.position
        if playlist.isEnded {
            // A tolerance of a tenth of a second: encoders round, and boundaries are meant to be the same.
            index = segments.firstIndex { $0.start >= other.segmentEnd - 0.1 } ?? segments.count
        } else {
            index = segments.firstIndex { $0.mediaSequenceNumber >= other.nextNumber } ?? segments.count
        }
    }

    /// Where the last segment that was read ends in its playlist, in seconds.
    private var segmentEnd: Double {
        guard index > 0, index <= segments.count else { return 0 }
        let last = segments[index - 1]
        return last.start + last.segment.duration
    }

    /// Passes over the next segment if it is not there (EXT-X-GAP).
    mutating func skipGap() -> Bool {
        guard hasNext, segments[index].segment.isGap else { return false }
        position += segments[index].segment.duration
        index += 1
        return true
    }

    /// Fetches and decrypts the next segment.
    nonisolated(nonsending) mutating func next(_ fetcher: ResourceFetcher, _ ring: KeyRing) async throws(PlayerError)
        -> Clear
    {
        let segment = segments[index]
        let uri = segment.segment.uri
        let address = try ResourceFetcher.resolve(uri, against: base)
        let keys = try await ring.keys(for: segment.keys, base: base)
        var newInitialization: [UInt8]?
        if let needed = segment.initialization, needed != initialization {
            newInitialization = try await load(needed, segment.keys, keys, fetcher, ring)
            initialization = needed
        }
        let (media, time) = try await fetcher.fetch(MediaResource(address, range: segment.byteRange))
        let clear: [UInt8]
        do {
            clear = try decryptor.decrypt(
                media.bytes,
                .init(keys: segment.keys, mediaSequenceNumber: segment.mediaSequenceNumber, name: uri),
                keys: keys
            )
        } catch {
            throw PlayerError(.media("\(error)"), address)
        }
        index += 1
        position += segment.segment.duration
        return Clear(
            initialization: newInitialization,
            bytes: clear,
            played: PlayedSegment(
                track: kind,
                mediaSequenceNumber: segment.mediaSequenceNumber,
                name: MediaLoadError.place(uri),
                duration: segment.segment.duration,
                byteCount: media.bytes.count,
                loadTime: time,
                isEncrypted: segment.keys.isEncrypted
            )
        )
    }

    /// Fetches an init segment; one under AES-128 is decrypted as a whole first (RFC 8216bis, 4.4.4.5).
    nonisolated(nonsending) private mutating func load(
        _ needed: ResolvedInitialization,
        _ segmentKeys: KeyContext,
        _ keys: DecryptionKeys,
        _ fetcher: ResourceFetcher,
        _ ring: KeyRing
    ) async throws(PlayerError) -> [UInt8] {
        let address = try ResourceFetcher.resolve(needed.map.uri, against: base)
        var bytes = try await fetcher.fetch(MediaResource(address, range: needed.byteRange)).media.bytes
        do {
            if let tags = PlaylistKey(needed.keys, subject: needed.map.uri), tags.method == .aes128 {
                let own = try await ring.keys(for: needed.keys, base: base)
                let key = try tags.key(in: own, mediaSequenceNumber: nil)
                bytes = try RenditionDecryptor.decryptWhole(bytes, key, name: needed.map.uri)
            }
            let tags = PlaylistKey(segmentKeys, subject: needed.map.uri)
            return try decryptor.initialize(bytes, key: tags?.key(byURIIn: keys))
        } catch let error as PlayerError {
            throw error
        } catch {
            throw PlayerError(.media("\(error)"), address)
        }
    }
}
