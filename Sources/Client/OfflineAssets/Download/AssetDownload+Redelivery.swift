import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Playlists that are loaded again while a download goes on: URLs that were signed have ended, or a local playlist is damaged.
extension AssetDownload {
    /// Loads the playlists again, and puts what they say now into the bundle.
    ///
    /// - Returns: whether any address or any key's name is another one now.
    /// - Throws: ``DownloadError`` `changed-on-server` where they are of another film, and what loading them throws.
    func redeliver(
        _ description: inout BundleDescription,
        _ reason: DownloadError?
    ) async throws(DownloadError) -> Bool {
        try checkCancellation()
        tell(.loadingPlaylistsAgain(reason))
        let plan = try await loadPlan()
        let redelivery = try Redelivery(description, local: localPlaylists(description), plan: plan, from: request.url)
        let isOther =
            redelivery.description.resources != description.resources || redelivery.description.keys != description.keys
        try Self.stored { () throws(AssetBundleError) in
            for (file, bytes) in redelivery.playlists { try folder.write(bytes, to: file) }
        }
        // A crash before this leaves playlists that are not those of the description, and these are loaded again.
        if redelivery.description != description {
            description = redelivery.description
            try write(&description)
        }
        return isOther
    }

    /// The playlists and what they name, as the server has them now.
    func loadPlan() async throws(DownloadError) -> BundlePlan {
        let loader = PresentationLoader(
            transport: transport,
            settings: settings,
            time: clock.elapsed,
            chance: clock.chance
        )
        return try BundlePlan(try await loader.load(request.url, request.selection), limits: settings.limits)
    }

    /// The bytes of the playlists that are as they were written.
    func localPlaylists(_ description: BundleDescription) -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for playlist in description.playlists {
            guard let bytes = try? folder.read(playlist.file, atMost: AssetBundle.greatestPlaylist),
                AssetBundle.isUnchanged(bytes, playlist)
            else { continue }
            result[playlist.file] = bytes
        }
        return result
    }

    /// Whether the playlists of a bundle have to be loaded again before it goes on: one is damaged, or the download was given
    /// another address, which may be another film's.
    func needsPlaylists(_ description: BundleDescription) -> Bool {
        description.originalURL != request.url || localPlaylists(description).count < description.playlists.count
    }

    /// Gets the keys. Where the address of one of them has a query, that may have ended as those of segments do.
    func acquireKeys(_ description: inout BundleDescription, isResumed: Bool) async throws(DownloadError) {
        guard isResumed, description.keys.contains(where: { $0.contains("?") }) else {
            return try await acquireKeys(description)
        }
        do throws(DownloadError) {
            try await acquireKeys(description)
        } catch  where error.code == .keys {
            guard try await redeliver(&description, error) else { throw error }
            try await acquireKeys(description)
        }
    }

    /// Fetches what is missing; where the server does not take the addresses any more, under new ones.
    func fetch(
        _ files: DownloadFiles,
        _ description: inout BundleDescription
    ) async throws(DownloadError) {
        var files = files
        var missing: Int?
        while true {
            do throws(DownloadError) {
                return try await fetchAll(files)
            } catch  where error.isRefusedAddress {
                let left = files.stillMissing.count
                // New addresses that are refused as well, without a file in between, are no better.
                if let missing, left >= missing { throw error }
                missing = left
                let keys = description.keys
                guard try await redeliver(&description, error) else { throw error }
                if description.keys != keys { try await acquireKeys(description) }
                files.resources = description.resources
            }
        }
    }
}

extension DownloadFiles {
    /// What is missing now: files that came since are in the journal.
    var stillMissing: Set<Int> {
        missing.filter { file in
            if case .done? = journal.entry(of: file) { false } else { true }
        }
    }
}

extension MediaLoadError {
    /// Whether the server may have something against the address, and not against what is there: a signature that has ended.
    var isRefusedAddress: Bool {
        switch code {
        case .status: status == 401 || status == 403
        case .notFound: status == 410
        default: false
        }
    }
}
