import HTTPTypes
import Hummingbird

/// A folder of embedded files at a path: `index.html` at the path itself, other files below it.
///
/// Only browsers cache the files, and revalidate them for each use, so that pages always match the version of the
/// server, even after an update.
struct WebPages: Sendable {
    let path: String
    let files: [WebFile]
    var policy = ContentSecurityPolicy.strict
    /// The names of files that pages of other origins may load.
    var shared: Set<String> = []
    /// True if the files are served over TLS, so that browsers are told to use only HTTPS for this host (HSTS).
    var isSecure = false

    /// Adds a route for each file to a router.
    func add(to router: Router<ServerRequestContext>) {
        for file in files {
            let headers = headers(of: file)
            router.get(RouterPath(path(of: file))) { request, _ in
                guard let known = request.headers[.ifNoneMatch], file.matches(known) else {
                    return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.body))
                }
                var headers = headers
                headers[.contentType] = nil
                return Response(status: .notModified, headers: headers)
            }
        }
    }

    /// Returns the path of a file.
    func path(of file: WebFile) -> String { file.name == "index.html" ? path : "\(path)/\(file.name)" }

    private func headers(of file: WebFile) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: file.mediaType,
            .eTag: file.entityTag,
            .cacheControl: "no-cache",
            .contentSecurityPolicy: policy.value,
            .xContentTypeOptions: "nosniff",
            // With `no-referrer`, some browsers would not send `Origin` either, which the CSRF protection needs.
            .referrerPolicy: "same-origin",
            .xFrameOptions: "DENY",
            .crossOriginOpenerPolicy: "same-origin",
            .crossOriginResourcePolicy: shared.contains(file.name) ? "cross-origin" : "same-origin",
        ]
        // Over plain HTTP browsers must ignore HSTS (RFC 6797, 8.1); a proxy that terminates TLS sends the header
        // itself.
        if isSecure { headers[.strictTransportSecurity] = "max-age=31536000" }
        return headers
    }
}
