import ContentKeySession
import ContentKeySessionTesting
import HTTPTransport
import SimulatedClocks
import StreamPlayer
import Synchronization
import VirtualDevice

/// The simulated network of the device, with a fixed bandwidth and an outage. Media is read from a folder, with the
/// delay of the network. Requests to the key server are really sent, while the simulated time is paused.
final class StoryNetwork: Sendable {
    /// The numbers of requests to the key server, by type.
    struct Requests: Sendable {
        var certificates = 0
        var batches = 0
        var singles = 0
        /// The number of requests for persistent keys.
        var persistable = 0
        var all: Int { certificates + batches + singles }
    }

    /// The bandwidth, in bits per second.
    static let rate = 2_500_000.0

    let time: SimulatedTime
    private let state = Mutex<(outage: Range<Duration>?, requests: Requests)>((nil, Requests()))
    private let transport = HTTPClientTransport()

    init(_ time: SimulatedTime) { self.time = time }

    /// The requests so far.
    var requests: Requests { state.withLock { $0.requests } }

    /// True if the network is in an outage.
    var isDown: Bool {
        let now = time.now
        return state.withLock { $0.outage?.contains(now) ?? false }
    }

    /// Starts an outage.
    func cut(for duration: Duration) {
        let now = time.now
        state.withLock { $0.outage = now..<now + duration }
    }

    /// Performs an exchange with the key server, while the simulated time is paused.
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
        let requestsPersistentKey = String(decoding: request.body, as: UTF8.self).contains(#""persist":true"#)
        state.withLock { state in
            if request.method == .get {
                state.requests.certificates += 1
            } else if path.hasSuffix("/licenses") {
                state.requests.batches += 1
            } else {
                state.requests.singles += 1
            }
            if requestsPersistentKey { state.requests.persistable += 1 }
        }
    }
}

extension StoryNetwork: KeyTransport {
    /// Sends a request to the key server.
    func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
        guard !isDown else { throw .noConnection }
        count(request)
        return try await exchange { () throws(KeyTransportError) in try await transport.send(request) }
    }
}

extension StoryNetwork: MediaLoader {
    /// Loads a file from the movie's folder, with the delay of the network.
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

/// The persistent keys of the app, in memory.
final class StoryPersistentKeys: PersistentKeyStore {
    private let keys = Mutex<[String: [UInt8]]>([:])

    /// The number of keys.
    var count: Int { keys.withLock { $0.count } }

    func key(for identifier: String) async -> [UInt8]? { keys.withLock { $0[identifier] } }
    func save(_ key: [UInt8], for identifier: String) async { keys.withLock { $0[identifier] = key } }
}
