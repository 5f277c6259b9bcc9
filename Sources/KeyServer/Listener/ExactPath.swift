import Hummingbird

/// Answers 404 where the path is another spelling of a route's.
///
/// Rules of a proxy in front, such as "nobody gets to `/admin`", compare the path as it is written. A second spelling that
/// reaches the same route (`//admin`, `/admin/`, `/%61dmin`) would get past them.
struct ExactPath: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isExact(request.uri.path) else { throw ProblemDocument(.notFound) }
        return try await next(request, context)
    }

    /// Whether there is no plainer way to write the path: no empty part, no `.` and `..`, and no letter or digit that is
    /// percent-encoded. Nothing that writes paths encodes those; names in the path of administration may need the rest.
    static func isExact(_ path: String) -> Bool {
        if path == "/" { return true }
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.dropFirst().allSatisfy { part in
            !part.isEmpty && !isDots(part) && !hasNeedlessEscape(part)
        }
    }

    private static func isDots(_ part: Substring.UTF8View) -> Bool {
        [".", ".."].contains(String(decoding: part, as: UTF8.self).lowercased().replacing("%2e", with: "."))
    }

    private static func hasNeedlessEscape(_ part: Substring.UTF8View) -> Bool {
        var rest = part
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[percent...].dropFirst()
            guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { continue }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39:
                return true
            default: continue
            }
        }
        return false
    }
}
