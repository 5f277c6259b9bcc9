import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Recordings of live streams: the segments of all selected playlists are downloaded while the stream continues.
///
/// After each reload, the local playlists are written, then `bundle.json`, and then the new files are downloaded. After a
/// crash, the recording resumes with the segments that are still in the server's playlists.
extension AssetDownload {
    /// Returns whether the folder contains no bundle yet, or a recording that is not complete.
    func isUnfinishedRecording() throws(DownloadError) -> Bool {
        guard let known = try existingDescription() else { return true }
        guard known.recordingDuration != nil else {
            throw DownloadError(
                .otherBundle,
                folder.path,
                "the folder contains \(known.title), which is not a recording of a live stream: use another folder"
            )
        }
        return known.state == .downloading
    }

    /// Records a live stream, or resumes its recording.
    func recordStream(_ seconds: Double) async throws(DownloadError) -> AssetBundle {
        let lock = try lockFolder()
        defer { withExtendedLifetime(lock) {} }
        let known = try existingDescription()
        var description: BundleDescription
        var loaded: [AssetPlaylistLoader.Loaded] = []
        if let known { description = known } else { (description, loaded) = try await planRecording() }
        description.recordingDuration = seconds
        let journal = try JournalFile(in: folder, resources: description.resources, isGrowing: true, faults: faults)
        let (there, _) = try await complete(description, journal)
        var tracks: [RecordedTrack] = []
        for index in description.playlists.indices where description.playlists[index].kind != .multivariant {
            let track = try track(description.playlists[index], description)
            // After a crash, the playlist on the disk may be newer than the description.
            description.playlists[index] = try write(track.playlist, as: description.playlists[index])
            tracks.append(track)
        }
        var settings = settings
        settings.allowsMissingSegments = true
        settings.retriesMissingFiles = true
        settings.maximumRetryDelay = min(settings.maximumRetryDelay, .seconds(4))
        var recorder = StreamRecorder(
            download: self,
            description: description,
            tracks: tracks,
            journal: journal,
            settings: settings,
            seconds: seconds
        )
        emit(
            .planned(
                DownloadPlanSummary(
                    isResumed: known != nil,
                    playlists: description.playlists,
                    files: description.resources.count,
                    completeFiles: there.count,
                    duration: seconds
                )
            )
        )
        let missing = try await recorder.run(complete: Set(there.keys), loaded: loaded)
        description = recorder.description
        guard !description.resources.isEmpty else {
            let reason = description.missing.first ?? "no segment"
            throw DownloadError(.live, url: request.url, "nothing was recorded: \(reason)")
        }
        for index in description.playlists.indices where description.playlists[index].kind != .multivariant {
            let playlist = description.playlists[index]
            var media = try Self.stored { () throws(AssetBundleError) in
                try AssetBundle(folder: folder.path, description: description).mediaPlaylist(playlist)
            }
            media.isEnded = true
            description.playlists[index] = try write(media, as: playlist)
        }
        let earlier = description.missing
        try record(&description, journal, except: missing)
        description.missing = earlier + (missing.isEmpty ? [] : description.missing)
        if keys != nil { try await acquireKeys(description) }
        return try await finish(description)
    }

    /// Creates the bundle of a recording, without segments. Returns also its Media Playlists as they were loaded.
    private func planRecording() async throws(DownloadError) -> (BundleDescription, [AssetPlaylistLoader.Loaded]) {
        try checkFolder()
        let loader = AssetPlaylistLoader(
            transport: transport,
            settings: settings,
            time: clock.elapsed,
            chance: clock.chance
        )
        let presentation = try await loader.load(request.url, request.selection)
        var playlists: [BundlePlaylist] = []
        try Self.stored { () throws(AssetBundleError) in try folder.create(folder: "media") }
        if let (playlist, url, choice) = presentation.multivariant {
            let bytes = try LocalMultivariantPlaylist.write(playlist, url, choice, presentation.media, KeyGroups())
            let known = BundlePlaylist(file: "main.m3u8", url: url, kind: .multivariant, label: "", sha256: [])
            try Self.stored { () throws(AssetBundleError) in try folder.write(bytes, to: known.file) }
            playlists.append(BundlePlaylist(known, bytes: bytes))
        }
        for media in presentation.media {
            try Self.stored { () throws(AssetBundleError) in try folder.create(folder: "media/\(media.name)") }
            let file = presentation.multivariant == nil ? "main.m3u8" : "\(media.name).m3u8"
            // The requested URL and not the one after redirects, which may be valid only for a short time.
            let url =
                media.uri.isEmpty
                ? request.url : try URIReference.web(media.uri, against: presentation.multivariant?.url ?? request.url)
            let known = BundlePlaylist(file: file, url: url, kind: media.kind, label: media.label, sha256: [])
            playlists.append(try write(RecordedTrack(name: media.name).playlist, as: known))
        }
        var description = BundleDescription(
            summary: newSummary(duration: 0, keys: []),
            selection: request.selection.description,
            playlists: playlists,
            resources: []
        )
        description.recordingDuration = 0
        let document = description
        // Written last, because this file makes the folder a bundle.
        try Self.stored { () throws(AssetBundleError) in
            try folder.synchronize(folder: "media")
            try folder.write(document)
        }
        return (description, presentation.media.map { (.media($0.playlist), $0.url) })
    }

    /// Returns the recorded track of a local playlist. After a crash, the playlist may contain segments that are not in
    /// the description.
    private func track(
        _ playlist: BundlePlaylist,
        _ description: BundleDescription
    ) throws(DownloadError) -> RecordedTrack {
        let name = playlist.file == "main.m3u8" ? "variant-1" : String(playlist.file.dropLast(".m3u8".count))
        guard let bytes = try? folder.read(playlist.file, atMost: AssetBundle.maximumPlaylistSize),
            case .media(let media)? = try? Playlist.parseLeniently(bytes).playlist
        else {
            throw DownloadError(.damaged, playlist.file, "the playlist cannot be read: record into another folder")
        }
        return RecordedTrack(name: name, resuming: media, next: playlist.next, resources: description.resources)
    }
}
