import Foundation
public import StreamPlayer

/// Loads a bundle's files for a `Player`, and nothing else: no address of a network, no file outside.
///
///     let bundle = try AssetBundle.open(folder)
///     let player = Player(keys: keys, loader: AssetBundleLoader(bundle))
///     try await player.play(bundle.mainPlaylistURL, to: output)
public struct AssetBundleLoader: MediaLoader {
    private let root: String
    private let files = FileMediaLoader()

    /// Loads the files of a bundle.
    public init(_ bundle: AssetBundle) { root = Self.resolved(bundle.folder) }

    /// Loads a file, or a part of one.
    ///
    /// - Throws: `MediaLoadError` `bad-address` for anything that is not in the bundle, links out of it included;
    ///   `not-found`, `wrong-range`, `too-large`.
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
