import DRMSignaling
import FPSCrypto
import HLSPlaylist
import Testing

@testable import Packager

@Suite("The keys of a live run")
struct LiveKeyringTests {
    private let start = PlaylistDate(seconds: 1_800_000_000)

    private func keyring(_ source: any ContentKeyPeriods, lead: Double?, first: Int = 0) -> LiveKeyring {
        var job = PackagingJob(inputs: [], output: "out")
        job.rotation = KeyRotation(.seconds(60))
        job.rotation?.lead = lead
        return LiveKeyring(source, job, firstPeriod: first)
    }

    /// What is to be announced, when the source has had its time: it answers soon, but nobody knows when.
    private func announced(_ keyring: LiveKeyring, _ now: PlaylistDate) async -> ContentKeyPeriod? {
        for _ in 0..<60_000 {
            if let period = await keyring.next(now: now, [.audio]) { return period }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return nil
    }

    @Test("are announced once, their lead before they are needed, and not earlier")
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

    @Test("are announced as soon as they are there where there is no lead")
    func noLead() async throws {
        let keyring = keyring(try LiveFixture.keys, lead: nil)
        _ = try await keyring.begin(at: start, [.audio])
        #expect(await announced(keyring, start)?.number == 1)
    }

    @Test("never serve two periods one after the other")
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
