// The code of Sources/Media/HLSPlaylist/HLSPlaylist.docc and of docs/playlists.md. ArticleTests.swift checks that it is
// the same in both places, and runs it.

import HLSPlaylist

/// Sources/Media/HLSPlaylist/HLSPlaylist.docc/FromAPlaylistToItsKeys.md
enum KeyArticle {
    static func sessionKeys(in multivariant: MultivariantPlaylist) -> [KeyTag] {
        multivariant.sessionKeys.map(\.key).filter { $0.keyFormat == .fairPlay && $0.uri != nil }
    }

    static func media(_ bytes: [UInt8], from url: String, of main: MultivariantPlaylist) throws -> MediaPlaylist {
        let options = ParsingOptions(url: url, importedVariables: main.variables)
        return try MediaPlaylist(parsing: bytes, options: options)
    }

    struct NoUsableKey: Error {
        var mediaSequenceNumber: UInt64
    }

    /// Returns the keys of one key format that a playlist requires, without duplicates, in the order of first use.
    static func requiredKeys(of playlist: MediaPlaylist, _ keyFormat: KeyFormat) throws -> [KeyTag] {
        var required: [KeyTag] = []
        var known: Set<KeyTag> = []
        for segment in try playlist.resolvedSegments() where !segment.segment.isGap {
            // The initialization section comes first: it may have a different key, or none.
            for keys in [segment.initialization?.keys, segment.keys].compactMap({ $0 }) where keys.isEncrypted {
                guard let key = keys[keyFormat] else {
                    throw NoUsableKey(mediaSequenceNumber: segment.mediaSequenceNumber)
                }
                if known.insert(key).inserted { required.append(key) }
            }
        }
        return required
    }

    static func keyURL(_ key: KeyTag, in playlistURL: String) -> String? {
        key.uri.map { URIReference.resolve($0, against: playlistURL) }
    }

    struct Step: Equatable {
        var resource: String
        var key: String?
        var iv: [UInt8]?
    }

    /// Returns the resources of a playlist with identity keys in the order of loading, each with its key and vector.
    static func steps(of playlist: MediaPlaylist, at url: String) throws -> [Step] {
        var steps: [Step] = []
        var last: ResolvedInitialization?
        for segment in try playlist.resolvedSegments() where !segment.segment.isGap {
            if let section = segment.initialization, section != last {
                let key = section.keys[.identity]
                let location = key.flatMap { keyURL($0, in: url) }
                steps.append(Step(resource: section.map.uri, key: location, iv: key?.iv?.bytes))
                last = section
            }
            let key = segment.keys[.identity]
            let iv = key.flatMap { segment.initializationVector(for: $0) }
            let location = key.flatMap { keyURL($0, in: url) }
            steps.append(Step(resource: segment.segment.uri, key: location, iv: iv?.bytes))
        }
        return steps
    }

    /// Returns the updated playlist; nil when the update skips too much and the full playlist must be requested.
    static func reloaded(_ before: MediaPlaylist, with bytes: [UInt8]) throws -> MediaPlaylist? {
        let update = try MediaPlaylist(parsing: bytes)
        do {
            return try before.applying(update)
        } catch let error where error.rule == .skipNotInBase {
            return nil
        }
    }

    static func upcomingKeys(of playlist: MediaPlaylist) -> [KeyTag] {
        playlist.upcoming.keys.filter { $0.method != .none }
    }
}

/// docs/playlists.md
enum PlaylistDocument {
    static func describe(_ bytes: [UInt8], from url: String) throws -> String {
        switch try Playlist(parsing: bytes, options: ParsingOptions(url: url)) {
        case .multivariant(let playlist): return "\(playlist.variants.count) variants"
        case .media(let playlist): return "\(playlist.segments.count) segments, \(playlist.duration) seconds"
        }
    }

    static func readWhatCanBeRead(_ bytes: [UInt8]) throws -> MediaPlaylist? {
        let (playlist, diagnostics) = try Playlist.parseLeniently(bytes)
        for diagnostic in diagnostics { print(diagnostic) }
        guard case .media(let media) = playlist else { return nil }
        return media
    }

    static func check(_ bytes: [UInt8]) throws -> Playlist {
        try Playlist(strictlyParsing: bytes)
    }

    static func readFromAnywhere(_ bytes: [UInt8]) throws -> Playlist {
        var limits = PlaylistLimits()
        limits.bytes = 8 << 20
        limits.segments = 50_000
        return try Playlist(parsing: bytes, options: ParsingOptions(limits: limits))
    }

    static func fairPlayURIs(_ playlist: MediaPlaylist) throws -> Set<String> {
        var uris: Set<String> = []
        for segment in try playlist.resolvedSegments() {
            if let uri = segment.keys[.fairPlay]?.uri { uris.insert(uri) }
            if let uri = segment.initialization?.keys[.fairPlay]?.uri { uris.insert(uri) }
        }
        return uris
    }

    /// Returns the playlist with the URIs of downloaded files.
    static func localized(_ bytes: [UInt8], fileName: (String) -> String) throws -> [UInt8] {
        var playlist = try MediaPlaylist(parsing: bytes)
        for index in playlist.segments.indices {
            playlist.segments[index].uri = fileName(playlist.segments[index].uri)
            if var map = playlist.segments[index].map {
                map.uri = fileName(map.uri)
                playlist.segments[index].map = map
            }
        }
        return try playlist.write()
    }

    static func playlist(of segments: [(uri: String, seconds: Double)]) throws -> [UInt8] {
        var media = segments.map { MediaSegment(uri: $0.uri, duration: $0.seconds) }
        if !media.isEmpty {
            media[0].keys = [.fairPlay(uri: "skd://film-7/hd")]
            media[0].map = MapTag(uri: "init.mp4")
        }
        let longest = segments.map(\.seconds).max() ?? 0
        var playlist = MediaPlaylist(version: 6, targetDuration: UInt64(longest.rounded(.up)), segments: media)
        playlist.playlistType = .vod
        playlist.isEnded = true
        return try playlist.write()
    }

    static func clip(_ bytes: [UInt8], from first: Int, count: Int) throws -> [UInt8] {
        var playlist = try MediaPlaylist(parsing: bytes)
        try playlist.trim(to: first..<first + count)
        playlist.isEnded = true
        return try playlist.write()
    }

    static func addAdvertisement(_ ad: MediaPlaylist, from url: String, to film: inout MediaPlaylist) throws {
        let breaks = try film.resolvedSegments().filter { $0.start < 600 }.count
        try film.splice(ad, at: breaks, from: url)
    }

    static func next(_ bytes: [UInt8], after known: MediaPlaylist) throws -> MediaPlaylist {
        try known.applying(MediaPlaylist(parsing: bytes))
    }

    static func problems(in bytes: [UInt8], of url: String) throws -> [Diagnostic] {
        let file = try LintFile(name: url, bytes: bytes, options: ParsingOptions(url: url))
        return Linter(disabled: ["integer-duration"]).check(file).filter { $0.severity > .note }
    }

    static func problems(inPresentation url: String, load: (String) -> [UInt8]?) throws -> [LintFinding] {
        guard let bytes = load(url) else { return [] }
        let main = try LintFile(name: url, bytes: bytes, options: ParsingOptions(url: url))
        guard case .multivariant(let multivariant) = main.playlist else { return [] }
        return Linter().check(presentation: main) { uri in
            let options = ParsingOptions(url: uri, importedVariables: multivariant.variables)
            return load(uri).flatMap { try? LintFile(name: uri, bytes: $0, options: options) }
        }
    }

    static func problems(from before: [UInt8], to after: [UInt8]) throws -> [Diagnostic] {
        try Linter().check(
            reloadFrom: LintFile(name: "before", bytes: before),
            to: LintFile(name: "after", bytes: after)
        )
    }
}
