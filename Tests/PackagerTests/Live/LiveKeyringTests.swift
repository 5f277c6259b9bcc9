import DRMSignaling
import FPSCrypto
import HLSPlaylist
import Testing

@testable import Packager

@Suite("Keys of a live run")
struct LiveKeyringTests {
    private let start = PlaylistDate(seconds: 1_800_000_000)

    private func keyring(_ source: any ContentKeyPeriods, lead: Double?, first: Int = 0) -> LiveKeyring {
        var job = PackagingJob(inputs: [], output: "out")
        job.rotation = KeyRotation(.seconds(60))
        job.rotation?.lead = lead
        return LiveKeyring(source, job, firstPeriod: first)
    }

    /// Returns the keys to announce after the source has had time to respond.
    private func announced(_ keyring: LiveKeyring, _ now: PlaylistDate) async -> ContentKeyPeriod? {
        for _ in 0..<60_000 {
            if let period = await keyring.next(now: now, [.audio]) { return period }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return nil
    }

    @Test("are announced once, the lead before they are needed, and not earlier")
    func lead() async throws {
        let keyring = keyring(try LiveFixture.keys, lead: 20, first: 5)
        #expect(try await keyring.begin(at: start, [.audio]).number == 5)
        let early = await keyring.next(now: start.advanced(by: 39), [.audio])
        #expect(early?.number == nil)
        let due = start.advanced(by: 40)
        #expect(await announced(keyring, due)?.number == 6)
        let again = await keyring.next(now: due, [.audio])
        #expect(again?.number == nil)
        #expect(try await keyring.period(6, at: start.advanced(by: 60), [.audio]).number == 6)
        #expect(keyring.current?.number == 6)
        #expect(await announced(keyring, start.advanced(by: 101))?.start == start.seconds + 120)
    }

    @Test("are announced as soon as they arrive if there is no lead")
    func noLead() async throws {
        let keyring = keyring(try LiveFixture.keys, lead: nil)
        _ = try await keyring.begin(at: start, [.audio])
        #expect(await announced(keyring, start)?.number == 1)
    }

    @Test("are rejected if two consecutive periods share one")
    func usedUp() async throws {
        let source = try LiveFixture.keys
        let keyring = keyring(
            ScriptedKeyPeriods { request in
                var same = request
                same.number = 0
                var period = try await source.period(same)
                period.number = request.number
                return period
            },
            lead: nil
        )
        _ = try await keyring.begin(at: start, [.audio])
        let error = await #expect(throws: KeyPeriodFailure.self) {
            try await keyring.period(1, at: start.advanced(by: 60), [.audio])
        }
        #expect(error?.number == 1)
    }
}
