import Foundation
public import StreamPlayer

/// A loader of a bundle's files for a `Player`, without access to the network or to files outside of the bundle.
///
///     let bundle = try AssetBundle.open(folder)
///     let player = Player(keys: keys, loader: AssetBundleLoader(bundle))
///     try await player.play(bundle.mainPlaylistURL, to: output)
public struct AssetBundleLoader: MediaLoader {
    private let root: String
    private let files = FileMediaLoader()

    /// Creates a loader for the files of a bundle.
    public init(_ bundle: AssetBundle) { root = Self.resolved(bundle.folder) }

    /// Loads a file or a byte range of a file.
    ///
    /// - Throws: `MediaLoadError` `bad-address` for a URL outside of the bundle, including symbolic links that lead out
    ///   of it; `not-found`, `wrong-range` or `too-large`.
    public func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard let url = URL(string: resource.url), url.scheme?.lowercased() == "file",
            Self.resolved(url.path).hasPrefix(root + "/")
        else { throw MediaLoadError(.badAddress, resource.url) }
        return try await files.load(resource)
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
