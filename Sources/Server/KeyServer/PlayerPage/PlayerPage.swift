import CWebFiles
package import Hummingbird

/// The playback page, and the player module that it and other pages use.
///
///     GET /player                     the page
///     GET /player/keyway-player.js    the module; the modules that it imports are in the same folder
package struct PlayerPage: Sendable {
    /// The files, embedded in the executable.
    static let files = WebFile.files(of: keyway_player_files())

    private let pages: WebPages

    /// Creates the page from the files in the executable.
    ///
    /// - Parameter isSecure: Whether the listener uses TLS.
    package init(isSecure: Bool = false) {
        pages = WebPages(
            path: "/player",
            files: Self.files,
            // Playlists and media may be on any host; scripts and styles must be the server's own.
            policy: .strict
                .allowing("connect-src", "https:", "http:")
                .allowing("media-src", "blob:", "https:", "http:"),
            shared: Set(Self.files.map(\.name).filter { $0.hasSuffix(".js") && $0 != "page.js" }),
            isSecure: isSecure
        )
    }

    /// Adds the page and the module to a router.
    package func add(to router: Router<ServerRequestContext>) { pages.add(to: router) }
}
