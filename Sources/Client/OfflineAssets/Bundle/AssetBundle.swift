import FPSCrypto
import Foundation
import HLSPlaylist

/// A downloaded presentation on the local disk: a folder with its media, local playlists, and a description.
///
///     FOLDER/bundle.json                  the description: BundleDescription
///     FOLDER/main.m3u8                    the playlist to play
///     FOLDER/variant-1.m3u8 …             its Media Playlists
///     FOLDER/media/variant-1/000001.m4s   media as received from the server: encrypted media stay encrypted
///     FOLDER/journal                      the progress of the download, so that it can be resumed
public struct AssetBundle: Sendable, Hashable {
    /// The path of the bundle's folder.
    public let folder: String
    /// The contents of `bundle.json`.
    public let description: BundleDescription

    static let descriptionFile = "bundle.json"
    static let journalFile = "journal"
    /// The maximum size of a local playlist in bytes: 256 MiB.
    static let maximumPlaylistSize = 256 << 20

    /// The path of the playlist to play.
    public var mainPlaylist: String { BundleFolder(folder).path(of: "main.m3u8") }

    /// The `file:` URL of the playlist to play, for a `Player` with a ``AssetBundleLoader``.
    public var mainPlaylistURL: String { URL(fileURLWithPath: mainPlaylist).absoluteString }

    init(folder: String, description: BundleDescription) {
        (self.folder, self.description) = (folder, description)
    }

    /// Opens a bundle and reads its description. The bundle may be incomplete: see ``BundleDescription/state``.
    ///
    /// - Throws: ``AssetBundleError`` `not-a-bundle`, `malformed`, `unknown-version` or `storage`.
    public static func open(_ folder: String) throws(AssetBundleError) -> AssetBundle {
        let files = BundleFolder(folder)
        let bytes: [UInt8]
        do {
            bytes = try files.read(descriptionFile, atMost: BundleDescription.maximumSize)
        } catch  where error.code == .missing {
            throw AssetBundleError(.notABundle, folder, "not a downloaded bundle: bundle.json is missing")
        }
        let description = try BundleDescription(parsing: bytes, place: files.path(of: descriptionFile))
        return AssetBundle(folder: files.path, description: description)
    }

    /// Reads all files and compares their lengths and checksums with the description.
    ///
    /// - Parameter progress: A function that is called with the number of verified files and the total.
    /// - Throws: ``AssetBundleError`` `incomplete`, `missing`, `damaged` or `storage`, with the first file that differs
    ///   from its state when the download was complete.
    public func verify(progress: (Int, Int) -> Void = { _, _ in }) throws(AssetBundleError) {
        guard description.state != .downloading else {
            throw AssetBundleError(.incomplete, folder, "the download is not complete: resume the download")
        }
        let files = BundleFolder(folder)
        let total = description.playlists.count + description.resources.count
        for (index, playlist) in description.playlists.enumerated() {
            guard try files.content(of: playlist.file).sha256 == playlist.sha256 else {
                throw Self.damaged(playlist.file)
            }
            progress(index + 1, total)
        }
        for (index, resource) in description.resources.enumerated() {
            guard try files.content(of: resource.file) == resource.content else { throw Self.damaged(resource.file) }
            progress(description.playlists.count + index + 1, total)
        }
    }

    static func damaged(_ file: String) -> AssetBundleError {
        AssetBundleError(.damaged, file, "the file has changed since the download was complete: run the download again")
    }

    /// Returns whether a local playlist is unchanged since it was written.
    static func isUnchanged(_ bytes: [UInt8], _ playlist: BundlePlaylist) -> Bool {
        SHA256.hash(bytes) == playlist.sha256
    }

    /// Returns the Media Playlists of the bundle, read from its folder.
    ///
    /// - Throws: ``AssetBundleError`` `damaged` if a playlist has changed since it was written.
    func mediaPlaylists() throws(AssetBundleError) -> [(playlist: BundlePlaylist, media: MediaPlaylist)] {
        var result: [(playlist: BundlePlaylist, media: MediaPlaylist)] = []
        for playlist in description.playlists where playlist.kind != .multivariant {
            result.append((playlist, try mediaPlaylist(playlist)))
        }
        return result
    }

    /// Returns a Media Playlist of the bundle, read from its folder.
    ///
    /// - Throws: ``AssetBundleError`` `damaged` if it has changed since it was written.
    func mediaPlaylist(_ playlist: BundlePlaylist) throws(AssetBundleError) -> MediaPlaylist {
        let bytes = try BundleFolder(folder).read(playlist.file, atMost: Self.maximumPlaylistSize)
        guard Self.isUnchanged(bytes, playlist), case .media(let media)? = try? Playlist.parseLeniently(bytes).playlist
        else { throw Self.damaged(playlist.file) }
        return media
    }
}

extension BundleFolder {
    /// Writes the description of a bundle.
    func write(_ description: BundleDescription) throws(AssetBundleError) {
        try write(description.bytes, to: AssetBundle.descriptionFile)
    }
}
