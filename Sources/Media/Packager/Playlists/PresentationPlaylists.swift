import DRMSignaling
package import HLSPlaylist

/// The playlists of a presentation, as values and as files.
///
///     let playlists = try PresentationPlaylists(renditions, options: PlaylistOptions(job))
///     for file in try playlists.files() { write(file.bytes, to: file.path) }
package struct PresentationPlaylists: Sendable {
    /// A Media Playlist.
    package struct Media: Sendable {
        /// Its path below the folder of the presentation.
        package var path: String
        /// The playlist.
        package var playlist: MediaPlaylist
        /// Its bit rates in bits per second.
        var bitRate: BitRate
    }

    /// The Media Playlists, in the order of the renditions.
    package private(set) var media: [Media] = []
    /// The Multivariant Playlist.
    package private(set) var multivariant = MultivariantPlaylist()
    /// The Multivariant Playlist's path.
    package let path: String

    /// Makes playlists of what was written.
    ///
    /// - Parameters:
    ///   - renditions: What was written.
    ///   - options: Names, and how keys are signaled.
    /// - Throws: ``JobFailure`` when renditions do not go together, `SignalingError` when variants that must not share
    ///   a key do.
    package init(_ renditions: [Rendition], options: PlaylistOptions) throws {
        path = options.names.multivariant
        try VariantProtection.check(renditions.map { VariantProtection.Subject($0) }, options)
        var playlists: [Draft] = []
        for rendition in renditions {
            let keys = try options.keys(of: rendition)
            playlists.append(
                Draft(
                    rendition: rendition,
                    keys: keys.all,
                    playlist: MediaPlaylist(rendition, keys: keys),
                    iFrames: options.names.iFrames == nil ? nil : MediaPlaylist(iFramesOf: rendition, keys: keys)
                )
            )
        }
        let common = MediaPlaylist.targetDuration(
            of: playlists.filter { $0.rendition.track.kind != .subtitles }.map(\.playlist)
        )
        for index in playlists.indices { playlists[index].finish(common) }
        for draft in playlists {
            let folder = draft.rendition.folder + "/"
            media.append(Media(path: folder + options.names.media, playlist: draft.playlist, bitRate: draft.bitRate))
            if let iFrames = draft.iFrames, let name = options.names.iFrames {
                media.append(Media(path: folder + name, playlist: iFrames, bitRate: draft.iFrameBitRate))
            }
        }
        multivariant = try MultivariantPlaylist(playlists, options)
    }

    /// All files, the Multivariant Playlist last: it names the others.
    ///
    /// - Throws: `PlaylistError` when a value cannot be written.
    package func files() throws(PlaylistError) -> [(path: String, bytes: [UInt8])] {
        var files: [(path: String, bytes: [UInt8])] = []
        for file in media { files.append((file.path, try file.playlist.write())) }
        files.append((path, try multivariant.write()))
        return files
    }

    /// A rendition with its playlists.
    struct Draft {
        let rendition: Rendition
        let keys: [KeyTag]
        var playlist: MediaPlaylist
        var iFrames: MediaPlaylist?
        var bitRate = BitRate.zero
        var iFrameBitRate = BitRate.zero

        init(rendition: Rendition, keys: [KeyTag], playlist: MediaPlaylist, iFrames: MediaPlaylist?) {
            self.rendition = rendition
            self.keys = keys
            self.playlist = playlist
            self.iFrames = iFrames
        }

        /// Gives the playlists their Target Durations, and measures them by these.
        mutating func finish(_ common: UInt64) {
            let own = rendition.track.kind == .subtitles ? MediaPlaylist.targetDuration(of: [playlist]) : common
            playlist.finish(targetDuration: own)
            bitRate = BitRate(
                zip(playlist.segments, rendition.segments).map { ($0.duration, $1.byteCount) },
                targetDuration: Double(own)
            )
            guard let frames = iFrames else { return }
            let target = MediaPlaylist.targetDuration(of: [frames])
            iFrames?.finish(targetDuration: target)
            iFrameBitRate = BitRate(
                frames.segments.map { ($0.duration, Int(clamping: $0.byteRange?.length ?? 0)) },
                targetDuration: Double(target)
            )
        }
    }
}
