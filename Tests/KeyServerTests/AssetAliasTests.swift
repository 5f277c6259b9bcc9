import FPSCrypto
import KeyStore
import Synchronization
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// SPCs as Safari creates them with the modern EME API, over a real port.
@Suite("Aliases of an asset", .timeLimit(.minutes(10)))
struct AssetAliasTests {
    private static let keyID = (0..<16).map { UInt8(0xe0 + $0) }
    private static let uri = Array("skd://movie".utf8)
    /// The asset's own name, and its aliases.
    private static let names = [LicenseServer.asset, uri, keyID]

    /// Runs a server with the asset `movie`, a key ID and a policy.
    private func run(
        policy: String = "{}",
        authorizer: any PlaybackAuthorizer = AccountAuthorizer(),
        _ test: @Sendable (LicenseServer) async throws -> Void
    ) async throws {
        try await LicenseServer.run(authorizer: authorizer) { server in
            let record = try ContentDefaults.policy(name: "terms", json: Array(policy.utf8))
            try await server.store.putPolicy(record, replacing: true)
            try await server.add(LicenseServer.asset, keyID: Self.keyID, key: server.contentKey)
            try await test(server)
        }
    }

    /// Returns the content key for an SPC with this asset ID.
    private func key(_ server: LicenseServer, _ name: [UInt8]) async throws -> SecretBytes {
        let device = server.device()
        let request = try server.request(device, asset: name)
        let answer = try await server.license(request.spc)
        try #require(answer.status == 200, "\(answer.text)")
        let key = try device.process(ckc: answer.body, for: request)
        try key.startPlaying()
        return try key.contentKey().key
    }

    @Test("A key URI and a key ID return the key of the registered asset, which lease and audit log contain")
    func names() async throws {
        try await run(policy: #"{"lease":"PT10M"}"#) { server in
            // Twice: from the store and from the cache.
            for name in Self.names + Self.names {
                let found = try await key(server, name)
                #expect(found == server.contentKey)
            }
            let spcs = try Self.names.map { try server.request(server.device(), asset: $0).spc }
            let items = try await server.batch(spcs).items
            #expect(items.map { $0["status"] } == [.integer(0), .integer(0), .integer(0)])
            let entries = try await server.store.auditEntries(before: nil, limit: 100).map(\.record)
            #expect(entries.count == 9)
            #expect(entries.allSatisfy { $0.assetID == LicenseServer.asset && $0.outcome == "issued" })
            let notes = Set(entries.map { $0.detail?.split(separator: "; ").first { $0.hasPrefix("requested as ") } })
            let digits = "0xe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
            #expect(notes == [nil, "requested as skd://movie", "requested as \(digits)"])
            let leases = try await server.store.leases(account: nil, at: server.clock.now, after: nil, limit: 100)
            #expect(leases.count == 9)
            #expect(leases.allSatisfy { $0.assetID == LicenseServer.asset })
        }
    }

    @Test("A persistent key that is requested by an alias replaces the existing one")
    func kept() async throws {
        try await run(policy: #"{"persist":{"storage":"P1D","playback":"PT2H"}}"#) { server in
            let device = server.device()
            for name in Self.names {
                let request = try server.request(device, asset: name)
                let answer = try await server.license(request.spc, query: "?persist=true")
                #expect(answer.status == 200, "\(answer.text)")
            }
            let licenses = try await server.store.offlineLicenses(account: "viewer")
            #expect(licenses.map(\.assetID) == [LicenseServer.asset])
        }
    }

    @Test("A registered name takes precedence over its meaning as an alias, as soon as it exists")
    func exactNamesWin() async throws {
        try await run { server in
            for name in [Self.uri, Self.keyID] {
                #expect(try await key(server, name) == server.contentKey)
                var random = SecureRandom()
                let own = SecretBytes(count: 16, randomFrom: &random)
                try await server.add(name, keyID: nil, key: own)
                #expect(try await key(server, name) == own)
                try await server.store.deleteContent(assetID: name)
                #expect(try await key(server, name) == server.contentKey)
            }
        }
    }

    @Test("A token is checked for the registered asset, independent of the name in the SPC")
    func tokens() async throws {
        for (assets, isAllowed) in [(["movie"], true), (["other"], false), (["skd://movie"], false), ([], false)] {
            try await run(authorizer: AccountAuthorizer { $0.assets = assets }) { server in
                for name in Self.names {
                    let answer = try await server.license(try server.request(server.device(), asset: name).spc)
                    #expect(answer.status == (isAllowed ? 200 : 403), "\(assets)")
                    guard !isAllowed else { continue }
                    #expect(answer.json["type"] == .string("urn:keyway:problem:token-asset"))
                    let record = try await server.store.auditEntries(before: nil, limit: 1).first?.record
                    #expect(record?.assetID == LicenseServer.asset)
                }
            }
        }
    }

    @Test("The authorizer gets the registered asset, and no other asset is issued")
    func authorizers() async throws {
        let authorizer = RecordingAuthorizer()
        try await run(authorizer: authorizer) { server in
            let spc = try server.request(server.device(), asset: Self.uri).spc
            #expect(try await server.license(spc, query: "?assetId=skd%3A%2F%2Fmovie").status == 200)
            #expect(authorizer.asked == [LicenseServer.asset])
            // The name in the request and the name in the SPC must be names of one asset.
            for (name, isSame) in [("movie", true), ("skd%3A%2F%2Fother", false), ("other", false)] {
                let other = try server.request(server.device(), asset: Self.uri).spc
                let answer = try await server.license(other, query: "?assetId=\(name)")
                let problem: JSONValue? = isSame ? nil : .string("urn:keyway:problem:asset-mismatch")
                #expect(answer.json["type"] == problem, "\(name)")
            }
        }
    }

    @Test("A name whose meaning changes after it was authorized is refused")
    func meaningThatChanges() async throws {
        let authorizer = RecordingAuthorizer()
        try await run(authorizer: authorizer) { server in
            authorizer.onAsking { try await server.add(Self.uri, keyID: nil, key: server.contentKey) }
            let spc = try server.request(server.device(), asset: Self.uri).spc
            let answer = try await server.license(spc, query: "?assetId=skd%3A%2F%2Fmovie")
            #expect(answer.json["type"] == .string("urn:keyway:problem:asset-mismatch"))
            #expect(try await server.auditOutcomes() == ["asset-id-mismatch"])
        }
    }

    @Test("A Sync SPC with an alias is checked for the token, and recorded, with the registered name")
    func sync() async throws {
        let authorizer = AccountAuthorizer { $0.assets = ["movie"] }
        try await run(policy: #"{"persist":{"storage":"P1D","playback":"PT2H"}}"#, authorizer: authorizer) { server in
            for name in Self.names {
                let device = server.device()
                let request = try server.request(device, asset: name)
                let answer = try await server.license(request.spc, query: "?persist=true")
                let kept = try device.makePersistentKey(ckc: answer.body, for: request)
                let report = try device.makeSyncSPC(for: kept, certificate: server.certificate.der)
                let told = try await server.license(report)
                #expect(told.status == 200, "\(told.text)")
                guard case .object(let sync)? = told.json["sync"] else { throw LicenseServerError() }
                #expect(sync["assetId"] == .string("movie"))
            }
            let records = try await server.store.auditEntries(before: nil, limit: 10).map(\.record)
            #expect(records.count { $0.outcome == "sync-report" } == 3)
            #expect(records.allSatisfy { $0.assetID == LicenseServer.asset })
        }
    }

    @Test(
        "Only some forms of a name can be aliases, the most literal one first",
        arguments: [
            ("movie", []), ("skd://", []), ("https://movie", []), ("fifteen letters", []), ("?", []), (" ", []),
            ("SKD://movie", [.assetID(Array("movie".utf8))]), ("50%", []),
            (
                "skd://a%62?c",
                [
                    .assetID(Array("a%62?c".utf8)), .assetID(Array("ab?c".utf8)),
                    .assetID(Array("a%62".utf8)), .assetID(Array("ab".utf8)),
                ]
            ),
            ("m\0o\0v\0", [.assetID(Array("m\0o\0v".utf8)), .assetID(Array("mov".utf8))]),
            ("00000000-0000-0000-0000-00000000000g", []),
            ("00000000-0000-0000-0000-000000000001", [.keyID([UInt8](repeating: 0, count: 15) + [1])]),
            ("skd://m", [.assetID(Array("m".utf8))]), ("skd://skd://movie", [.assetID(uri)]),
            ("sixteen letters!", [.keyID(Array("sixteen letters!".utf8))]),
            ("skd://ten-bytes!", [.assetID(Array("ten-bytes!".utf8)), .keyID(Array("skd://ten-bytes!".utf8))]),
        ] as [(String, [AssetAlias])]
    )
    func readings(name: String, expected: [AssetAlias]) {
        #expect(AssetAlias.readings(of: Array(name.utf8)) == expected)
    }
}

extension LicenseServer {
    /// Adds content with the policy `terms`, or replaces it.
    func add(_ asset: [UInt8], keyID: [UInt8]?, key: SecretBytes) async throws {
        let record = try ContentRecord(
            assetID: asset,
            keyID: keyID,
            contentKey: key,
            iv: [UInt8](repeating: 9, count: 16),
            policyName: "terms",
            streamID: ContentDefaults.streamID(forAssetID: asset),
            time: clock.now
        )
        try await store.putContent(record, replacing: true)
    }
}

/// Allows every request, and stores the assets of the requests.
private final class RecordingAuthorizer: PlaybackAuthorizer {
    private let state = Mutex((asked: [[UInt8]](), action: { @Sendable () async throws -> Void in }))

    var asked: [[UInt8]] { state.withLock { $0.asked } }

    /// An action that runs during authorization.
    func onAsking(_ action: @escaping @Sendable () async throws -> Void) { state.withLock { $0.action = action } }

    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        let action = state.withLock { state in
            if let assetID = request.assetID { state.asked.append(assetID) }
            return state.action
        }
        try await action()
        return PlaybackAuthorization(account: "viewer", expires: request.now + 3_600)
    }
}
