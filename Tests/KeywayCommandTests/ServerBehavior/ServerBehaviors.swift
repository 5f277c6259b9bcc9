extension ServerBehavior {
    static let all = generic + playlists + variants + attributes + subtitles + keys + requests

    /// Behaviors that have the same outcome for playlists, init segments and segments.
    private static let generic: [ServerBehavior] = [Resource.main, .media, .initialization, .segment].flatMap {
        resource in
        codings(resource) + redirects(resource) + statuses(resource) + transfers(resource)
    }

    private static func codings(_ resource: Resource) -> [ServerBehavior] {
        [
            .init("gzip", resource, .plays) { $0.encoded("gzip", Encoders.gzip) },
            .init("br", resource, .plays) { $0.encoded("br", Encoders.brotli) },
            .init("gzip in two members", resource, .plays) {
                $0.encoded("GZIP") { Encoders.gzip(Array($0.prefix(50))) + Encoders.gzip(Array($0.dropFirst(50))) }
            },
            .init("a Content-Encoding that is not a coding", resource, .plays) {
                $0.with("Content-Encoding: aws-chunked")
            },
            .init("gzip that is truncated", resource, .fails("encoding", "gzip, or incomplete")) {
                $0.encoded("gzip") { Array(Encoders.gzip($0).dropLast(9)) }
            },
            .init("gzip by its name only", resource, .fails("encoding", "not valid in its Content-Encoding, gzip")) {
                $0.with("Content-Encoding: gzip")
            },
            .init("br that is damaged", resource, .fails("encoding", "not valid in its Content-Encoding, br")) {
                $0.encoded("br") { _ in [UInt8](repeating: 0xFF, count: 100) }
            },
            .init("zstd", resource, .fails("encoding", "Content-Encoding zstd, which is not supported")) {
                $0.with("Content-Encoding: zstd")
            },
            .init("two codings", resource, .fails("encoding", "several Content-Encodings")) {
                $0.encoded("gzip, gzip") { Encoders.gzip(Encoders.gzip($0)) }
            },
        ]
    }

    private static func redirects(_ resource: Resource) -> [ServerBehavior] {
        [301, 302, 303, 307, 308].map { status in
            .init("a redirect with \(status)", resource, .plays) { $0.redirects(1, status: status) }
        } + [
            .init("ten redirects", resource, .plays) { $0.redirects(10) },
            .init("eleven redirects", resource, .fails("redirects", "redirects more than 10 times")) {
                $0.redirects(11)
            },
            .init("a redirect to itself", resource, .fails("redirects", "redirects in a loop")) {
                $0.status(302, ["Location: \($0.request.path)"])
            },
            .init("two redirects to each other", resource, .fails("redirects", "redirects in a loop")) {
                $0.status(307, ["Location: \($0.request.path)?\($0.number % 2)"])
            },
            .init("a redirect to itself that sets a cookie", resource, .plays) {
                $0.request.headers["cookie"]?.contains("seen=1") == true
                    ? $0.ordinary.steps
                    : $0.status(302, ["Location: \($0.request.path)", "Set-Cookie: seen=1; Path=/"])
            },
            .init("a redirect to a file", resource, .fails("redirects", "neither http nor https")) {
                $0.status(302, ["Location: file:///etc/passwd"])
            },
        ]
    }

    private static func statuses(_ resource: Resource) -> [ServerBehavior] {
        let temporary = [408, 429, 500, 503].map { status in
            ServerBehavior("\(status), each time", resource, .fails("status", "status \(status)", retries: 3)) {
                $0.status(status)
            }
        }
        let permanent = [204, 400, 401, 403, 451].map { status in
            ServerBehavior("\(status)", resource, .fails("status", "status \(status)")) { $0.status(status) }
        }
        return temporary + permanent + [
            .init("404", resource, .fails("not-found", "status 404", retries: 3)) { $0.status(404) },
            .init("410", resource, .fails("not-found", "status 410", retries: 3)) { $0.status(410) },
            .init("503, once", resource, .plays(retries: 1)) { $0.once(503) },
            .init("502, three times", resource, .plays(retries: 3)) {
                $0.number < 4 ? $0.status(502) : $0.ordinary.steps
            },
            .init("503 with Retry-After in seconds", resource, .plays(retries: 1, wait: .seconds(7))) {
                $0.once(503, "Retry-After: 7")
            },
            .init("503 with Retry-After as a date", resource, .plays(retries: 1, wait: .seconds(9))) {
                $0.once(503, "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:49:46 GMT")
            },
            .init("429 with Retry-After of days", resource, .plays(retries: 1, wait: .seconds(30))) {
                $0.once(429, "Retry-After: 999999999999999999999")
            },
            .init("503 with Retry-After in the past or without sense", resource, .plays(retries: 2)) {
                $0.number > 2
                    ? $0.ordinary.steps
                    : $0.status(503, ["Retry-After: " + ($0.number == 1 ? "Sun, 06 Nov 1994 08:49:46 GMT" : "-5 soon")])
            },
        ]
    }

    private static func transfers(_ resource: Resource) -> [ServerBehavior] {
        [
            .init(
                "slow, but with progress, for longer than the timeout",
                resource,
                .plays,
                idleTimeout: .milliseconds(2500)
            ) {
                $0.ordinary.steps(parts: 9, pause: 300)
            },
            .init("no response, once", resource, .plays(retries: 1), idleTimeout: .milliseconds(100)) {
                $0.number == 1 ? [.stall] : $0.ordinary.steps
            },
            .init("half of the body, then nothing, once", resource, .plays(retries: 1), idleTimeout: .milliseconds(100))
            {
                $0.number == 1 ? [.send($0.half), .stall] : $0.ordinary.steps
            },
            .init("half of the body, then the end, each time", resource, .fails("no-connection", "closed", retries: 3))
            {
                [.send($0.half)]
            },
            .init("half of the body, then a reset, once", resource, .plays(retries: 1)) {
                $0.number == 1 ? [.send($0.half), .reset] : $0.ordinary.steps
            },
            .init("a reset before the response, once", resource, .plays(retries: 1)) {
                $0.number == 1 ? [.reset] : $0.ordinary.steps
            },
            .init("a response that is not HTTP", resource, .fails("no-connection", "not valid HTTP", retries: 3)) { _ in
                [.send(Array("SSH-2.0-server\r\n\r\n".utf8))]
            },
            .init("chunked transfer coding", resource, .plays) { $0.ordinary.chunked() },
            .init("chunked transfer coding without its end, once", resource, .plays(retries: 1)) {
                $0.ordinary.chunked(isComplete: $0.number > 1)
            },
            .init("no Content-Length", resource, .plays) {
                var response = $0.ordinary
                response.length = nil
                return response.steps
            },
            .init("a Content-Length of 10 TB", resource, .fails("too-large", "longer than")) {
                var response = $0.ordinary
                response.length = 10_000_000_000_000
                return response.steps
            },
            .init("206 for a request without a range", resource, .fails("wrong-range", "requested bytes", retries: 3)) {
                $0.status(206)
            },
            .init("the Content-Type text/html", resource, .plays) {
                $0.with("Content-Type: text/html; charset=utf-16")
            },
        ]
    }
}
