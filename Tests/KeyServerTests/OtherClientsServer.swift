import FPSCrypto
import Foundation
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import TextCoding

@testable import KeyServer

/// A server without a listener for administration and without certificates, for other clients.
struct OtherClientsServer: Sendable {
    static let now: Int64 = 1_800_000_000
    static let signer: KeyURLSigner = {
        KeyURLSigner(current: KeyURLSecret(id: "a", secret: SecretBytes(copying: secret))!)!
    }()
    private static let secret = [UInt8](repeating: 7, count: 32)

    let running: RunningApplication
    let store: any KeyServerStore
    let log: LogRecorder

    /// Runs a server while `test` runs. It trusts the X-Forwarded-For header of every client.
    ///
    /// - Parameters:
    ///   - signsURLs: Whether the configuration has the secret of ``signer``.
    ///   - rates: The rate limits, with a clock that does not advance; nil means none.
    ///   - nanoseconds: The monotonic clock.
    static func run(
        signsURLs: Bool = true,
        rates: RateLimits? = nil,
        authorizer: (any PlaybackAuthorizer)? = nil,
        clients: Set<OtherClientKind> = Set(OtherClientKind.allCases),
        nanoseconds: (@Sendable () -> Int64)? = nil,
        _ authorization: PlaybackAuthorization = PlaybackAuthorization(account: "viewer", expires: now + 60),
        _ test: @Sendable (OtherClientsServer) async throws -> Void
    ) async throws {
        var setup = TestApplication()
        setup.configuration.admin.listen = nil
        setup.configuration.licenses.otherClients = clients
        setup.configuration.limits.rates = rates ?? .unlimited
        setup.environment.authorizer = authorizer ?? OneToken(authorization: authorization)
        setup.environment.time.milliseconds = { now * 1_000 }
        if let nanoseconds { setup.environment.time.nanoseconds = nanoseconds }
        if rates != nil { setup.environment.time.nanoseconds = { 0 } }
        let secrets = FileManager.default.temporaryDirectory.appendingPathComponent("keyway-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: secrets) }
        if signsURLs {
            let line = Data("a ".utf8) + Data(secret) + Data("\n".utf8)
            _ = FileManager.default.createFile(atPath: secrets, contents: line, attributes: [.posixPermissions: 0o600])
            setup.configuration.licenses.keyURLs.secretFile = secrets
        }
        try await setup.run { [setup] running in
            try await test(OtherClientsServer(running: running, store: setup.store, log: setup.log))
        }
    }

    /// The metrics in their text format.
    func exposition() async -> String { await running.application.metrics.registry.exposition() }

    /// Stores a key whose bytes are all the byte of its key ID plus 100. Nil means no policy.
    @discardableResult
    func add(
        _ byte: UInt8,
        policy: String? = #"{"otherClients":"allow"}"#,
        validFrom: Int64? = nil
    ) async throws -> (keyID: [UInt8], key: [UInt8]) {
        let keyID = [UInt8](repeating: byte, count: 16)
        let key = [UInt8](repeating: byte &+ 100, count: 16)
        if let policy {
            let record = try ContentDefaults.policy(name: "policy-\(byte)", json: Array(policy.utf8))
            try await store.putPolicy(record, replacing: true)
        }
        let record = try ContentRecord(
            assetID: Array("asset-\(byte)".utf8),
            keyID: keyID,
            contentKey: SecretBytes(copying: key),
            iv: [UInt8](repeating: 9, count: 16),
            policyName: policy.map { _ in "policy-\(byte)" },
            validFrom: validFrom,
            time: Self.now
        )
        try await store.putContent(record, replacing: true)
        return (keyID, key)
    }

    func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        token: String? = OneToken.token,
        origin: String? = nil,
        from address: String? = nil
    ) async throws -> ReceivedResponse {
        var headers: [String: String] = [:]
        if let address { headers["X-Forwarded-For"] = address }
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if let origin { headers["Origin"] = origin }
        return try await ReceivedResponse.of(
            method,
            "http://127.0.0.1:\(running.port)\(path)",
            headers,
            body.map { Array($0.utf8) }
        )
    }

    /// Requests Clear Key licenses for key IDs that repeat one byte each.
    func clearKey(
        _ bytes: UInt8...,
        token: String? = OneToken.token,
        from address: String? = nil
    ) async throws -> ReceivedResponse {
        let kids = bytes.map { "\"\(Base64.encodeURLSafe([UInt8](repeating: $0, count: 16)))\"" }
        let body = "{\"kids\":[\(kids.joined(separator: ","))],\"type\":\"temporary\"}"
        return try await send("POST", "/clearkey", body, token: token, from: address)
    }

    /// The log, oldest first. The records of one request are written concurrently, so their order varies.
    func audit() async throws -> [AuditRecord] {
        try await store.auditEntries(before: nil, limit: 100).map(\.record).reversed()
    }
}

/// Allows requests with one token.
struct OneToken: PlaybackAuthorizer {
    static let token = "the-token"
    let authorization: PlaybackAuthorization

    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        guard let token = request.token else { throw ProblemDocument(.tokenMissing) }
        guard token == Self.token else { throw ProblemDocument(.tokenSignature) }
        return authorization
    }
}

/// Allows every request, and stores the requests.
final class CountingAuthorizer: PlaybackAuthorizer {
    let asked = Switch<[PlaybackRequest]>([])

    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        asked.value.append(request)
        return PlaybackAuthorization(account: "viewer", expires: request.now + 60)
    }
}
