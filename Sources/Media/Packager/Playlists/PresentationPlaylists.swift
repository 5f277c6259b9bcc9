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
        let drafts = renditions.map { VODPlaylists($0, hasIFrames: options.names.iFrames != nil) }
        let common = MediaPlaylist.targetDuration(of: drafts.filter { !$0.isText }.map(\.media))
        let finished = drafts.map { $0.finished(common, options.names) }
        media = finished.flatMap(\.files)
        multivariant = try MultivariantPlaylist(finished.map(\.draft), options)
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

    /// A rendition for the Multivariant Playlist.
    struct Draft {
        let rendition: Rendition
        /// The keys of its segments.
        let keys: [KeyTag]
        /// The bit rate of its segments.
        let bitRate: BitRate
        /// The bit rate of its I-frame playlist; nil if there is none.
        let iFrameBitRate: BitRate?
    }
}

/// The playlists of a VOD rendition: those of an event that has ended.
private struct VODPlaylists {
    private let rendition: Rendition
    private var segments: RenditionPlaylist
    private var frames: RenditionPlaylist
    /// The Media Playlist and the I-frame playlist, if there are I-frames, without Target Durations.
    private(set) var media: MediaPlaylist
    private var iFrames: MediaPlaylist?

    /// True for subtitles.
    var isText: Bool { rendition.track.kind == .subtitles }

    init(_ rendition: Rendition, hasIFrames: Bool) {
        self.rendition = rendition
        let (kind, hasClearMap) = (rendition.track.kind, rendition.protection?.scheme == .aes128)
        segments = RenditionPlaylist(.vod, hasClearMap: hasClearMap, hasBitRates: kind != .subtitles)
        frames = RenditionPlaylist(.vod, isIFramesOnly: true, hasClearMap: hasClearMap)
        for segment in rendition.leadingGapSegments + rendition.segments {
            segments.append(segment)
            if kind == .video, hasIFrames { frames.appendKeyFrames(of: segment) }
        }
        segments.end()
        frames.end()
        media = segments.playlist()
        iFrames = frames.segments.isEmpty ? nil : frames.playlist()
    }

    /// Returns the playlists with their Target Durations and bit rates.
    ///
    /// - Parameter common: The Target Duration of all Media Playlists except subtitles, in seconds.
    func finished(
        _ common: UInt64,
        _ names: PackagingJob.FileNames
    ) -> (draft: PresentationPlaylists.Draft, files: [PresentationPlaylists.Media]) {
        var (media, iFrames) = (media, iFrames)
        let target = isText ? MediaPlaylist.targetDuration(of: [media]) : common
        media.setTargetDuration(target)
        let bitRate = segments.bitRate(targetDuration: target)
        let folder = rendition.folder + "/"
        var files = [PresentationPlaylists.Media(path: folder + names.media, playlist: media, bitRate: bitRate)]
        var iFrameBitRate: BitRate?
        if let list = iFrames, let name = names.iFrames {
            let target = MediaPlaylist.targetDuration(of: [list])
            iFrames?.setTargetDuration(target)
            let rate = frames.bitRate(targetDuration: target)
            iFrameBitRate = rate
            files.append(PresentationPlaylists.Media(path: folder + name, playlist: iFrames ?? list, bitRate: rate))
        }
        let draft = PresentationPlaylists.Draft(
            rendition: rendition,
            keys: segments.keys,
            bitRate: bitRate,
            iFrameBitRate: iFrameBitRate
        )
        return (draft, files)
    }
}
