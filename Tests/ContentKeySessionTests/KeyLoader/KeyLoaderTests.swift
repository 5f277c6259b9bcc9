import HLSPlaylist
import KeywayTesting
import Testing
import TextCoding

@testable import ContentKeySession

@Suite("A key loader")
struct KeyLoaderTests {
    @Test("answers an on-demand request with the CKC of its own SPC")
    func onDemand() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            let request = bench.session.ask("skd://movie")
            try await bench.pass(.seconds(1))
            #expect(request.isLoaded)
            #expect(bench.server.licenses.map(\.path) == ["/fps/license"])
            #expect(bench.server.licenses.first?.header("Authorization") == "Bearer token-1")
            let log = await bench.loader.accessLog.entries
            #expect(log.map(\.kind) == [.certificate, .onDemand])
            #expect(await bench.loader.errorLog.entries.isEmpty)
        }
    }

    @Test("preloads the session keys of a playlist in one round trip")
    func sessionKeys() throws {
        let text = """
            #EXTM3U
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://sd",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://hd",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="data:,x",KEYFORMAT="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            a.m3u8

            """
        let playlist = try MultivariantPlaylist(parsing: Array(text.utf8))
        let bench = LoaderBench()
        try bench.run { bench in
            await bench.loader.preload(playlist)
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.map(\.identifier) == ["skd://sd", "skd://hd"])
            #expect(bench.session.all.allSatisfy { $0.isLoaded })
            #expect(bench.session.options(of: "skd://sd")?.isPreload == true)
            #expect(bench.server.licenses.map(\.path) == ["/fps/licenses"])
            #expect(bench.server.certificateFetches == 1)
            let log = await bench.loader.accessLog.entries
            #expect(log.map(\.batchSize) == [0, 2, 2])
            #expect(log.dropFirst().allSatisfy { $0.kind == .preload })
        }
    }

    @Test("divides 70 keys into batches of 32, 32 and 6")
    func cutting() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            await bench.loader.preload((0..<70).map { "skd://key-\($0)" })
            try await bench.pass(.seconds(2))
            #expect(bench.server.licenses.count == 3)
            #expect(bench.session.all.filter(\.isLoaded).count == 70)
            #expect(bench.server.certificateFetches == 1)
        }
    }

    @Test("requests a key once if it is preloaded twice, even after it has loaded")
    func merging() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a1", "skd://a2"])
            await bench.loader.preload(["skd://a2", "skd://a1"])
            try await bench.pass(.seconds(1))
            await bench.loader.preload(["skd://a1"])
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.count == 2)
            #expect(bench.server.licenses.count == 1)
        }
    }

    @Test("answers a request once if the session delivers it twice")
    func twice() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            let request = bench.session.ask("skd://movie")
            bench.session.again(request)
            try await bench.pass(.seconds(1))
            #expect(request.answerCount == 1)
            #expect(bench.server.licenses.count == 1)
        }
    }

    @Test("answers a request after a route change with a new SPC, although the key is loaded")
    func routeChange() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            await bench.loader.preload(["skd://movie"])
            try await bench.pass(.seconds(1))
            let receiver = bench.session.ask("skd://movie")
            try await bench.pass(.seconds(1))
            #expect(receiver.isLoaded)
            #expect(bench.server.licenses.count == 2)
            #expect(bench.server.licenses[0].request.body != bench.server.licenses[1].request.body)
        }
    }

    @Test("sends waiting preloads together with an on-demand request")
    func taking() throws {
        let bench = LoaderBench(
            session: ScriptedSession(isSilent: true),
            settings: .with { $0.gatheringTime = .seconds(5) }
        )
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2"])
            bench.session.ask("skd://a1")
            try await bench.pass(.seconds(1))
            #expect(bench.server.licenses.isEmpty)
            let urgent = bench.session.ask("skd://urgent")
            try await bench.pass(.seconds(1))
            #expect(urgent.isLoaded)
            #expect(bench.server.licenses.map(\.path) == ["/fps/licenses"])
        }
    }

    @Test("does not wait for a key that the session has, and can request it again")
    func silent() throws {
        let bench = LoaderBench(session: ScriptedSession(isSilent: true))
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2"])
            let request = bench.session.ask("skd://a1")
            try await bench.pass(.seconds(1))
            #expect(request.isLoaded)
            await bench.loader.preload(["skd://a2"])
            let second = bench.session.ask("skd://a2")
            try await bench.pass(.seconds(1))
            #expect(second.isLoaded)
        }
    }

    @Test("answers each item of a batch separately: one refusal does not affect the others")
    func itemRefused() throws {
        let bench = LoaderBench { _, request in
            guard let items = JSONTextReader.items(request.body) else { return .good }
            return .answer(
                ScriptedServer.batch(items) { $0["asset-id"]?.text == "a2" ? nil : ScriptedServer.ckc($0) }
            )
        }
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2", "skd://a3"])
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.map(\.isLoaded) == [true, false, true])
            let failure = bench.session.all[1].failures.first
            #expect(failure?.kind == .forbidden)
            #expect(failure?.reason == LogSafeWord("hdcp"))
            #expect(bench.server.licenses.count == 1)
        }
    }

    @Test("requests keys one by one from a server without a batch route, from then on")
    func noBatchRoute() throws {
        let bench = LoaderBench { _, request in
            request.url.hasSuffix("/licenses") ? .answer(KeyTransportResponse(status: 404)) : .good
        }
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2"])
            try await bench.pass(.seconds(1))
            await bench.loader.preload(["skd://a3", "skd://a4"])
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.count == 4)
            #expect(bench.session.all.allSatisfy { $0.isLoaded })
            #expect(bench.server.licenses.filter { $0.path == "/fps/licenses" }.count == 1)
        }
    }

    @Test("fails open requests when the session ends")
    func ending() throws {
        let bench = LoaderBench { _, _ in .silence }
        let requests = ["skd://a1", "skd://a2"].map { bench.session.ask($0) }
        try bench.run { bench in try await bench.pass(.seconds(1)) }
        #expect(requests.map(\.answerCount) == [1, 1])
        #expect(requests.flatMap(\.failures).map(\.kind) == [.cancelled, .cancelled])
    }

    @Test("provides a Clear Key, and sends its token only to the license server")
    func clearKey() throws {
        let bench = LoaderBench(session: ScriptedSession(keySystem: .clearKey))
        try bench.run { bench in
            let own = bench.session.ask("https://keys.example/clear/1")
            try await bench.pass(.seconds(1))
            let foreign = bench.session.ask("https://elsewhere.example/clear/2")
            try await bench.pass(.seconds(1))
            #expect(own.answers == [ContentKeyResponse(clearKeyData: Array(repeating: 7, count: 16))])
            #expect(foreign.isLoaded)
            #expect(bench.server.licenses.map { $0.header("Authorization") } == ["Bearer token-1", nil])
        }
    }

    @Test("takes a Clear Key from a data: URI without a request, and does not log the URI")
    func embeddedKey() throws {
        let bench = LoaderBench(session: ScriptedSession(keySystem: .clearKey))
        try bench.run { bench in
            let good = bench.session.ask("data:text/plain;base64,AAECAwQFBgcICQoLDA0ODw==")
            let bad = bench.session.ask("data:text/plain;base64,AAECAw==")
            try await bench.pass(.seconds(1))
            #expect(good.answers == [ContentKeyResponse(clearKeyData: Array(0..<16))])
            #expect(bad.failures.map(\.kind) == [.badKeyURI])
            #expect(bench.server.all.isEmpty)
            #expect(await bench.loader.accessLog.entries.map(\.label.description) == ["data:…"])
            #expect(await bench.loader.errorLog.entries.map(\.label.description) == ["data:…"])
        }
    }

    @Test("provides a token of the app for a token key system, and retries if the app has none")
    func authorizationToken() throws {
        let bench = LoaderBench(
            session: ScriptedSession(keySystem: .authorizationToken),
            authorization: AuthorizationDesk()
        )
        try bench.run { bench in
            let request = bench.session.ask("film-7")
            try await bench.pass(.seconds(10))
            #expect(request.answers == [ContentKeyResponse(authorizationTokenData: Array("token for film-7".utf8))])
            #expect(await bench.loader.errorLog.entries.map(\.failure.kind) == [.noToken])
            #expect(bench.server.all.isEmpty)
        }
    }

    @Test("rejects token requests if the app does not support them")
    func noAuthorizationToken() throws {
        let bench = LoaderBench(session: ScriptedSession(keySystem: .authorizationToken))
        try bench.run { bench in
            let request = bench.session.ask("film-7")
            try await bench.pass(.seconds(1))
            #expect(request.failures.map(\.kind) == [.unsupportedKeySystem])
        }
    }

    @Test("works with a source that does not report awaited keys")
    func plainSource() throws {
        let bench = LoaderBench()
        try bench.simulation.run {
            let source = PlainSource(bench.session)
            let loader = KeyLoader(
                source: source,
                service: .keyway("https://keys.example"),
                transport: bench.server,
                clock: bench.simulation.clock,
                random: SeededNumbers(seed: 1)
            )
            await withDiscardingTaskGroup { group in
                group.addTask { await loader.run() }
                await loader.preload(["skd://a1", "skd://a2"])
                try? await bench.pass(.seconds(1))
                source.end()
            }
        }
        #expect(bench.session.all.map(\.isLoaded) == [true, true])
        #expect(bench.server.licenses.map(\.path) == ["/fps/licenses"])
    }

    @Test("stores persistent keys, and answers with stored keys")
    func keeping() throws {
        let keys = TestPersistentKeys()
        let bench = LoaderBench(settings: .with { $0.persistentKeys = keys })
        try bench.run { bench in
            let first = bench.session.ask("skd://movie", isPersistable: true)
            try await bench.pass(.seconds(1))
            let spc = try #require(first.spcs.first)
            let kept = Array("kept ckc ".utf8) + spc
            #expect(first.answers == [ContentKeyResponse(fairPlayStreamingKeyResponseData: kept)])
            #expect(keys.keys["skd://movie"] == kept)
            #expect(JSONTextReader.isPersistable(bench.server.licenses.first?.request.body ?? []))
            keys.save(Array("kept before".utf8), for: "skd://movie")
            let second = bench.session.ask("skd://movie", isPersistable: true)
            try await bench.pass(.seconds(1))
            #expect(second.isLoaded)
            #expect(bench.server.licenses.count == 1)
        }
    }

    @Test(
        "names the error of a rejected stored key if the server does not respond to the request for another one",
        arguments: [
            (.error(.noConnection), true), (.silence, true), (.answer(KeyTransportResponse(status: 403)), false),
            (.answer(KeyTransportResponse(status: 503)), false),
        ] as [(ScriptedServer.Answer, Bool)]
    )
    func rejectedStoredKey(answer: ScriptedServer.Answer, isNamed: Bool) throws {
        let keys = TestPersistentKeys()
        keys.save(Array("kept before".utf8), for: "skd://movie")
        let bench = LoaderBench(settings: .with { $0.persistentKeys = keys }) { _, _ in answer }
        try bench.run { bench in
            let stored = bench.session.ask("skd://movie", isPersistable: true, behavior: .refusesAnswers)
            try await bench.pass(.seconds(1))
            #expect(stored.answers.count == 1)
            let next = bench.session.ask("skd://movie", isPersistable: true)
            let other = bench.session.ask("skd://other", isPersistable: true)
            try await bench.pass(.seconds(60))
            #expect(next.failures.map { $0.code == "invalid-ckc" } == [isNamed])
            #expect(next.failures.map { $0.platformCode?.number == -42668 } == [isNamed])
            #expect(other.failures.map { $0.code == "invalid-ckc" } == [false])
        }
    }

    @Test("answers with an online key if the route or the device does not allow persistence", arguments: [true, false])
    func refusedPersistence(byRoute: Bool) throws {
        let keys = TestPersistentKeys()
        let bench = LoaderBench(
            session: ScriptedSession(route: byRoute ? .airPlay : .local),
            settings: .with { $0.persistentKeys = keys }
        )
        try bench.run { bench in
            let request = bench.session.ask(
                "skd://movie",
                isPersistable: true,
                behavior: byRoute ? .takes : .keepsNothing
            )
            try await bench.pass(.seconds(1))
            let spc = try #require(request.spcs.first)
            #expect(request.answers == [.init(fairPlayStreamingKeyResponseData: Array("ckc ".utf8) + spc)])
            #expect(keys.keys.isEmpty)
        }
    }

    @Test(
        "fails if the key must be persistent and the route or the device does not allow it",
        arguments: [true, false]
    )
    func requiredPersistence(byRoute: Bool) throws {
        let keys = TestPersistentKeys()
        let bench = LoaderBench(
            session: ScriptedSession(route: byRoute ? .airPlay : .local),
            settings: .with { ($0.persistentKeys, $0.requiresPersistence) = (keys, true) }
        )
        try bench.run { bench in
            let request = bench.session.ask(
                "skd://movie",
                isPersistable: true,
                behavior: byRoute ? .takes : .keepsNothing
            )
            try await bench.pass(.seconds(1))
            #expect(request.answers.isEmpty)
            #expect(request.failures.map(\.kind) == [byRoute ? .persistenceRefused : .persistenceNotLicensed])
            #expect(request.failures.map(\.code) == ["persistence-not-allowed"])
            #expect(keys.keys.isEmpty)
        }
    }

    private struct FullStorage: PersistentKeyStore {
        struct Full: Error {}
        func key(for _: String) async -> [UInt8]? { nil }
        func save(_: [UInt8], for _: String) async throws { throw Full() }
    }

    @Test("fails if the key must be persistent and cannot be stored")
    func requiredStorage() throws {
        let bench = LoaderBench(
            settings: .with { ($0.persistentKeys, $0.requiresPersistence) = (FullStorage(), true) }
        )
        try bench.run { bench in
            let request = bench.session.ask("skd://movie", isPersistable: true)
            try await bench.pass(.seconds(60))
            #expect(request.answers.isEmpty && request.failures.map(\.kind) == [.keyNotStored])
            #expect(request.failures.first?.advice.contains("Free storage") == true)
            #expect(bench.server.licenses.count == 1)
            #expect(await bench.loader.lastFailure(for: "skd://movie")?.kind == .keyNotStored)
        }
    }

    @Test("plays a key that could not be stored, and logs the failure")
    func fullStorage() throws {
        let bench = LoaderBench(settings: .with { $0.persistentKeys = FullStorage() })
        try bench.run { bench in
            let request = bench.session.ask("skd://movie", isPersistable: true)
            try await bench.pass(.seconds(1))
            #expect(request.isLoaded)
            let log = await bench.loader.errorLog.entries
            #expect(log.map(\.failure.kind) == [.keyNotStored] && log.first?.isFinal == true)
            #expect(await bench.loader.lastFailure(for: "skd://movie") == nil)
        }
    }

    @Test("requests SPCs with the protocol versions of the playlist")
    func declaredVersions() throws {
        let text = """
            #EXTM3U
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://sd",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1/2"
            #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://hd",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            a.m3u8

            """
        let playlist = try MultivariantPlaylist(parsing: Array(text.utf8))
        let bench = LoaderBench()
        try bench.run { bench in
            await bench.loader.preload(playlist)
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.map(\.versions) == [[[1, 2]], [[1]]])
            // Of the last playlist, also for a renewal.
            await bench.loader.keysDeclared([
                Self.tag("skd://sd", versions: "3"), Self.tag("skd://hd", versions: "4/2"),
            ])
            bench.session.ask("skd://sd", isRenewal: true)
            bench.session.ask("skd://hd")
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.suffix(2).map(\.versions) == [[[3]], [[4, 2]]])
        }
    }

    private static func tag(_ uri: String, versions: String?, format: KeyFormat = .fairPlay) -> KeyTag {
        KeyTag(method: .sampleAES, uri: uri, keyFormat: format, keyFormatVersions: versions)
    }

    @Test("requests SPCs with version 1 without a playlist, and with those that the session has read")
    func versionsWithoutPlaylist() throws {
        let bench = LoaderBench()
        try bench.run { bench in
            await bench.loader.keysDeclared([Self.tag("skd://unknown", versions: "9", format: .widevine)])
            bench.session.ask("skd://unknown")
            bench.session.ask("skd://known", versions: [2, 1])
            try await bench.pass(.seconds(1))
            // The session's request of a renewal may not have the versions.
            bench.session.ask("skd://known", isRenewal: true)
            try await bench.pass(.seconds(1))
            #expect(bench.session.all.map(\.versions) == [[[1]], [[2, 1]], [[2, 1]]])
        }
    }

    @Test("requests SPCs with the protocol versions of a stored key, and stores them with a new key")
    func storedVersions() async throws {
        let keys = TestPersistentKeys()
        let bench = LoaderBench(settings: .with { $0.persistentKeys = keys })
        try bench.run { bench in
            bench.session.ask("skd://movie", isPersistable: true, versions: [1, 2])
            try await bench.pass(.seconds(1))
            #expect(keys.protocolVersions(for: "skd://movie") == [1, 2])
        }
        // Another run of the app, over AirPlay, where the stored key cannot be used; without a playlist, and with one.
        for (declared, expected) in [(nil, [1, 2]), ([5], [5])] as [([UInt32]?, [UInt32])] {
            let later = LoaderBench(
                session: ScriptedSession(route: .airPlay),
                settings: .with { $0.persistentKeys = keys }
            )
            try later.run { bench in
                let request = bench.session.ask("skd://movie", isPersistable: true, versions: declared)
                try await bench.pass(.seconds(1))
                #expect(request.versions == [expected])
            }
        }
    }

    @Test("requests a predicted key with the protocol versions of the key that it follows")
    func predictedVersions() throws {
        let bench = LoaderBench(
            settings: .with { $0.rotation = RotationSchedule(period: .seconds(60), window: .seconds(20)) }
        )
        try bench.run { bench in
            await bench.loader.keysDeclared([Self.tag("skd://channel/1", versions: "1/2")])
            await bench.loader.keysAppeared(["skd://channel/1", "skd://other/1"])
            try await bench.pass(.seconds(60))
            let versions = Dictionary(uniqueKeysWithValues: bench.session.all.map { ($0.identifier, $0.versions) })
            #expect(versions == ["skd://channel/2": [[1, 2]], "skd://other/2": [[1]]])
        }
    }
}
