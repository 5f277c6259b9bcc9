import HTTPTypes
import Hummingbird

/// A folder of embedded files at a path: `index.html` at the path itself, every other under its name.
///
/// Nobody but the browser keeps them, and it asks each time whether its copy is the present one: the pages are as old as the
/// server that answers, also on the day of an update.
struct WebPages: Sendable {
    let path: String
    let files: [WebFile]
    var policy = ContentSecurityPolicy.strict
    /// The names of files that other origins' pages may take in.
    var shared: Set<String> = []
    /// Whether they are served over TLS, and browsers are told to ask for this host in no other way.
    var isSecure = false

    /// Puts a route for each file on a router.
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

    /// Where a file is.
    func path(of file: WebFile) -> String { file.name == "index.html" ? path : "\(path)/\(file.name)" }

    private func headers(of file: WebFile) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: file.mediaType,
            .eTag: file.entityTag,
            .cacheControl: "no-cache",
            .contentSecurityPolicy: policy.value,
            .xContentTypeOptions: "nosniff",
            // With none at all, some browsers would send no Origin either, by which changes are told from other sites'.
            .referrerPolicy: "same-origin",
            .xFrameOptions: "DENY",
            .crossOriginOpenerPolicy: "same-origin",
            .crossOriginResourcePolicy: shared.contains(file.name) ? "cross-origin" : "same-origin",
        ]
        // Over plain HTTP browsers must ignore it (RFC 6797, 8.1), and a proxy that ends TLS says it itself.
        if isSecure { headers[.strictTransportSecurity] = "max-age=31536000" }
        return headers
    }
}
