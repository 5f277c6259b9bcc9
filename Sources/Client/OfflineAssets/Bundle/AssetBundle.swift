import FPSCrypto
import Foundation
import HLSPlaylist

/// A film on this machine: a folder with its media, local playlists, and what is known of it.
///
///     FOLDER/bundle.json                  what it is: BundleDescription
///     FOLDER/main.m3u8                    the playlist to play
///     FOLDER/variant-1.m3u8 …             the Media Playlists that it names
///     FOLDER/media/variant-1/000001.m4s   media, as they came from the server: encrypted media stay encrypted
///     FOLDER/journal                      what was complete when, for a download that is resumed
public struct AssetBundle: Sendable, Hashable {
    /// The path of its folder.
    public let folder: String
    /// What `bundle.json` says.
    public let description: BundleDescription

    static let descriptionFile = "bundle.json"
    static let journalFile = "journal"
    /// In bytes: 256 MiB.
    static let greatestPlaylist = 256 << 20

    /// The path of the playlist to play.
    public var mainPlaylist: String { BundleFolder(folder).path(of: "main.m3u8") }

    /// The `file:` URL of the playlist to play, for a `Player` with a ``AssetBundleLoader``.
    public var mainPlaylistURL: String { URL(fileURLWithPath: mainPlaylist).absoluteString }

    init(folder: String, description: BundleDescription) {
        (self.folder, self.description) = (folder, description)
    }

    /// Reads what a bundle is. It may be incomplete: see ``BundleDescription/state``.
    ///
    /// - Throws: ``AssetBundleError`` `not-a-bundle`, `malformed`, `unknown-version`, `storage`.
    public static func open(_ folder: String) throws(AssetBundleError) -> AssetBundle {
        let files = BundleFolder(folder)
        let bytes: [UInt8]
        do {
            bytes = try files.read(descriptionFile, atMost: BundleDescription.greatestSize)
        } catch  where error.code == .missing {
            throw AssetBundleError(.notABundle, folder, "not a downloaded film: bundle.json is missing")
        }
        let description = try BundleDescription(parsing: bytes, place: files.path(of: descriptionFile))
        return AssetBundle(folder: files.path, description: description)
    }

    /// Reads every file and compares lengths and checksums.
    ///
    /// - Parameter progress: is told how many files were read, of how many.
    /// - Throws: ``AssetBundleError`` `incomplete`, `missing`, `damaged`, `storage`, with the first file that is not as it was
    ///   when the download was complete.
    public func verify(progress: (Int, Int) -> Void = { _, _ in }) throws(AssetBundleError) {
        guard description.state != .downloading else {
            throw AssetBundleError(.incomplete, folder, "the download is not complete: resume it")
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
        AssetBundleError(.damaged, file, "its bytes are others than when it was complete: run the download again")
    }

    /// Whether a local playlist is as it was written.
    static func isUnchanged(_ bytes: [UInt8], _ playlist: BundlePlaylist) -> Bool {
        SHA256.hash(bytes) == playlist.sha256
    }

    /// The Media Playlists of the bundle, read from its folder.
    ///
    /// - Throws: ``AssetBundleError`` `damaged` where a playlist is not as it was written.
    func mediaPlaylists() throws(AssetBundleError) -> [(playlist: BundlePlaylist, media: MediaPlaylist)] {
        var result: [(playlist: BundlePlaylist, media: MediaPlaylist)] = []
        let files = BundleFolder(folder)
        for playlist in description.playlists where playlist.kind != .multivariant {
            let bytes = try files.read(playlist.file, atMost: Self.greatestPlaylist)
            guard Self.isUnchanged(bytes, playlist),
                case .media(let media)? = try? Playlist.parseLeniently(bytes).playlist
            else { throw Self.damaged(playlist.file) }
            result.append((playlist, media))
        }
        return result
    }
}

extension BundleFolder {
    /// Writes what a bundle is.
    func write(_ description: BundleDescription) throws(AssetBundleError) {
        try write(description.bytes, to: AssetBundle.descriptionFile)
    }
}
