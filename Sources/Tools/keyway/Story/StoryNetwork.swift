import ContentKeySession
import ContentKeySessionTesting
import HTTPTransport
import StreamPlayer
import Synchronization
import VirtualDevice

/// The device's network: so many bits a second, and now and then none. The film comes from a folder as if it came over it;
/// what is asked of the key server goes to the server, while time stands still.
final class StoryNetwork: Sendable {
    /// How many requests of what kind reached the key server.
    struct Requests: Sendable {
        var certificates = 0
        var batches = 0
        var singles = 0
        /// Those that asked for a key to keep.
        var persistable = 0
        var all: Int { certificates + batches + singles }
    }

    /// Bits a second.
    static let rate = 2_500_000.0

    let time: JumpingTime
    private let state = Mutex<(outage: Range<Duration>?, requests: Requests)>((nil, Requests()))
    private let transport = HTTPClientTransport()

    init(_ time: JumpingTime) { self.time = time }

    /// What was asked.
    var requests: Requests { state.withLock { $0.requests } }

    /// Whether nothing gets through now.
    var isDown: Bool {
        let now = time.now
        return state.withLock { $0.outage?.contains(now) ?? false }
    }

    /// Lets nothing through for a while.
    func cut(for duration: Duration) {
        let now = time.now
        state.withLock { $0.outage = now..<now + duration }
    }

    /// Does something that the key server takes part in, while time stands still.
    fileprivate func exchange<Value>(_ body: () async throws(KeyTransportError) -> Value)
        async throws(KeyTransportError)
        -> Value
    {
        let id = time.beginExchange()
        defer { time.endExchange(id) }
        return try await body()
    }

    private func count(_ request: KeyTransportRequest) {
        let path = request.url.split(separator: "?").first ?? ""
        let asksToKeep = String(decoding: request.body, as: UTF8.self).contains(#""persist":true"#)
        state.withLock { state in
            if request.method == .get {
                state.requests.certificates += 1
            } else if path.hasSuffix("/licenses") {
                state.requests.batches += 1
            } else {
                state.requests.singles += 1
            }
            if asksToKeep { state.requests.persistable += 1 }
        }
    }
}

extension StoryNetwork: KeyTransport {
    /// Sends a request to the key server.
    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportAnswer {
        guard !isDown else { throw .noConnection }
        count(request)
        return try await exchange { () throws(KeyTransportError) in try await transport.send(request) }
    }
}

extension StoryNetwork: MediaLoader {
    /// Takes a file of the film's folder, and the time that it would take to come.
    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard !isDown else { throw MediaLoadError(.noConnection, resource.url) }
        let media = try await HTTPMediaLoader().load(resource)
        let seconds = Double(media.bytes.count) * 8 / Self.rate
        guard (try? await time.sleep(until: time.now + .seconds(seconds))) != nil else {
            throw MediaLoadError(.cancelled, resource.url)
        }
        guard !isDown else { throw MediaLoadError(.noConnection, resource.url) }
        return media
    }
}

/// Where the app keeps keys that may be kept.
final class StoryShelf: KeptKeys {
    private let keys = Mutex<[String: [UInt8]]>([:])

    /// How many there are.
    var count: Int { keys.withLock { $0.count } }

    func key(for identifier: String) async -> [UInt8]? { keys.withLock { $0[identifier] } }
    func keep(_ key: [UInt8], for identifier: String) async { keys.withLock { $0[identifier] = key } }
}
