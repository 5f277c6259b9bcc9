import HLSPlaylist

/// Continues a presentation of an earlier run from its playlists and its DASH manifest, which contain everything that
/// players know.
struct LiveRestart {
    let folder: LiveFolder
    let job: PackagingJob
    let live: LiveOptions

    /// Returns an existing playlist of a rendition, if any.
    ///
    /// - Throws: ``JobFailure`` if it cannot be continued.
    func playlist(_ rendition: String, _ name: String?) throws -> MediaPlaylist? {
        guard let name, let bytes = folder.read(rendition + "/" + name) else { return nil }
        let path = "\(job.output)/\(rendition)/\(name)"
        guard let playlist = try? MediaPlaylist(strictlyParsing: bytes) else {
            throw JobFailure(
                "out",
                "\(path) is not a valid playlist: start over with overwrite, or choose another folder"
            )
        }
        guard !playlist.isEnded, playlist.playlistType != .vod else {
            throw JobFailure(
                "out",
                "\(path) is complete (EXT-X-ENDLIST) and cannot be continued: start over with overwrite, or choose "
                    + "another folder"
            )
        }
        guard (playlist.playlistType == .event) == live.isEvent else {
            throw JobFailure(
                "out",
                "\(path) is \(live.isEvent ? "not an event: use live" : "an event: use event"), or choose another "
                    + "folder"
            )
        }
        try checkParts(playlist, path)
        return playlist
    }

    /// Checks that this run lists parts if the earlier one did, and with the same maximum duration: these tags must not
    /// change (RFC 8216bis, 6.2.1).
    private func checkParts(_ playlist: MediaPlaylist, _ path: String) throws(JobFailure) {
        let control = live.partDuration.map {
            LivePartTarget.serverControl(partDuration: $0.seconds, targetDuration: playlist.targetDuration)
        }
        guard playlist.serverControl != control else { return }
        guard control != nil, playlist.serverControl != nil else {
            throw JobFailure(
                "low-latency",
                "\(path) \(control == nil ? "has parts" : "has no parts"), which must not change: "
                    + "\(control == nil ? "use" : "remove") low-latency, or start over with overwrite"
            )
        }
        throw JobFailure(
            "part-duration",
            "\(path) has other parts, whose maximum duration must not change: use the part-duration of the earlier run, "
                + "or start over with overwrite"
        )
    }

    /// Returns the Target Duration of the existing presentation in seconds, if any.
    ///
    /// - Throws: ``JobFailure`` if the presentation cannot be continued.
    func targetDuration(_ plan: PackagingPlan) throws -> UInt64? {
        guard job.manifests.contains(.hls) else { return try readManifest()?.targetDuration }
        for rendition in plan.renditions {
            let found = try playlist(rendition.folder, job.names.media) ?? playlist(rendition.folder, job.names.iFrames)
            if let found { return found.targetDuration }
        }
        return nil
    }

    /// Returns the state of a rendition, from its playlists if they exist.
    ///
    /// - Parameter targetDuration: The Target Duration of a new rendition, in seconds.
    /// - Throws: ``JobFailure`` if the rendition cannot be continued.
    func rendition(_ planned: PackagingPlan.Rendition, targetDuration: UInt64, now: PlaylistDate) throws
        -> LiveRendition
    {
        let hasClearMap = job.scheme == .aes128
        let maximumDuration = LiveTargetDuration.maximumSegmentDuration(targetDuration, job.container).seconds
        let kind = live.isEvent ? RenditionPlaylist.Kind.event : .live
        let emptyPlaylist = RenditionPlaylist(
            kind,
            targetDuration: targetDuration,
            maximumDuration: maximumDuration,
            hasClearMap: hasClearMap
        )
        let hasPlaylists = job.manifests.contains(.hls)
        var (media, iFrames) = (emptyPlaylist, RenditionPlaylist?.none)
        if hasPlaylists {
            media =
                try playlist(planned.folder, job.names.media).map {
                    RenditionPlaylist(resuming: $0, maximumDuration: maximumDuration, hasClearMap: hasClearMap)
                } ?? emptyPlaylist
            iFrames = try playlist(planned.folder, job.names.iFrames).map {
                RenditionPlaylist(resuming: $0, hasClearMap: hasClearMap)
            }
            if let iFrames { media.addMissingSegments(listedIn: iFrames) }
            let gap = try media.endOpenSegment { uri, size in
                try folder.truncate(planned.folder + "/" + uri, to: size)
            }
            if let gap { iFrames?.appendKeyFrames(of: gap) }
        } else if let manifest = try readManifest() {
            let last = folder.files(planned.folder).compactMap { fileNumber($0) }.max()
            media.addMissingSegments(listedIn: manifest, of: planned.folder, lastNumber: last ?? 0)
        }
        let hasIFrames =
            hasPlaylists && planned.media.kind == .video && job.names.iFrames != nil
            && !(hasClearMap && planned.isProtected)
        var rendition = LiveRendition(
            folder: planned.folder,
            names: job.names,
            window: live.window,
            media: media,
            iFrames: iFrames
                ?? (hasIFrames
                    ? RenditionPlaylist(kind, targetDuration: targetDuration, isIFramesOnly: true) : nil),
            hasPlaylists: hasPlaylists,
            timeShift: job.manifests.contains(.dash) ? live.timeShift(targetDuration: targetDuration) : nil
        )
        try scheduleDeletions(&rendition, now: now)
        return rendition
    }

    /// Deletes files that no playlist has listed yet, and schedules the deletion of files that are no longer listed.
    private func scheduleDeletions(_ rendition: inout LiveRendition, now: PlaylistDate) throws {
        let playlists = [job.names.media, job.names.iFrames ?? job.names.media]
        let named = Set(rendition.media.segments.flatMap { [$0.resource, $0.initialization].compactMap { $0?.uri } })
        for file in folder.files(rendition.folder)
        where job.names.isPackaged(file) && !playlists.contains(file) && !named.contains(file) {
            if let number = fileNumber(file), number <= rendition.media.nextSequence {
                rendition.retire([file], now: now)
            } else {
                try folder.remove(rendition.folder + "/" + file)
            }
        }
    }

    /// Returns the number in a file's name; nil if the file is not a segment or an init segment.
    private func fileNumber(_ file: String) -> UInt64? {
        file.hasPrefix(".") ? nil : UInt64(file.drop { !$0.isNumber }.prefix(while: \.isNumber))
    }
}
