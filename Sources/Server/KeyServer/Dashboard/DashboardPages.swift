import CWebFiles
import HTTPTypes
package import Hummingbird

/// The dashboard's pages. They contain no data: they load it from the administration API with the user's session.
package enum DashboardPages {
    static let path = "/dashboard"

    /// Adds the pages to a router, and redirects `/` to them.
    ///
    /// - Parameter isSecure: Whether the listener uses TLS.
    package static func add(to router: Router<ServerRequestContext>, isSecure: Bool = false) {
        WebPages(path: path, files: WebFile.files(of: keyway_dashboard_files()), isSecure: isSecure).add(to: router)
        router.get("/") { _, _ in
            Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
        }
    }
}
