import ContentKeySession
import ContentKeySessionTesting
import Foundation
import HLSPlaylist
import HTTPTransport
import SimulatedClocks
import StreamPlayer
import Testing
import VirtualDevice

@Suite("The tutorial's steps 6 to 10, against a real server", .timeLimit(.minutes(10)))
struct TutorialCareTests {
    @Test("6: a refusal gives a message for viewers, and more details for support")
    func failures() async throws {
        try await KeyPathBench.run { bench in
            let parts = bench.tutorial()
            try await bench.running(parts) {
                await parts.session.setRoute(.airPlay)
                let site = try TutorialSite("film/at-home", of: bench.server)
                let error = await #expect(throws: PlayerError.self) {
                    _ = try await play(TutorialSite.film, from: site, to: DiscardingOutput(), with: parts.session)
                }
                #expect(error?.code == "no-response")
                let refusal = try #require(await failure(of: "skd://film/at-home", in: parts.loader))
                #expect(messageForViewer(refusal.kind) == "This cannot be played here with your account.")
                #expect(await failure(of: "skd://film/hd", in: parts.loader) == nil)
                let lines = await support(parts.loader)
                #expect(lines.count == 1)
                #expect(lines[0].contains("forbidden (status 403, refused-by-policy, airplay-denied)"))
                #expect(!lines[0].contains(Tokens.good))
            }
        }
    }

    @Test("6: every kind of failure has a message for viewers, and unknown kinds have a code")
    func words() {
        let messages = KeyFailure.Kind.allCases.map { ($0, messageForViewer($0)) }
        for (kind, message) in messages where message.contains("support") {
            #expect(message.contains(kind.rawValue))
        }
        #expect(messages.filter { $0.1.contains("support") }.count < messages.count / 2 + 1)
    }

    @Test("7: a persistent key plays without a request to the server")
    func kept() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tutorial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await KeyPathBench.run { bench in
            var settings = KeyLoaderSettings.patient
            settings.persistentKeys = try KeyFolder(folder)
            for count in [1, 1] {
                let parts = bench.tutorial(settings)
                try await bench.running(parts) {
                    await requestPersistentKeys(["skd://film/kept"], in: parts.session)
                    let site = try TutorialSite("film/kept", of: bench.server)
                    let output = TutorialOutput()
                    _ = try await play(TutorialSite.film, from: site, to: output, with: parts.session)
                    #expect(output.text == TutorialSite.content)
                }
                #expect(bench.proxy.licenses.count == count)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
            }
        }
    }

    @Test("7: the keys that the device replaces are stored, and an error of the storage is reported")
    func replaced() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tutorial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = try KeyFolder(folder)
        let (stream, events) = AsyncStream.makeStream(of: ContentKeyEvent.self)
        let errors = EventRecorder<String>()
        events.yield(.didUpdatePersistableKey(RedactedBytes([1, 2, 3]), identifier: "skd://film/kept"))
        events.finish()
        await storeReplacedKeys(stream, in: keys) { errors.add("\($0)") }
        #expect(await keys.key(for: "skd://film/kept") == [1, 2, 3] && errors.all.isEmpty)

        try FileManager.default.removeItem(at: folder)
        let (lost, moreEvents) = AsyncStream.makeStream(of: ContentKeyEvent.self)
        moreEvents.yield(.didUpdatePersistableKey(RedactedBytes([4]), identifier: "skd://film/kept"))
        moreEvents.finish()
        await storeReplacedKeys(lost, in: keys) { errors.add("\($0)") }
        #expect(errors.all.count == 1)
    }

    @Test("8: the next key is fetched before its tag appears in the playlist")
    func live() async throws {
        try await KeyPathBench.run { bench in
            let parts = bench.tutorial(.live)
            try await bench.running(parts) {
                let key = #"URI="skd://channel/1",KEYFORMAT="com.apple.streamingkeydelivery""#
                let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=SAMPLE-AES,\(key)\n#EXTINF:4,\n0.ts\n"
                try await reloaded(MediaPlaylist(parsing: Array(text.utf8)), by: parts.loader)
                try await bench.pass(.seconds(229))
                #expect(bench.proxy.licenses.isEmpty)
                try await bench.pass(.seconds(62))
                #expect(bench.proxy.licenses.count == 1)
                #expect(await parts.session.hasKey(for: "skd://channel/2") == true)
            }
        }
    }

    @Test("9: a simulated server that always returns the same response")
    func script() async throws {
        let time = SimulatedTime()
        let table: [(KeyTransportResponse, KeyFailure.Kind)] = [
            (KeyTransportResponse(status: 500), .serverError), (KeyTransportResponse(status: 403), .forbidden),
        ]
        try await TestKeyServer.run(time) { server in
            for (answer, kind) in table {
                let time = SimulatedTime()
                let service = keyService("https://keys.test", for: TutorialAccount())
                let clock = SimulatedClock(time: time)
                let device = server.device(time)
                let (session, loader) = underTest(
                    device,
                    service,
                    FixedResponse(answer: answer),
                    .patient,
                    clock: clock,
                    random: SeededNumbers(seed: 1)
                )
                try await time.run {
                    async let running: Void = loader.run()
                    let site = try TutorialSite("film/hd", of: server)
                    await #expect(throws: PlayerError.self) {
                        _ = try await play(TutorialSite.film, from: site, to: DiscardingOutput(), with: session)
                    }
                    #expect(await loader.errorLog.entries.map(\.failure.kind).contains(kind))
                    #expect(time.now <= RetryPolicy().onDemandDeadline)
                    await session.expire()
                    await running
                }
            }
        }
    }

    @Test("10: the loader works with any source of requests")
    func source() async throws {
        try await KeyPathBench.run { bench in
            try await bench.time.outside {
                let session = KeySession(device: bench.device, renewalLead: nil)
                let service = keyService("http://127.0.0.1:\(bench.server.port)", for: TutorialAccount())
                let loader = keyLoader(over: Platform(session: session), service, HTTPClientTransport())
                async let running: Void = loader.run()
                let site = try TutorialSite("film/hd", of: bench.server)
                let output = TutorialOutput()
                _ = try await play(TutorialSite.film, from: site, to: output, with: session)
                #expect(output.text == TutorialSite.content)
                await session.expire()
                await running
            }
        }
    }
}

/// A source that implements only the requirements without a default implementation.
private struct Platform: ContentKeySource {
    let session: KeySession
    var requests: AsyncStream<any ContentKeyLoading> { session.requests }

    func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]?,
        options: ContentKeyRequestOptions
    ) async {
        await session.processContentKeyRequest(
            identifier: identifier,
            initializationData: initializationData,
            options: options
        )
    }

    func renewExpiringResponseData(for identifier: String) async {
        await session.renewExpiringResponseData(for: identifier)
    }
}
