import CWebFiles
package import Hummingbird

/// The playback page, and the player module that it and other pages use.
///
///     GET /player                      the page
///     GET /player/keyway-player.js     the module; the modules that it imports are in the same folder
///     GET /player/keyway-fairplay.js   the FairPlay library for other players, in one file
package struct PlayerPage: Sendable {
    /// The files, embedded in the executable.
    static let files = WebFile.files(of: keyway_player_files())

    /// The file that hls.js replaces.
    private static let hlsName = "hls-library.js"

    private let pages: WebPages

    /// Creates the page from the files in the executable.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the listener uses TLS.
    ///   - hls: The build of hls.js that plays in the page; nil for the page's own code.
    ///   - isLibraryOnly: True for the FairPlay library without the page and the player module.
    package init(isSecure: Bool = false, hls: [UInt8]? = nil, isLibraryOnly: Bool = false) {
        var files = isLibraryOnly ? Self.files.filter { $0.name.hasPrefix("keyway-fairplay.") } : Self.files
        if let hls, let index = files.firstIndex(where: { $0.name == Self.hlsName }),
            let file = WebFile(name: Self.hlsName, bytes: hls)
        {
            files[index] = file
        }
        pages = WebPages(
            path: "/player",
            files: files,
            // Playlists and media may be on any host; scripts and styles must be the server's own.
            policy: .strict
                .allowing("connect-src", "https:", "http:")
                .allowing("media-src", "blob:", "https:", "http:"),
            shared: Set(files.map(\.name).filter { $0.hasSuffix(".js") && $0 != "page.js" }),
            isSecure: isSecure
        )
    }

    /// Adds the page and the module to a router.
    package func add(to router: Router<ServerRequestContext>) { pages.add(to: router) }
}
