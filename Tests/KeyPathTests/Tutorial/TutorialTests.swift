import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import HTTPTransport
import SimulatedClocks
import StreamPlayer
import Testing
import VirtualDevice

@Suite("The tutorial's steps 1 to 5, against a real server", .timeLimit(.minutes(10)))
struct TutorialTests {
    private let output = TutorialOutput()

    @Test("1: a clear movie plays, and an encrypted one fails because it has no key system")
    func clear() async throws {
        try await KeyPathBench.run { bench in
            let report = try await play(TutorialSite.film, from: TutorialSite(nil, of: bench.server), to: output)
            #expect(report.encryptedSegments == 0)
            #expect(output.text == TutorialSite.content)
            let site = try TutorialSite("film/hd", of: bench.server)
            let error = await #expect(throws: PlayerError.self) {
                _ = try await play(TutorialSite.film, from: site, to: DiscardingOutput())
            }
            #expect(error?.description == "no key system for com.apple.streamingkeydelivery")
        }
    }

    @Test("2: with a custom delegate the movie plays")
    func delegate() async throws {
        try await KeyPathBench.run { bench in
            // The delegate's task has no parent task, so the test clock must stop for it explicitly.
            try await bench.time.outside {
                let session = KeySession(device: bench.device)
                let license = "http://127.0.0.1:\(bench.server.port)/fps/license"
                let delegate = CustomDelegate(certificate: bench.server.certificate.der) { spc in
                    let headers = [
                        KeyTransportHeader("Authorization", "Bearer \(Tokens.good)"),
                        KeyTransportHeader("Content-Type", "application/octet-stream"),
                    ]
                    let request = KeyTransportRequest(.post, license, headers: headers, body: spc)
                    return try await HTTPClientTransport().send(request).body
                }
                await session.setDelegate(delegate)
                let site = try TutorialSite("film/hd", of: bench.server)
                let report = try await play(TutorialSite.film, from: site, to: output, with: session)
                await session.expire()
                #expect(report.encryptedSegments == 1)
                #expect(output.text == TutorialSite.content)
                withExtendedLifetime(delegate) {}
            }
        }
    }

    @Test("3: with the key loader the movie plays")
    func loader() async throws {
        try await KeyPathBench.run { bench in
            let account = TutorialAccount()
            let (session, loader) = bench.tutorial(account: account)
            let site = try TutorialSite("film/hd", of: bench.server)
            let report = try await play(
                TutorialSite.film,
                from: site,
                to: output,
                with: session,
                answeredBy: loader
            )
            #expect(report.encryptedSegments == 1)
            #expect(output.text == TutorialSite.content)
            #expect(account.asked.all == [false])
        }
    }

    @Test("4: the keys of EXT-X-SESSION-KEY arrive in one round trip, and those of the next episode in advance")
    func preloading() async throws {
        try await KeyPathBench.run { bench in
            let parts = bench.tutorial()
            let site = try TutorialSite("film/hd", of: bench.server, announced: ["film/hd", "film/audio"])
            try await bench.running(parts) {
                _ = try await playPreloading(
                    TutorialSite.film,
                    from: site,
                    to: output,
                    with: parts.session,
                    answeredBy: parts.loader
                )
                #expect(output.text == TutorialSite.content)
                #expect(bench.proxy.licenses.map(\.path) == ["/fps/licenses"])
                await preloadEpisode(after: "skd://channel/1", by: parts.loader)
                try await bench.pass(.seconds(1))
                #expect(await parts.session.hasKey(for: "skd://channel/2") == true)
                #expect(await parts.session.hasKey(for: "skd://film/audio") == true)
            }
        }
    }

    @Test("5: a renewal is retried until a long lease ends, so an outage of minutes has no effect")
    func longLease() async throws {
        let outage = EventRecorder<Bool>()
        try await KeyPathBench.run(script: { _ in outage.all.last == true ? .resetBeforeHead : .none }) { bench in
            let parts = bench.tutorial()
            try await bench.running(parts) {
                try await parts.session.addContentKeyRecipient(bench.player)
                let key = try await parts.session.contentKey(identifier: "skd://film/long-lease", for: bench.player)
                try await key.beginPlayback()
                // The renewal is due when 300 s are left, or up to 45 s sooner.
                for (isAway, seconds) in [(true, 500), (false, 300)] {
                    outage.add(isAway)
                    for _ in 0..<seconds / 10 {
                        try await bench.pass(.seconds(10))
                        await parts.session.checkDeadlines()
                    }
                    #expect(key.stopCause == nil)
                }
                #expect(try bench.content(key) == bench.server.keys["film/long-lease"])
            }
        }
    }

    @Test("5: a short outage has no effect, a long one stops the key, and afterwards playback works again")
    func leases() async throws {
        let outage = EventRecorder<Bool>()
        try await KeyPathBench.run(script: { _ in outage.all.last == true ? .resetBeforeHead : .none }) { bench in
            let parts = bench.tutorial()
            let told = EventRecorder<String>()
            async let watching: Void = watchLeases(of: parts.session) { told.add($0) }
            try await bench.running(parts) {
                try await parts.session.addContentKeyRecipient(bench.player)
                let key = try await parts.session.contentKey(identifier: "skd://film/leased", for: bench.player)
                try await key.beginPlayback()
                // The renewal is due about 30 s before the lease's end.
                for (isAway, seconds) in [(false, 20), (true, 25), (false, 45)] {
                    outage.add(isAway)
                    for _ in 0..<seconds {
                        try await bench.pass(.seconds(1))
                        await parts.session.checkDeadlines()
                    }
                    #expect(key.stopCause == nil)
                }
                outage.add(true)
                for _ in 0..<90 {
                    try await bench.pass(.seconds(1))
                    await parts.session.checkDeadlines()
                }
                #expect(key.stopCause == .leaseExpired)
                outage.add(false)
                let again = try await parts.session.contentKey(identifier: "skd://film/leased", for: bench.player)
                #expect(try await bench.plays(again, as: "film/leased"))
            }
            await watching
            #expect(told.all == ["skd://film/leased"])
        }
    }
}
