import AVFoundation
import ContentKeySession
import ContentKeySessionAVFoundation
import Foundation

/// The device checks that need no hand: what AVFoundation does where Apple's documents are silent. They use AVFoundation
/// without the adapter. `Examples/device-checks` describes all checks and the keys that the server needs.
@MainActor
public struct DeviceChecks {
    /// The keys of the checks on the server.
    public enum Key {
        /// A key that may be stored.
        public static let store = "skd://check-store"
        /// A key that may be stored for 60 seconds.
        public static let expiring = "skd://check-expiring"
        /// A key with a lease of 60 seconds.
        public static let lease = "skd://check-lease"
    }

    /// Adds a line to the report.
    public typealias Line = @MainActor (String) -> Void

    /// An error of the checks themselves.
    enum Failure: Error, CustomStringConvertible {
        case noRequest, noKey(String)
        case server(Int)
        var description: String {
            switch self {
            case .noRequest: "AVFoundation delivered no request in five seconds"
            case .noKey(let calls): "the device accepted no key: \(calls)"
            case .server(let status):
                "the key server answered with status \(status): does it have the keys of the checks?"
            }
        }
    }

    let service: FilmService
    private let film: Film?

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - service: The service, whose key server has the keys of ``Key``.
    ///   - film: A film whose keys have two expiry periods, for the check of updates; nil skips it.
    public init(_ service: FilmService, film: Film? = nil) { (self.service, self.film) = (service, film) }

    /// Runs the checks. Takes about six minutes.
    ///
    /// - Parameter progress: Called with each line of the report.
    /// - Returns: The report, which contains no identifiers, keys, tokens or addresses.
    public func run(_ system: String, progress: @escaping Line = { _ in }) async -> String {
        var lines: [String] = []
        func add(_ line: String) {
            lines.append(line)
            progress(line)
        }
        add("Keyway device checks, \(system)")
        let checks: [(String, (Line) async throws -> Void)] = [
            ("1 persistable requests (26, 31)", persistableRequests), ("3 an expired key (61)", expiredKey),
            ("4 a second request (33, 34, 39-42, 67)", secondRequest), ("5 renewal (47-50, 53)", renewal),
            ("6 update at first playback (58)", update), ("8 clear keys (3)", clearKeys),
            ("9 cancellation (9, 74, 83)", cancellation), ("10 a failed SPC (14, 22, 71)", failedSPC),
        ]
        // In the Simulator, the other checks would end the app.
        let hasFairPlay = PlatformContentKeySession().isAvailable
        for (name, check) in checks where hasFairPlay || name.hasPrefix("8") {
            add(name)
            do { try await check { add("  " + $0) } } catch {
                add("  not completed: \((error as? Failure)?.description ?? numbers(of: error))")
            }
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Sessions and keys

    func session(
        _ keySystem: AVContentKeySystem = .fairPlayStreaming,
        withStorage: Bool = true
    ) throws -> CheckSession {
        let folder = service.folder.appending(path: "checks", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return CheckSession(keySystem, storage: withStorage ? folder : nil, clock: service.clock)
    }

    /// Requests a key and returns the request.
    func request(_ key: String, _ session: CheckSession) async throws -> AVContentKeyRequest {
        session.process(key)
        guard let request = await session.next() else { throw Failure.noRequest }
        return request
    }

    /// Turns a request into a persistable request.
    func persistable(
        _ request: AVContentKeyRequest,
        _ session: CheckSession
    ) async throws -> AVPersistableContentKeyRequest {
        #if os(iOS)
        try request.respondByRequestingPersistableContentKeyRequestAndReturnError()
        #else
        try request.respondByRequestingPersistableContentKeyRequest()
        #endif
        guard let persistable = await session.next() as? AVPersistableContentKeyRequest else { throw Failure.noRequest }
        return persistable
    }

    /// Returns the CKC for a request.
    func ckc(for request: AVContentKeyRequest, _ key: String, persistable: Bool = false) async throws -> Data {
        let identity = service.server.keys.uris.identity(of: key)
        let spc = try await request.makeStreamingContentKeyRequestData(
            forApp: try await certificate(),
            contentIdentifier: identity.map { Data($0.contentIdentifier) },
            // The version of a playlist without KEYFORMATVERSIONS.
            options: [AVContentKeyRequestProtocolVersionsKey: [NSNumber(value: 1)]]
        )
        // The form of a request to Keyway's server.
        let body = License(spc: spc, assetId: identity?.assetID, persist: persistable)
        let answer = try await send(.post, service.server.keys.licenseURL, .license, JSONEncoder().encode(body))
        return try JSONDecoder().decode(Answer.self, from: answer).ckc
    }

    private struct License: Encodable {
        var spc: Data, assetId: String?, persist: Bool
    }
    private struct Answer: Decodable { var ckc: Data }

    private func certificate() async throws -> Data {
        try await send(.get, service.server.keys.certificateURL, .certificate)
    }

    private func send(
        _ method: KeyTransportRequest.Method,
        _ address: String,
        _ purpose: KeyService.Purpose,
        _ body: Data = Data()
    ) async throws -> Data {
        var headers = [KeyTransportHeader("Content-Type", "application/json")]
        if let token = try await service.server.keys.token(purpose) {
            headers.append(KeyTransportHeader("Authorization", "Bearer \(token.value)"))
        }
        let request = KeyTransportRequest(method, address, headers: headers, body: Array(body))
        let response = try await service.transport.send(request)
        guard response.status == 200 else { throw Failure.server(response.status) }
        return Data(response.body)
    }

    func answer(_ request: AVContentKeyRequest, _ data: Data) {
        request.processContentKeyResponse(AVContentKeyResponse(fairPlayStreamingKeyResponseData: data))
    }

    /// Loads a key in a session.
    func load(_ key: String, _ session: CheckSession) async throws -> AVContentKeyRequest {
        let request = try await request(key, session)
        answer(request, try await ckc(for: request, key))
        guard await session.result() else { throw Failure.noKey(text(session.calls)) }
        return request
    }

    /// Acquires a persistable key in a session of its own.
    func acquire(_ key: String) async throws -> Data {
        let session = try session()
        let request = try await persistable(request(key, session), session)
        let ckc = try await ckc(for: request, key, persistable: true)
        let stored = try request.persistableContentKey(fromKeyVendorResponse: ckc, options: nil)
        answer(request, stored)
        guard await session.result() else { throw Failure.noKey(text(session.calls)) }
        return stored
    }

    func text(_ calls: [String]) -> String { calls.isEmpty ? "no call" : calls.joined(separator: ", ") }

    // MARK: The checks

    private func update(_ add: Line) async throws {
        guard let film, let key = film.keys.first else { return add("not run: no film") }
        let stored = try await acquire(key)
        let session = try session()
        let asset = AVURLAsset(url: film.url)
        session.session.addContentKeyRecipient(asset)
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        player.play()
        guard let request = await session.next() else { throw Failure.noRequest }
        add("identifier of a request of the player: \(kind(of: request.identifier))")
        answer(try await persistable(request, session), stored)
        await session.wait(.seconds(30)) { session.updatedKey != nil && session.hasSucceeded }
        player.replaceCurrentItem(with: nil)
        add("calls: \(text(session.calls.filter { !$0.hasPrefix("external") }))")
    }
}

extension AVContentKeyRequest {
    /// The name of the status.
    var statusName: String {
        switch status {
        case .requestingResponse: "requestingResponse"
        case .receivedResponse: "receivedResponse"
        case .renewed: "renewed"
        case .retried: "retried"
        case .cancelled: "cancelled"
        case .failed: "failed"
        @unknown default: "another status"
        }
    }
}
