import ContentKeySession
import FPSCrypto
import SampleEncryption
import StreamPlayer
import Synchronization

/// A clock that advances only when a task sleeps or loads.
final class StageClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let moment = Mutex(Swift.Duration.zero)
    let minimumResolution = Duration.zero

    var now: Instant { Instant(offset: elapsed) }
    var elapsed: Swift.Duration { moment.withLock { $0 } }

    func pass(_ duration: Swift.Duration) { moment.withLock { $0 += duration } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        moment.withLock { $0 = max($0, deadline.offset) }
    }
}

/// Segments that the player recognizes as media: WebVTT with any text.
enum StageMedia {
    static let prefix = Array("WEBVTT\n\n".utf8)

    static func bytes(_ text: String) -> [UInt8] { prefix + Array(text.utf8) }

    /// Returns a segment that is filled with a letter.
    static func filled(_ letter: UInt8, count: Int) -> [UInt8] {
        prefix + [UInt8](repeating: letter, count: count - prefix.count)
    }
}

/// A web server implemented by a closure: the resource at a URL, and the time to load it.
final class StageServer: MediaLoader {
    enum Answer {
        case text(String)
        /// A segment with this text.
        case media(String)
        case bytes([UInt8])
        case error(MediaLoadError)
        /// An error of the resource with a code and a status.
        static func failure(_ code: MediaLoadError.Code, _ status: Int?) -> Answer {
            .error(MediaLoadError(code, "", status: status))
        }
    }

    private let clock: StageClock
    /// The rate in bits per second.
    private let rate: @Sendable (Duration) -> Double
    private let answer: @Sendable (MediaResource, Duration) -> Answer
    private let log = Mutex<[String]>([])

    /// The names of the requested resources: the text after the last slash.
    var asked: [String] { log.withLock { $0 } }

    init(
        _ clock: StageClock,
        rate: @escaping @Sendable (Duration) -> Double = { _ in 1e12 },
        _ answer: @escaping @Sendable (MediaResource, Duration) -> Answer
    ) {
        (self.clock, self.rate, self.answer) = (clock, rate, answer)
    }

    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        log.withLock { $0.append(String(resource.url.split(separator: "/").last ?? "")) }
        let bytes: [UInt8]
        switch answer(resource, clock.elapsed) {
        case .text(let text): bytes = Array(text.utf8)
        case .media(let text): bytes = StageMedia.bytes(text)
        case .bytes(let content): bytes = content
        case .error(let error):
            throw MediaLoadError(error.code, resource.url, status: error.status, retryAfter: error.retryAfter)
        }
        clock.pass(.seconds(Double(bytes.count) * 8 / rate(clock.elapsed)))
        return LoadedMedia(bytes: bytes, url: resource.url)
    }
}

/// The same server with progress callbacks, four times per second.
final class WatchedServer: MediaLoader {
    private let clock: StageClock
    private let rate: @Sendable (Duration) -> Double
    private let inner: StageServer

    init(
        _ clock: StageClock,
        rate: @escaping @Sendable (Duration) -> Double,
        _ answer: @escaping @Sendable (MediaResource, Duration) -> StageServer.Answer
    ) {
        (self.clock, self.rate) = (clock, rate)
        inner = StageServer(clock, answer)
    }

    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        try await load(resource) { _ in true }
    }

    func load(
        _ resource: MediaResource,
        shouldContinue: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia {
        let media = try await inner.load(resource)
        var received = 0
        while received < media.bytes.count {
            let bytesPerSecond = rate(clock.elapsed) / 8
            let step = min(media.bytes.count - received, max(1, Int(bytesPerSecond / 4)))
            clock.pass(.seconds(Double(step) / bytesPerSecond))
            received += step
            let progress = MediaProgress(received: UInt64(received), expected: UInt64(media.bytes.count))
            guard await shouldContinue(progress) else { throw MediaLoadError(.abandoned, resource.url) }
        }
        return media
    }
}

/// An output that stores the player's pieces.
final class StageOutput: MediaOutput {
    let supportsInitializationChanges = true
    private let pieces = Mutex<[DecryptedPiece]>([])

    var all: [DecryptedPiece] { pieces.withLock { $0 } }
    /// The texts of the segments.
    var texts: [String] { all.map { String(decoding: $0.bytes.dropFirst(StageMedia.prefix.count), as: UTF8.self) } }
    /// The first letters of the texts of the segments of a track.
    func letters(_ track: DecryptedPiece.TrackKind = .main) -> String {
        String(decoding: all.filter { $0.track == track }.map { $0.bytes[StageMedia.prefix.count] }, as: UTF8.self)
    }

    func write(_ piece: DecryptedPiece) async throws { pieces.withLock { $0.append(piece) } }
    func finish() async throws {}
}

/// A clock, and the events of a player.
final class Stage: Sendable {
    let clock = StageClock()
    let output = StageOutput()
    private let happened = Mutex<[PlayerEvent]>([])

    var events: [PlayerEvent] { happened.withLock { $0 } }

    func play(
        _ server: any MediaLoader,
        _ url: String = "https://stage.test/main.m3u8",
        keys: PlayerKeySystems = PlayerKeySystems(),
        _ change: (inout PlayerSettings) -> Void = { _ in }
    ) async throws -> PlaybackReport {
        var settings = PlayerSettings()
        change(&settings)
        let player = Player(settings: settings, keys: keys, loader: server, clock: clock) { event in
            self.happened.withLock { $0.append(event) }
        }
        return try await player.play(url, to: output)
    }

    func failure(_ server: StageServer, keys: PlayerKeySystems = PlayerKeySystems()) async -> PlayerError? {
        do {
            _ = try await play(server, keys: keys)
            return nil
        } catch {
            return error as? PlayerError
        }
    }

    var switches: [QualityDecision] {
        events.compactMap { if case .switched(let decision) = $0 { decision } else { nil } }
    }

    var missed: [TimelineNotice] {
        events.compactMap { if case .missed(_, let notice) = $0 { notice } else { nil } }
    }
}

/// A session for clear keys, and a loop that answers its requests.
struct StageKeys: Sendable {
    let session: KeySession
    private let log = Requests()

    final class Requests: Sendable {
        let identifiers = Mutex<[String]>([])
    }

    init(_ clock: StageClock) {
        session = KeySession(
            keySystem: .clearKey,
            device: NoContentProtection(),
            clock: clock,
            responseTimeout: nil
        )
    }

    var systems: PlayerKeySystems { PlayerKeySystems(clearKey: session) }
    /// The requested identifiers, in order.
    var asked: [String] { log.identifiers.withLock { $0 } }

    /// Answers each request with the key of its identifier, or refuses it, while `body` runs.
    func answering<Value: Sendable>(
        _ key: @escaping @Sendable (String) -> [UInt8]?,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let requests = session.requests
        let log = log
        let task = Task {
            for await request in requests {
                log.identifiers.withLock { $0.append(request.identifier) }
                if let bytes = key(request.identifier) {
                    await request.processContentKeyResponse(.init(clearKeyData: bytes))
                } else {
                    await request.processContentKeyResponseError(CancellationError())
                }
            }
        }
        defer { task.cancel() }
        return try await body()
    }

    /// Returns a key derived from its URI.
    static func key(_ uri: String) -> [UInt8] {
        let seed = uri.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return (0..<16).map { UInt8(truncatingIfNeeded: seed >> UInt64($0 % 8 * 8)) ^ UInt8($0) }
    }

    /// Returns a segment under AES-128 whose initialization vector is its number.
    static func encrypted(_ text: String, _ uri: String, number: UInt64) -> [UInt8] {
        let vector = (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> UInt64((15 - $0) * 8)) }
        guard let cipher = try? SegmentCipher(key: SecretBytes(copying: key(uri))),
            let iv = try? CipherIV(vector)
        else { return [] }
        var segments = [StageMedia.bytes(text)]
        return (try? cipher.encrypt(&segments, ivs: [iv])) == nil ? [] : segments[0]
    }
}
