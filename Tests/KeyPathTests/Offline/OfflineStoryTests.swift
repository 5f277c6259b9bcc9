import ContentKeySession
import ContentKeySessionTesting
import KeyStore
import Testing
import VirtualDevice

@testable import OfflineAssets

@Suite("Persistent keys from rental to expiry, with the server's records", .timeLimit(.minutes(10)))
struct OfflineStoryTests {
    private static let film = ["rent/sd", "rent/hd", "rent/audio"]
    private static let show = ["show/hd", "show/audio"]
    private static let day: Int64 = 86_400

    private static func uris(_ assets: [String]) -> [String] { assets.map { "skd://" + $0 } }

    @Test("A rental is stored, played offline, replaced at first play, expires, and is not renewed")
    func rental() async throws {
        try await OfflineStage.run { stage in
            let got = try await stage.offline.obtain(Self.uris(Self.film), title: "film")
            #expect(got == Dictionary(uniqueKeysWithValues: Self.uris(Self.film).map { ($0, .renewed) }))
            let start = stage.now
            for asset in Self.film {
                let record = try #require(try await stage.server.offlineLicense(asset))
                #expect(record.granted == start)
                #expect(record.storageUntil == start + 30 * Self.day)
                #expect(record.until == start + 32 * Self.day)
                #expect(try stage.state(asset, of: "film") == .stored)
            }

            // Ten days later, offline: the first play. The device's updated key has replaced the old one.
            stage.pass(days: 10)
            let before = try stage.key("rent/hd", of: "film")?.bytes
            #expect(try await stage.plays("film", ["rent/hd", "rent/audio"]))
            #expect(try stage.key("rent/hd", of: "film")?.bytes != before)
            #expect(try stage.state("rent/hd", of: "film") == .playing)
            #expect(try stage.state("rent/sd", of: "film") == .stored)
            #expect(try stage.key("rent/hd", of: "film")?.entry.end == stage.now + 2 * Self.day)
            #expect(try await stage.plays("film", ["rent/hd"]))

            // Back online a day later: the server gets the report of the first play.
            stage.pass(days: 1)
            let told = try await stage.offline.report("film")
            #expect(told["skd://rent/hd"]?.remaining == Self.day)
            #expect(told["skd://rent/hd"]?.flags == ["report", "success"])
            let seen = try #require(try await stage.server.offlineLicense("rent/hd"))
            #expect(seen.firstPlaySeen == stage.now)
            #expect(seen.until == stage.now + Self.day)
            #expect(seen.end == nil)

            // The report does not include the quality that was not played.
            #expect(try await stage.server.offlineLicense("rent/sd")?.firstPlaySeen == nil)

            // A day later the playback period is over, and the storage period of the quality that was not played.
            #expect(try await stage.plays("film", ["rent/hd"]))
            stage.pass(days: 1)
            #expect(try stage.state("rent/hd", of: "film") == .playbackExpired)
            await #expect(throws: ContentKeyError(.persistentKeyExpired, .device)) {
                _ = try await stage.plays("film", ["rent/hd"])
            }
            #expect(try stage.key("rent/hd", of: "film")?.entry.refusal?.code == .persistentKeyExpired)
            stage.pass(days: 18)
            #expect(try stage.state("rent/sd", of: "film") == .storageExpired)
            await #expect(throws: ContentKeyError(.persistentKeyExpired, .device)) {
                _ = try await stage.plays("film", ["rent/sd"])
            }

            // With a network, the request goes to the server, which decides: an expired rental is not renewed.
            await #expect(throws: ContentKeyError.self) {
                _ = try await stage.plays("film", ["rent/hd"], .storedThenServer)
            }
            let again = try await stage.offline.renew("film")
            guard case .refused(let refusal)? = again["skd://rent/hd"] else {
                Issue.record("an expired rental was renewed")
                return
            }
            #expect(refusal.code == "renewal-after-expiry")
            let entry = try #require(try stage.key("rent/hd", of: "film")?.entry)
            #expect(entry.remedy(at: stage.now) == .buyAgain)
            #expect(try await stage.offline.report("film")["skd://rent/hd"]?.remaining == 0)
            #expect(try await stage.server.offlineLicense("rent/hd")?.end == .expired)
        }
    }

    @Test("A subscription's expired or outdated keys are renewed when the device refuses them")
    func subscription() async throws {
        try await OfflineStage.run { stage in
            _ = try await stage.offline.obtain(Self.uris(Self.show), title: "show")
            stage.pass(days: 31)
            #expect(try stage.state("show/hd", of: "show") == .storageExpired)
            // -42800
            #expect(try await stage.plays("show", ["show/hd"], .storedThenServer))
            var entry = try #require(try stage.key("show/hd", of: "show")?.entry)
            #expect(entry.renewals == 1)
            #expect(entry.state(at: stage.now) == .playing)
            #expect(try await stage.server.offlineLicense("show/hd")?.granted == stage.now)
            #expect(try await stage.plays("show", ["show/hd"]))
            // -42799
            stage.device.installSecurityUpdate()
            await #expect(throws: ContentKeyError(.persistentKeyOutdated, .device)) {
                _ = try await stage.plays("show", ["show/hd"])
            }
            #expect(try stage.state("show/hd", of: "show") == .refused)
            #expect(try await stage.plays("show", ["show/hd"], .storedThenServer))
            entry = try #require(try stage.key("show/hd", of: "show")?.entry)
            #expect(entry.renewals == 2)
            // A renewal before the expiry is possible too.
            #expect(try await stage.offline.renew("show")["skd://show/hd"] == .renewed)
        }
    }

    @Test("A stream, and then the whole title, is invalidated with a challenge of the server")
    func invalidation() async throws {
        try await OfflineStage.run { stage in
            _ = try await stage.offline.obtain(Self.uris(Self.film), title: "film")
            let one = try await stage.offline.invalidate("skd://rent/sd", title: "film")
            #expect(one.flags == ["secureInvalidation", "success"])
            #expect(one.invalidatedStreamIDs.count == 1)
            #expect(try stage.state("rent/sd", of: "film") == .revoked)
            #expect(try stage.key("rent/sd", of: "film")?.bytes == nil)
            #expect(try await stage.server.offlineLicense("rent/sd")?.end == .invalidated)
            #expect(try await stage.server.offlineLicense("rent/hd")?.end == nil)
            #expect(try await stage.plays("film", ["rent/hd"]))

            let rest = try await stage.offline.invalidate(title: "film")
            #expect(rest.map(\.invalidatedStreamIDs.count) == [2])
            for asset in Self.film {
                #expect(try stage.state(asset, of: "film") == .revoked)
                #expect(try await stage.server.offlineLicense(asset)?.end == .invalidated)
                await #expect(throws: ContentKeyError.self) { _ = try await stage.plays("film", [asset]) }
            }
            await #expect(throws: OfflineKeyError.self) { _ = try await stage.offline.report("film") }

            // Invalidated titles are evicted first when storage is needed; a title that can be played stays.
            let candidates = [("film", false), ("show", true)].map { title, isInUse in
                EvictionCandidate(
                    title: title,
                    size: 10,
                    isInUse: isInUse,
                    keys: title == "film" ? .revoked : .playing,
                    created: 0
                )
            }
            let plan = EvictionPlan(toFree: 20, of: candidates, at: stage.now)
            #expect(plan.evictions.map(\.title) == ["film"])
            #expect(plan.evictions.map(\.reason) == [.noLongerPlayable])
        }
    }
}
