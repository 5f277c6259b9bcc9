import Synchronization

/// A request to a ``FilmSite``.
struct SiteRequest: Sendable {
    let path: String
    /// The Range field.
    var range: String?
    /// The If-Range field.
    var ifRange: String?
}

/// A response of the site.
struct SiteAnswer: Sendable {
    /// The behavior of the connection.
    enum End: Sendable, Equatable {
        case whole
        /// The connection is closed after this number of bytes of the body.
        case breaksOff(after: Int)
        /// The connection stalls after this number of bytes of the body.
        case hangs(after: Int)
    }

    var status = 200
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var end = End.whole
}

/// A web site with a presentation: files, their versions, and injected errors of the next requests.
final class FilmSite: Sendable {
    /// An injected error of one request.
    enum Fault: Sendable {
        case status(Int, headers: [(name: String, value: String)] = [])
        case breaksOff(after: Int)
        case hangs(after: Int)
        case redirect(to: String)
    }

    private struct State {
        var files: [String: [UInt8]] = [:]
        var etags: [String: String] = [:]
        var hasRanges = true
        var hasValidators = true
        var faults: [String: [Fault]] = [:]
        var log: [SiteRequest] = []
        /// The query that requests must have, except for paths that are free; nil means that no signature is required.
        var signature: String?
        var free: Set<String> = []
        var silences = 0
    }

    private let state = Mutex(State())

    init(_ files: [String: [UInt8]]) {
        state.withLock { state in
            state.files = files
            state.etags = files.mapValues { _ in "\"1\"" }
        }
    }

    /// The received requests.
    var requests: [SiteRequest] { state.withLock { $0.log } }
    func requests(of path: String) -> [SiteRequest] { requests.filter { $0.path == path } }
    /// The number of responses that have stalled.
    var silences: Int { state.withLock { $0.silences } }
    func fallSilent() { state.withLock { $0.silences += 1 } }

    /// Waits until a response has stalled, so that everything before the stall has been received.
    func silence() async throws { try await eventually("a response stalls") { silences > 0 } }

    /// From now on, requires a query for all except some paths. Playlists contain it in place of `SIGNATURE`; addresses
    /// signed before are rejected.
    func sign(_ signature: String, butFor free: Set<String> = []) {
        state.withLock { ($0.signature, $0.free) = (signature, free) }
    }

    func forgetRequests() { state.withLock { $0.log = [] } }
    func file(_ path: String) -> [UInt8]? { state.withLock { $0.files[path] } }

    func setRanges(_ hasRanges: Bool) { state.withLock { $0.hasRanges = hasRanges } }
    func setValidators(_ hasValidators: Bool) { state.withLock { $0.hasValidators = hasValidators } }

    /// Replaces the bytes of a file, and changes its validators.
    func change(_ path: String, to bytes: [UInt8], etag: String = "\"2\"") {
        state.withLock { state in
            state.files[path] = bytes
            state.etags[path] = etag
        }
    }

    /// Injects errors for the next requests for a file, in order.
    func spoil(_ path: String, _ faults: Fault...) { state.withLock { $0.faults[path, default: []] += faults } }

    func answer(_ request: SiteRequest) -> SiteAnswer {
        state.withLock { state in
            state.log.append(request)
            var end = SiteAnswer.End.whole
            if var faults = state.faults[request.path], !faults.isEmpty {
                let fault = faults.removeFirst()
                state.faults[request.path] = faults
                switch fault {
                case .status(let status, let headers): return SiteAnswer(status: status, headers: headers)
                case .redirect(let to): return SiteAnswer(status: 302, headers: [("Location", to)])
                case .breaksOff(let count): end = .breaksOff(after: count)
                case .hangs(let count): end = .hangs(after: count)
                }
            }
            let parts = request.path.split(separator: "?", maxSplits: 1).map(String.init)
            var path = request.path
            if let signature = state.signature {
                path = parts.first ?? ""
                guard state.free.contains(path) || parts.last == signature else { return SiteAnswer(status: 403) }
            }
            guard var file = state.files[path] else { return SiteAnswer(status: 404) }
            if let signature = state.signature, path.hasSuffix(".m3u8") {
                file = Array(
                    String(decoding: file, as: UTF8.self).replacing("SIGNATURE", with: signature).utf8
                )
            }
            var answer = SiteAnswer(body: file, end: end)
            let etag = state.etags[path] ?? ""
            if state.hasValidators { answer.headers.append(("ETag", etag)) }
            guard state.hasRanges, let range = request.range, request.ifRange.map({ $0 == etag }) ?? true else {
                return answer
            }
            let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
            guard let from = ends.first.flatMap({ Int($0) }) else { return SiteAnswer(status: 400) }
            guard from < file.count else {
                return SiteAnswer(status: 416, headers: [("Content-Range", "bytes */\(file.count)")])
            }
            let last = min(ends.last.flatMap { Int($0) } ?? file.count - 1, file.count - 1)
            answer.status = 206
            answer.headers.append(("Content-Range", "bytes \(from)-\(last)/\(file.count)"))
            answer.body = Array(file[from...last])
            return answer
        }
    }
}
