package import HLSPlaylist

/// A playlist that was rewritten so that the player requests its clear keys and its child playlists from the app.
///
/// | Contents | Rewritten as |
/// |---|---|
/// | playlists: variants, renditions, I-frame variants, rendition reports | an address of ``InterceptedAddresses/playlist(_:)`` |
/// | keys of the format `identity` (AES-128, Clear Key), session keys too | an address of ``InterceptedAddresses/key(_:)`` |
/// | segments, parts, hints, initialization sections, session data, steering | an absolute address |
/// | keys of another format, such as `skd://…` | unchanged |
/// | anything that is not an HTTP address | unchanged |
///
/// Every address becomes absolute, because the player would resolve a relative one against the address of the rewritten
/// playlist and so request every segment from the app. Lines without an address are unchanged, byte for byte.
package struct InterceptedPlaylist: Sendable {
    /// The rewritten playlist.
    package let bytes: [UInt8]
    /// The absolute addresses of the clear keys, in order, without duplicates.
    package let keys: [String]
    /// The absolute addresses of the child playlists, in order, without duplicates.
    package let playlists: [String]
    /// The values of the playlist's variables, for the child playlists.
    package let variables: [String: String]

    /// Rewrites a playlist.
    ///
    /// - Parameters:
    ///   - bytes: The playlist.
    ///   - url: The address of the playlist, after redirects.
    ///   - importedVariables: The variables of the Multivariant Playlist that refers to it.
    ///   - addresses: The address prefixes.
    /// - Throws: `PlaylistError` if the playlist has no `#EXTM3U`, exceeds a limit, or cannot be written.
    package init(
        rewriting bytes: [UInt8],
        url: String,
        importedVariables: [String: String]? = nil,
        addresses: InterceptedAddresses = .schemes
    ) throws(PlaylistError) {
        var rewriter = AddressRewriter(base: url, addresses: addresses)
        let options = ParsingOptions(url: url, importedVariables: importedVariables)
        // The player handles rule violations; only text that is not a playlist at all is rejected.
        switch try Playlist(parsing: bytes, options: options) {
        case .media(var media):
            rewriter.rewrite(&media)
            self.bytes = try media.write()
            variables = media.variables
        case .multivariant(var multivariant):
            rewriter.rewrite(&multivariant)
            self.bytes = try multivariant.write()
            variables = multivariant.variables
        }
        keys = rewriter.keys
        playlists = rewriter.playlists
    }
}

/// Rewrites the addresses of one playlist and records them.
private struct AddressRewriter {
    let base: String
    let addresses: InterceptedAddresses
    private(set) var keys: [String] = []
    private(set) var playlists: [String] = []
    private var seen: Set<String> = []

    init(base: String, addresses: InterceptedAddresses) { (self.base, self.addresses) = (base, addresses) }

    mutating func rewrite(_ playlist: inout MultivariantPlaylist) {
        for index in playlist.variants.indices { lead(&playlist.variants[index].uri) }
        for index in playlist.iFrameVariants.indices { lead(&playlist.iFrameVariants[index].uri) }
        for index in playlist.renditions.indices {
            playlist.renditions[index].uri = leading(playlist.renditions[index].uri)
        }
        for index in playlist.sessionKeys.indices { rewrite(&playlist.sessionKeys[index].key) }
        for index in playlist.sessionData.indices {
            playlist.sessionData[index].uri = playlist.sessionData[index].uri.map(absolute)
        }
        if let server = playlist.contentSteering?.serverURI {
            playlist.contentSteering?.serverURI = absolute(server)
        }
    }

    mutating func rewrite(_ playlist: inout MediaPlaylist) {
        for index in playlist.segments.indices {
            playlist.segments[index].uri = absolute(playlist.segments[index].uri)
            if !playlist.segments[index].tags.isEmpty { rewrite(&playlist.segments[index].tags) }
        }
        rewrite(&playlist.upcoming.tags)
        for index in playlist.preloadHints.indices {
            playlist.preloadHints[index].uri = absolute(playlist.preloadHints[index].uri)
        }
        for index in playlist.renditionReports.indices { lead(&playlist.renditionReports[index].uri) }
    }

    private mutating func rewrite(_ tags: inout [SegmentTag]) {
        for index in tags.indices {
            switch tags[index] {
            case .key(var key):
                rewrite(&key)
                tags[index] = .key(key)
            case .map(var map):
                map.uri = absolute(map.uri)
                tags[index] = .map(map)
            case .part(var part):
                part.uri = absolute(part.uri)
                tags[index] = .part(part)
            case .bitrate, .dateRange, .other: break
            }
        }
    }

    private mutating func rewrite(_ key: inout KeyTag) {
        guard key.method != .none, key.keyFormat == .identity, let uri = key.uri else { return }
        let url = absolute(uri)
        guard InterceptedAddresses.isOverHTTP(url) else { return }
        if seen.insert(addresses.key(url)).inserted { keys.append(url) }
        key.uri = addresses.key(url)
    }

    private mutating func lead(_ uri: inout String) { uri = leading(uri) ?? uri }

    private mutating func leading(_ uri: String?) -> String? {
        guard let uri else { return nil }
        let url = absolute(uri)
        guard InterceptedAddresses.isOverHTTP(url) else { return uri }
        if seen.insert(addresses.playlist(url)).inserted { playlists.append(url) }
        return addresses.playlist(url)
    }

    private func absolute(_ uri: String) -> String { URIReference.resolve(uri, against: base) }
}
