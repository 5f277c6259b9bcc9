import ContentKeySession
import HLSPlaylist

extension AssetDownload {
    /// The maximum size of an init segment that is searched for a key ID, in bytes: 1 MiB.
    private static let maximumInitSegmentSize = 1 << 20

    /// Checks that the `data:` URIs of the server's playlists contain keys. Shaka Packager writes the ID of the key
    /// there if no key URI is specified, which is in the init segment too (`tenc`, ISO/IEC 23001-7).
    func checkInlineKeys(_ description: BundleDescription) async throws(DownloadError) {
        guard description.keys.contains(where: InlineKey.isName) else { return }
        // A resumed download has not loaded them yet.
        if inlineKeys.isEmpty, description.recordingDuration == nil { _ = try await loadPlan() }
        let playlists = try Self.stored { () throws(AssetBundleError) in
            try AssetBundle(folder: folder.path, description: description).mediaPlaylists()
        }
        for file in MediaFileCheck(playlists.map(\.media)).initializations {
            guard let bytes = try? folder.read(file, atMost: Self.maximumInitSegmentSize) else { continue }
            for key in inlineKeys.values where bytes.contains(key.bytes) {
                throw DownloadError(
                    .keys,
                    "EXT-X-KEY",
                    "the data: URI contains the key ID of the media and not the key, which the packager must write there or at another URI"
                )
            }
        }
    }
}
