import Foundation
import HTTPRequests
import Packager
import Synchronization
import TextCoding
import ToolSupport

/// The upload of a live presentation with PUT and DELETE: whole files, and parts of growing segments with Content-Range
/// (RFC 9110, 14.5), in the order in which they may be read.
///
/// A request that fails in a way that can pass is repeated until ``timeout`` after the change; then the run ends with an
/// error. The files remain in the folder on this machine, and another run continues from there.
final class LiveUpload: LivePublisher {
    /// The server and how it is addressed.
    struct Target: Sendable {
        /// The URL of the presentation's folder, without a slash at the end.
        let base: String
        /// The bearer token; nil for none.
        let token: String?
        /// The time after a change up to which its upload is repeated.
        let timeout: Duration
    }

    private struct State {
        var queue = UploadQueue()
        var isBusy = false
        var failure: CommandFailure?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The timeout of a request, and the delays between its repetitions.
    private static let requestTimeout = Duration.seconds(10)
    private static let firstDelay = Duration.milliseconds(100)
    private static let longestDelay = Duration.seconds(2)
    /// The number of files that are compared at the same time when a run continues.
    private static let comparisons = 8

    private let target: Target
    private let folder: String
    private let http: CommandHTTP
    private let state = Mutex(State())

    /// Creates an upload.
    ///
    /// - Parameter folder: The folder of the presentation on this machine.
    init(_ target: Target, folder: String, http: CommandHTTP = .shared) {
        (self.target, self.folder, self.http) = (target, folder, http)
    }

    // MARK: LivePublisher

    func begin(_ folder: String, files: [String]) async throws {
        let start = ContinuousClock.now
        // Playlists refer to the other files.
        let playlists = files.filter { $0.hasSuffix(".m3u8") || $0.hasSuffix(".mpd") }
        let media = files.filter { !playlists.contains($0) }
        for first in stride(from: 0, to: media.count, by: Self.comparisons) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for file in media[first..<min(first + Self.comparisons, media.count)] {
                    tasks.addTask { try await self.copyIfNeeded(file, start) }
                }
                try await tasks.waitForAll()
            }
        }
        for file in playlists { try await put(file, try read(file, nil), since: start) }
    }

    func add(_ change: LiveFileChange) throws {
        let starts = try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.queue.append(change, now: .now)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if starts { Task { await run() } }
    }

    func finish() async throws {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isBusy { state.waiters.append(continuation) }
                return !state.isBusy
            }
            if isDone { continuation.resume() }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    // MARK: Uploading

    /// Uploads changes until there are none.
    private func run() async {
        while true {
            let groups = state.withLock { $0.failure == nil ? $0.queue.next() : [] }
            guard !groups.isEmpty else {
                let waiters: [CheckedContinuation<Void, Never>]? = state.withLock { state in
                    guard state.failure != nil || state.queue.isEmpty else { return nil }
                    state.isBusy = false
                    defer { state.waiters = [] }
                    return state.waiters
                }
                guard let waiters else { continue }
                for waiter in waiters { waiter.resume() }
                return
            }
            do {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for group in groups {
                        tasks.addTask { for entry in group { try await self.upload(entry) } }
                    }
                    try await tasks.waitForAll()
                }
            } catch {
                let failure = error as? CommandFailure ?? .file("the upload failed: \(error)")
                state.withLock { $0.failure = failure }
            }
        }
    }

    private func upload(_ entry: UploadQueue.Entry) async throws {
        let path = entry.change.path
        switch entry.change.kind {
        case .replaced(let bytes): try await put(path, bytes, since: entry.added)
        case .deleted: _ = try await send("DELETE", path, since: entry.added, accepting: [404, 410])
        case .written(let range, true) where range.lowerBound == 0:
            // A file that has been deleted meanwhile is deleted on the server next.
            guard let bytes = try? read(path, nil) else { return }
            try await put(path, bytes, since: entry.added)
        case .written(let range, let isComplete):
            guard let bytes = try? read(path, range) else { return }
            try await append(path, range, bytes, isComplete, since: entry.added)
        }
    }

    /// Appends a part to a segment. A server that has lost an earlier part gets it again.
    private func append(
        _ path: String,
        _ range: Range<Int>,
        _ bytes: [UInt8],
        _ isComplete: Bool,
        since added: ContinuousClock.Instant
    ) async throws {
        let answer = try await send("PUT", path, bytes, range, isComplete, since: added, accepting: [409])
        guard answer.status == 409 else { return }
        let size = answer.header("Upload-Offset").flatMap { Int($0) } ?? 0
        let missing = max(0, min(size, range.lowerBound))..<range.upperBound
        if size >= range.lowerBound { _ = try await send("DELETE", path, since: added, accepting: [404, 410]) }
        let again = size >= range.lowerBound ? 0..<range.upperBound : missing
        _ = try await send("PUT", path, try read(path, again), again, isComplete, since: added)
    }

    private func put(_ path: String, _ bytes: [UInt8], since added: ContinuousClock.Instant) async throws {
        _ = try await send("PUT", path, bytes, since: added)
    }

    private func copyIfNeeded(_ path: String, _ start: ContinuousClock.Instant) async throws {
        let bytes = try read(path, nil)
        let answer = try await send("HEAD", path, since: start, accepting: [404, 410])
        if Self.succeeded(answer), answer.header("Content-Length").flatMap({ Int($0) }) == bytes.count { return }
        try await put(path, bytes, since: start)
    }

    private func read(_ path: String, _ range: Range<Int>?) throws(CommandFailure) -> [UInt8] {
        let bytes = try InputFile.read(folder + "/" + path)
        guard let range else { return bytes }
        return Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
    }

    // MARK: Requests

    /// Sends a request, and repeats it while a failure can pass.
    private func send(
        _ method: String,
        _ path: String,
        _ body: [UInt8]? = nil,
        _ range: Range<Int>? = nil,
        _ isComplete: Bool = true,
        since added: ContinuousClock.Instant,
        accepting others: Set<Int> = []
    ) async throws -> BoundedHTTP.Answer {
        let address = "\(target.base)/\(path)"
        guard let url = URL(string: address) else { throw CommandFailure.input("\(path) cannot be part of a URL") }
        var request = BoundedHTTP.Request(address, timeout: Self.requestTimeout, maximumResponseSize: 64 << 10)
        (request.method, request.body) = (method, body)
        if body != nil { request.headers.append(.init("Content-Type", Self.mediaType(of: path))) }
        if let range {
            let length = isComplete ? "\(range.upperBound)" : "*"
            let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
            request.headers.append(.init("Content-Range", text))
        }
        if let token = target.token { request.headers.append(.init("Authorization", "Bearer \(token)")) }
        var delay = Self.firstDelay
        while true {
            let reason: String
            var refusal: CommandFailure?
            do throws(BoundedHTTP.Failure) {
                let answer = try await http.send(request, to: url, while: nil)
                if Self.succeeded(answer) || others.contains(answer.status) { return answer }
                reason = "status \(answer.status)"
                let canPass = answer.status == 408 || answer.status == 429 || answer.status >= 500
                refusal = canPass ? nil : Self.refusal(method, address, answer)
            } catch {
                guard error.code != .cancelled else { throw CancellationError() }
                reason = error.reason
            }
            if let refusal { throw refusal }
            guard .now + delay < added + target.timeout else {
                throw CommandFailure.file(
                    "\(method) \(path) failed for \(target.timeout): \(reason)",
                    next: "the files are in \(folder); start the command again to continue"
                )
            }
            try? await Task.sleep(for: delay)
            delay = min(delay * 2, Self.longestDelay)
        }
    }

    private static func succeeded(_ answer: BoundedHTTP.Answer) -> Bool { (200..<300).contains(answer.status) }

    /// Returns a failure for a response that will not be better later.
    private static func refusal(_ method: String, _ address: String, _ answer: BoundedHTTP.Answer) -> CommandFailure {
        let advice =
            switch answer.status {
            case 401, 403: "give the token of this channel with --upload-token"
            case 405, 501: "the server must accept PUT and DELETE: keyway-origin does with --tokens"
            case 400: "parts need a server that accepts PUT with Content-Range, such as keyway-origin"
            default: "check the URL, and the log of the server"
            }
        return .file("the server responded to \(method) \(address) with status \(answer.status)", next: advice)
    }

    private static func mediaType(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "m3u8": "application/vnd.apple.mpegurl"
        case "mpd": "application/dash+xml"
        case "m4s", "mp4": "video/mp4"
        case "ts": "video/mp2t"
        default: "application/octet-stream"
        }
    }
}
