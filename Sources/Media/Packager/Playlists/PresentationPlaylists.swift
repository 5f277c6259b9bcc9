import DRMSignaling
package import HLSPlaylist

/// The playlists of a presentation, as values and as files.
///
///     let playlists = try PresentationPlaylists(renditions, options: PlaylistOptions(job))
///     for file in try playlists.files() { write(file.bytes, to: file.path) }
package struct PresentationPlaylists: Sendable {
    /// A Media Playlist.
    package struct Media: Sendable {
        /// The path, relative to the presentation's folder.
        package var path: String
        /// The playlist.
        package var playlist: MediaPlaylist
        /// The bit rates in bits per second.
        var bitRate: BitRate
    }

    /// The Media Playlists, in the order of the renditions.
    package private(set) var media: [Media] = []
    /// The Multivariant Playlist.
    package private(set) var multivariant = MultivariantPlaylist()
    /// The path of the Multivariant Playlist.
    package let path: String

    /// Creates the playlists of renditions.
    ///
    /// - Parameters:
    ///   - renditions: The written renditions.
    ///   - options: The file names, and how keys are signaled.
    /// - Throws: ``JobFailure`` if the renditions cannot be combined; `SignalingError` if variants share a key that
    ///   they must not share.
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

    /// Returns the files of all playlists; the Multivariant Playlist is last, because it references the others.
    ///
    /// - Throws: `PlaylistError` if a value cannot be written.
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

        /// Sets the Target Durations of the playlists, and computes their bit rates.
        mutating func finish(_ common: UInt64) {
            let own = rendition.track.kind == .subtitles ? MediaPlaylist.targetDuration(of: [playlist]) : common
            playlist.setTargetDuration(own)
            bitRate = BitRate(
                zip(playlist.segments, rendition.segments).map { ($0.duration, $1.byteCount) },
                targetDuration: Double(own)
            )
            guard let frames = iFrames else { return }
            let target = MediaPlaylist.targetDuration(of: [frames])
            iFrames?.setTargetDuration(target)
            iFrameBitRate = BitRate(
                frames.segments.map { ($0.duration, Int(clamping: $0.byteRange?.length ?? 0)) },
                targetDuration: Double(target)
            )
        }
    }
}
