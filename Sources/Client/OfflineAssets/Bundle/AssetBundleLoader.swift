import FPSCrypto
import Foundation
import Locking
public import StreamPlayer

/// A loader of a bundle's files for a `Player`, without access to the network or to files outside of the bundle.
///
/// Each file is compared with the checksum in the bundle's description before its bytes are used. A file that was
/// changed after the download therefore ends playback, or its variant, with an error, and is never decoded.
///
///     let bundle = try AssetBundle.open(folder)
///     let player = Player(keys: keys, loader: AssetBundleLoader(bundle))
///     try await player.play(bundle.mainPlaylistURL, to: output)
public struct AssetBundleLoader: MediaLoader {
    private let root: String
    private let folder: BundleFolder
    private let loader = FileMediaLoader()
    /// The checksums by path in the bundle, SHA-256. Files that are not complete yet have none.
    private let checksums: [String: [UInt8]]
    private let checked: CheckedFiles

    /// The results of comparisons, shared by all copies of a loader.
    private final class CheckedFiles: Sendable {
        let results = Lock<[String: Bool]>([:])
    }

    /// Creates a loader for the files of a bundle.
    public init(_ bundle: AssetBundle) {
        root = Self.resolved(bundle.folder)
        (folder, checked) = (BundleFolder(root), CheckedFiles())
        var checksums: [String: [UInt8]] = [:]
        for playlist in bundle.description.playlists { checksums[playlist.file] = playlist.sha256 }
        for resource in bundle.description.resources { checksums[resource.file] = resource.content?.sha256 }
        self.checksums = checksums
    }

    /// The paths in the bundle of the files that were loaded and have changed since the download, sorted.
    public var damagedFiles: [String] { checked.results.withLock { $0.filter { !$0.value }.keys.sorted() } }

    /// Loads a file or a byte range of a file.
    ///
    /// - Throws: `MediaLoadError` `bad-address` for a URL outside of the bundle, including symbolic links that lead out
    ///   of it; `damaged` for a file that has changed; `not-found`, `wrong-range` or `too-large`.
    public func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard let url = URL(string: resource.url), url.scheme?.lowercased() == "file" else {
            throw MediaLoadError(.badAddress, resource.url)
        }
        let path = Self.resolved(url.path)
        guard path.hasPrefix(root + "/") else { throw MediaLoadError(.badAddress, resource.url) }
        let file = String(path.dropFirst(root.count + 1))
        guard let expected = checksums[file] else { return try await loader.load(resource) }
        guard resource.range != nil else {
            let media = try await loader.load(resource)
            try require(file, resource) { SHA256.hash(media.bytes) == expected }
            return media
        }
        // A file with several byte ranges is read once more, before its first range.
        try require(file, resource) { (try? folder.content(of: file))?.sha256 == expected }
        return try await loader.load(resource)
    }

    /// Requires that a file is unchanged. A file that was compared before is not compared again.
    private func require(_ file: String, _ resource: MediaResource, _ check: () -> Bool) throws(MediaLoadError) {
        let known = checked.results.withLock { $0[file] }
        // A missing file is reported as missing by the loader.
        guard known == nil, folder.has(file) else {
            if known == false { throw MediaLoadError(.damaged, resource.url) }
            return
        }
        let isUnchanged = check()
        checked.results.withLock { $0[file] = isUnchanged }
        guard isUnchanged else { throw MediaLoadError(.damaged, resource.url) }
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
