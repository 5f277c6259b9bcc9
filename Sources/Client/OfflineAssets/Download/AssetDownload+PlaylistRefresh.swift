import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Reloads of playlists during a download: signed URLs have expired, or a local playlist is damaged.
extension AssetDownload {
    /// Reloads the playlists and updates the bundle.
    ///
    /// - Returns: Whether any URL or key identifier has changed.
    /// - Throws: ``DownloadError`` `changed-on-server` if the playlists belong to other content, and errors of loading
    ///   them.
    func refreshPlaylists(
        _ description: inout BundleDescription,
        _ reason: DownloadError?
    ) async throws(DownloadError) -> Bool {
        try checkCancellation()
        emit(.reloadingPlaylists(reason))
        let plan = try await loadPlan()
        let refresh = try PlaylistRefresh(
            description,
            local: localPlaylists(description),
            plan: plan,
            from: request.url
        )
        let isOther =
            refresh.description.resources != description.resources || refresh.description.keys != description.keys
        try Self.stored { () throws(AssetBundleError) in
            for (file, bytes) in refresh.playlists { try folder.write(bytes, to: file) }
        }
        // After a crash before this point, the playlists do not match the description and are reloaded.
        if refresh.description != description {
            description = refresh.description
            try write(&description)
        }
        return isOther
    }

    /// Loads the current playlists and plans the download.
    func loadPlan() async throws(DownloadError) -> BundlePlan {
        let loader = AssetPlaylistLoader(
            transport: transport,
            settings: settings,
            time: clock.elapsed,
            chance: clock.chance
        )
        var playlists = try await loader.load(request.url, request.selection)
        if request.assumesEnd {
            playlists.media = playlists.media.map { media in
                var media = media
                media.playlist.isEnded = true
                return media
            }
        }
        let plan = try BundlePlan(playlists, limits: settings.limits)
        for group in plan.keys { note(group) }
        return plan
    }

    /// Stores the keys that playlists of the server contain until they are acquired.
    func note(_ keys: KeyGroups) {
        for group in keys.groups { note(group) }
    }

    private func note(_ keys: [DownloadKey]) {
        for key in keys {
            if let inlineKey = key.inlineKey { inlineKeys[key.identifier] = inlineKey }
        }
    }

    /// Returns the bytes of the local playlists that are unchanged.
    func localPlaylists(_ description: BundleDescription) -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for playlist in description.playlists {
            guard let bytes = try? folder.read(playlist.file, atMost: AssetBundle.maximumPlaylistSize),
                AssetBundle.isUnchanged(bytes, playlist)
            else { continue }
            result[playlist.file] = bytes
        }
        return result
    }

    /// Returns whether the playlists of a bundle must be reloaded before the download resumes: one is damaged, or the
    /// URL has changed, which may be for other content.
    func needsPlaylists(_ description: BundleDescription) -> Bool {
        // The local playlists of a bundle with missing segments differ from the server's, so they cannot be compared.
        guard description.missing.isEmpty, description.recordingDuration == nil else { return false }
        return description.originalURL != request.url || localPlaylists(description).count < description.playlists.count
    }

    /// Acquires the keys. The playlists are reloaded if a key URL with a query may have expired like a signed segment URL,
    /// or if a key that was in the playlists is not stored.
    func acquireKeys(_ description: inout BundleDescription, isResumed: Bool) async throws(DownloadError) {
        guard isResumed, description.keys.contains(where: { $0.contains("?") || InlineKey.isName($0) }) else {
            return try await acquireKeys(description)
        }
        let known = inlineKeys.count
        do throws(DownloadError) {
            try await acquireKeys(description)
        } catch  where error.code == .keys {
            let isOther = try await refreshPlaylists(&description, error)
            guard isOther || inlineKeys.count > known else { throw error }
            try await acquireKeys(description)
        }
    }

    /// Downloads the missing files; if the server rejects their URLs, reloads the playlists to get new URLs.
    ///
    /// - Returns: The segments that are missing on the server, if the settings allow them.
    func fetch(
        _ files: DownloadFiles,
        _ description: inout BundleDescription
    ) async throws(DownloadError) -> [Int: DownloadError] {
        var files = files
        var missing: Int?
        while true {
            do throws(DownloadError) {
                return try await fetchAll(files)
            } catch  where error.isRefusedAddress {
                let left = files.stillMissing.count
                // If new URLs are rejected as well before any file was completed, the download fails.
                guard left < missing ?? .max else {
                    try allowRefused(&files, error)
                    continue
                }
                missing = left
                let keys = description.keys
                guard try await refreshPlaylists(&description, error) else {
                    try allowRefused(&files, error)
                    continue
                }
                if description.keys != keys { try await acquireKeys(description) }
                files.resources = description.resources
            }
        }
    }

    /// Treats segments whose new URLs are also rejected as missing, if the settings allow that and this is not done yet.
    private func allowRefused(_ files: inout DownloadFiles, _ error: DownloadError) throws(DownloadError) {
        guard settings.allowsMissingSegments, !files.allowsRefusedSegments else { throw error }
        files.allowsRefusedSegments = true
    }
}

extension DownloadFiles {
    /// The files that are still missing, according to the journal.
    var stillMissing: Set<Int> {
        missing.filter { file in
            if case .done? = journal.entry(of: file) { false } else { true }
        }
    }
}

extension MediaLoadError {
    /// True if the server may have rejected the URL rather than the resource: a signature may have expired.
    var isRefusedAddress: Bool {
        switch code {
        case .status: status == 401 || status == 403
        case .notFound: status == 410
        default: false
        }
    }
}
