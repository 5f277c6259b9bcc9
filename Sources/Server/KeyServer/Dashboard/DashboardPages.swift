import CWebFiles
import HTTPTypes
package import Hummingbird

/// The dashboard's pages. They hold nothing: whatever they show, they ask administration for, with the session of who looks.
package enum DashboardPages {
    static let path = "/dashboard"

    /// Puts the pages on a router, and shows who asks for nothing where they are.
    ///
    /// - Parameter isSecure: whether the listener speaks TLS.
    package static func add(to router: Router<ServerRequestContext>, isSecure: Bool = false) {
        WebPages(path: path, files: WebFile.files(of: keyway_dashboard_files()), isSecure: isSecure).add(to: router)
        router.get("/") { _, _ in
            Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
        }
    }
}
