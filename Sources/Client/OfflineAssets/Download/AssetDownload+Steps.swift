import ContentKeySession
import HLSPlaylist
import StreamPlayer

extension AssetDownload {
    /// Performs all steps of the download.
    func download() async throws(DownloadError) -> AssetBundle {
        if let duration = request.recordingDuration, try isUnfinishedRecording() {
            return try await recordStream(duration / .seconds(1))
        }
        return try await downloadFiles()
    }

    private func downloadFiles() async throws(DownloadError) -> AssetBundle {
        let lock = try lockFolder()
        defer { withExtendedLifetime(lock) {} }
        var (description, isResumed) = try await plan()
        let journal = try JournalFile(in: folder, resources: description.resources, faults: faults)
        let (there, broken) = try await complete(description, journal)
        if isResumed, needsPlaylists(description) {
            _ = try await refreshPlaylists(&description, nil)
        }
        let media = try mediaPlaylists(description)
        emit(
            .planned(
                DownloadPlanSummary(
                    isResumed: isResumed,
                    playlists: description.playlists,
                    files: description.resources.count,
                    completeFiles: there.count,
                    duration: description.summary.duration
                )
            )
        )
        try await acquireKeys(&description, isResumed: isResumed)
        let tracker = DownloadProgressTracker(
            BundleTimeline(media.map(\.media), resources: description.resources.map(\.file)),
            files: description.resources.count,
            now: { [clock] in clock.elapsed.now }
        ) { self.emit(.progress($0)) }
        for (file, content) in there { tracker.completed(file, length: content.length, isShown: false) }
        if !broken.isEmpty, description.state != .downloading {
            // From now on, the state in the description is no longer true.
            description.summary.state = .downloading
            try write(&description)
        }
        let missing = Set(description.resources.indices).subtracting(there.keys)
        let skipped = try await fetch(
            DownloadFiles(
                resources: description.resources,
                missing: missing,
                expected: broken,
                journal: journal,
                folder: folder,
                transport: transport,
                check: MediaFileCheck(media.map(\.media)),
                faults: faults,
                tracker: tracker
            ),
            &description
        )
        try record(&description, journal, except: skipped)
        return try await finish(description)
    }

    /// Creates the folder, and locks it for this download.
    func lockFolder() throws(DownloadError) -> FolderLock {
        try Self.stored { () throws(AssetBundleError) in try folder.create() }
        return try FolderLock(folder)
    }

    private func mediaPlaylists(
        _ description: BundleDescription
    ) throws(DownloadError) -> [(playlist: BundlePlaylist, media: MediaPlaylist)] {
        let bundle = AssetBundle(folder: folder.path, description: description)
        return try Self.stored { () throws(AssetBundleError) in try bundle.mediaPlaylists() }
    }

    /// Acquires the keys of the local playlists.
    func acquireKeys(_ description: BundleDescription) async throws(DownloadError) {
        guard let keys, !description.keys.isEmpty else { return }
        var groups = KeyGroups()
        for (playlist, media) in try mediaPlaylists(description) {
            for segment in (try? media.resolvedSegments()).map(Array.init) ?? [] where !segment.segment.isGap {
                if let section = segment.initialization { groups.add(section.keys, base: playlist.url) }
                groups.add(segment.keys, base: playlist.url)
            }
        }
        let needed = groups.groups.map { group in
            group.map { DownloadKey(identifier: $0.identifier, tag: $0.tag, inlineKey: inlineKeys[$0.identifier]) }
        }
        emit(.acquiringKeys(groups.groups.count))
        do throws(DownloadKeysError) {
            try await keys.acquire(needed, title: description.title)
        } catch {
            throw Self.keyError(error)
        }
    }

    private static func keyError(_ error: DownloadKeysError) -> DownloadError {
        guard error.code != OfflineStorageError.Code.diskFull.rawValue else { return .diskFull(error.place) }
        // The place may be the URL of a key, whose query may contain a token.
        return DownloadError(.keys, url: error.place, "\(error.reason) (\(error.code))")
    }

    /// Records the contents of the complete files.
    func record(
        _ description: inout BundleDescription,
        _ journal: JournalFile,
        except missing: [Int: DownloadError]
    ) throws(DownloadError) {
        for index in description.resources.indices where missing[index] == nil {
            guard case .done(let content, _)? = journal.entry(of: index) else {
                // The file was completed by an earlier run whose journal was lost.
                guard description.resources[index].content != nil else {
                    throw DownloadError(.damaged, description.resources[index].file, "the file is not in the journal")
                }
                continue
            }
            guard folder.length(of: description.resources[index].file) == content.length else {
                throw DownloadError(
                    .damaged,
                    description.resources[index].file,
                    "the length of the file has changed since it was written"
                )
            }
            description.resources[index].content = content
        }
        try remove(missing, from: &description)
    }

    /// Verifies that the bundle can be played.
    func finish(_ known: BundleDescription) async throws(DownloadError) -> AssetBundle {
        var description = known
        description.summary.byteCount = description.resources.reduce(0) { $0 + ($1.content?.length ?? 0) }
        if description.state == .downloading {
            description.summary.state = .unverified
            try write(&description)
        }
        try checkCancellation()
        if keys != nil, description.state != .complete { try await checkInlineKeys(description) }
        let bundle = AssetBundle(folder: folder.path, description: description)
        if let keys {
            emit(.proving)
            do throws(DownloadKeysError) {
                try await keys.verify(bundle)
            } catch {
                throw Self.keyError(error)
            }
        } else if description.keys.isEmpty {
            emit(.proving)
            do throws(PlayerError) {
                try await OfflinePlaybackCheck.play(bundle, keys: PlayerKeySystems())
            } catch {
                throw DownloadError(
                    .damaged,
                    folder.path,
                    "all files are complete, but the bundle cannot be played: \(error)"
                )
            }
        } else {
            return bundle
        }
        if description.state != .complete {
            description.summary.state = .complete
            try write(&description)
        }
        return AssetBundle(folder: folder.path, description: description)
    }

    func write(_ description: inout BundleDescription) throws(DownloadError) {
        description.summary.changed = clock.date()
        let document = description
        try Self.stored { () throws(AssetBundleError) in try folder.write(document) }
    }

    /// Converts an error of a bundle's own files into an error of the download.
    static func stored<Value>(_ body: () throws(AssetBundleError) -> Value) throws(DownloadError) -> Value {
        do throws(AssetBundleError) {
            return try body()
        } catch {
            switch error.code {
            case .storage: throw DownloadError(.storage, error.place, error.reason)
            case .diskFull: throw .diskFull(error.place)
            case .notABundle, .malformed, .unknownVersion, .incomplete, .missing, .damaged:
                throw DownloadError(.damaged, error.place, error.reason)
            }
        }
    }
}
