import HLSPlaylist

/// Takes up a presentation where a run left it, by its playlists: they say all that players know.
struct LiveRestart {
    let folder: LiveFolder
    let job: PackagingJob
    let live: LiveOptions

    /// The playlist of a rendition that is there; nil: there is none.
    ///
    /// - Throws: ``JobFailure`` when it cannot be continued.
    func playlist(_ rendition: String, _ name: String?) throws -> MediaPlaylist? {
        guard let name, let bytes = folder.read(rendition + "/" + name) else { return nil }
        let path = "\(job.output)/\(rendition)/\(name)"
        guard let playlist = try? MediaPlaylist(parsing: bytes) else {
            throw JobFailure(
                "out",
                "\(path) cannot be read as a playlist: begin anew (overwrite), or name another folder"
            )
        }
        guard !playlist.isEnded, playlist.playlistType != .vod else {
            throw JobFailure(
                "out",
                "\(path) has ended, and players have been told so: begin anew (overwrite), or name another folder"
            )
        }
        guard (playlist.playlistType == .event) == live.isEvent else {
            throw JobFailure(
                "out",
                "\(path) is \(live.isEvent ? "no event" : "an event"): say so, or name another folder"
            )
        }
        return playlist
    }

    /// The Target Duration of a rendition's playlists, in seconds; nil when there are none.
    ///
    /// - Throws: ``JobFailure`` when it cannot be continued.
    func targetDuration(_ rendition: String) throws -> UInt64? {
        let found = try playlist(rendition, job.names.media) ?? playlist(rendition, job.names.iFrames)
        return found.map(\.targetDuration)
    }

    /// The state of a rendition, from its playlists where there are some.
    ///
    /// - Parameter targetDuration: What a new rendition has, in seconds.
    /// - Throws: ``JobFailure`` when it cannot be continued.
    func rendition(_ planned: PackagingPlan.Rendition, targetDuration: UInt64, now: PlaylistDate) throws
        -> LiveRendition
    {
        let hasClearMap = job.scheme == .aes128
        var media =
            try playlist(planned.folder, job.names.media).map { LivePlaylist(resuming: $0, hasClearMap: hasClearMap) }
            ?? LivePlaylist(targetDuration: targetDuration, isEvent: live.isEvent, hasClearMap: hasClearMap)
        let iFrames = try playlist(planned.folder, job.names.iFrames).map {
            LivePlaylist(resuming: $0, hasClearMap: hasClearMap)
        }
        if let iFrames { media.takeSegments(namedBy: iFrames) }
        let hasIFrames =
            planned.media.kind == .video && job.names.iFrames != nil && !(hasClearMap && planned.isProtected)
        var rendition = LiveRendition(
            folder: planned.folder,
            names: job.names,
            window: live.window,
            media: media,
            iFrames: iFrames
                ?? (hasIFrames
                    ? LivePlaylist(targetDuration: targetDuration, isEvent: live.isEvent, isIFramesOnly: true) : nil)
        )
        try takeFiles(&rendition, now: now)
        return rendition
    }

    /// Deletes files that no playlist has named yet, and has those deleted in time that it names no more.
    private func takeFiles(_ rendition: inout LiveRendition, now: PlaylistDate) throws {
        let playlists = [job.names.media, job.names.iFrames ?? job.names.media]
        let named = Set(rendition.media.entries.flatMap { [$0.uri] + ($0.map.map { [$0.uri] } ?? []) })
        for file in folder.files(rendition.folder) where !playlists.contains(file) && !named.contains(file) {
            let number = file.drop { !$0.isNumber }.prefix(while: \.isNumber)
            if let number = UInt64(number), number <= rendition.media.nextSequence, !file.hasPrefix(".") {
                rendition.retire([file], now: now)
            } else {
                try folder.remove(rendition.folder + "/" + file)
            }
        }
    }
}
