import CWebFiles
package import Hummingbird

/// The page that plays, and the module that it and other pages play with.
///
///     GET /player                     the page
///     GET /player/keyway-player.js    the module; what it imports lies beside it
package struct PlayerPage: Sendable {
    /// What is served, as it lies in the executable.
    static let files = WebFile.files(of: keyway_player_files())

    private let pages: WebPages

    /// Makes the page out of the files in the executable.
    ///
    /// - Parameter isSecure: whether the listener speaks TLS.
    package init(isSecure: Bool = false) {
        pages = WebPages(
            path: "/player",
            files: Self.files,
            // Playlists and media lie wherever the operator has them; script and style are the server's own all the same.
            policy: .strict
                .allowing("connect-src", "https:", "http:")
                .allowing("media-src", "blob:", "https:", "http:"),
            shared: Set(Self.files.map(\.name).filter { $0.hasSuffix(".js") && $0 != "page.js" }),
            isSecure: isSecure
        )
    }

    /// Puts page and module on a router.
    package func add(to router: Router<ServerRequestContext>) { pages.add(to: router) }
}
