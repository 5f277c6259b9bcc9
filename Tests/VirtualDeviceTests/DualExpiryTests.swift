import Testing
import VirtualDevice

@Suite("Dual expiry")
struct DualExpiryTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    @Test("The storage duration applies until first playback", arguments: [1, 2] as [UInt32])
    func storage(version: UInt32) throws {
        let sealed = try bench.persistentKey(
            .offlineKey(version: version, storage: 1000, playback: 50, title: version == 2 ? 9 : nil)
        )
        bench.clock.advance(by: 999)
        _ = try bench.device.loadPersistentKey(sealed)
        bench.clock.advance(by: 1)
        #expect(throws: FPSError.persistentKeyExpired) { try bench.device.loadPersistentKey(sealed) }
    }

    @Test("The playback duration applies from first playback, with a key that replaces the first key")
    func playback() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        bench.clock.advance(by: 990)
        let key = try bench.device.loadPersistentKey(sealed)
        #expect(key.updatedPersistentKey == nil)
        try key.startPlaying()
        let updated = try #require(key.updatedPersistentKey)
        #expect(throws: FPSError.invalidPersistentKey, "the old one is void") {
            try bench.device.loadPersistentKey(sealed)
        }
        bench.clock.advance(by: 49)
        let again = try bench.device.loadPersistentKey(updated)
        try again.startPlaying()
        #expect(again.updatedPersistentKey == nil, "it is not the first play")
        #expect(try again.givesTestKey)
        bench.clock.advance(by: 1)
        #expect(try again.givesTestKey, "what plays when the period ends plays on")
        again.stopPlaying()
        #expect(throws: FPSError.persistentKeyExpired) { try again.startPlaying() }
        #expect(throws: FPSError.persistentKeyExpired) { try bench.device.loadPersistentKey(updated) }
        key.stopPlaying()
        #expect(throws: FPSError.persistentKeyExpired) { try key.startPlaying() }
    }

    @Test("First playback happens only once, even if the key was loaded twice before")
    func loadedTwice() throws {
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let (first, second) = (
            try bench.device.loadPersistentKey(sealed), try bench.device.loadPersistentKey(sealed)
        )
        try first.startPlaying()
        bench.clock.advance(by: 40)
        #expect(throws: FPSError.invalidPersistentKey) { try second.startPlaying() }
        first.stopPlaying()
        try first.startPlaying()
        #expect(try first.givesTestKey)
    }

    @Test("Zero means no limit for both durations")
    func zero() throws {
        let storage = try bench.persistentKey(.offlineKey(stream: 1, storage: 0, playback: 50))
        let playback = try bench.persistentKey(.offlineKey(stream: 2, storage: 50, playback: 0))
        let both = try bench.device.loadPersistentKey(playback)
        try both.startPlaying()
        bench.clock.advance(by: 1_000_000)
        both.stopPlaying()
        try both.startPlaying()
        let key = try bench.device.loadPersistentKey(storage)
        try key.startPlaying()
        key.stopPlaying()
        bench.clock.advance(by: 50)
        #expect(throws: FPSError.persistentKeyExpired) { try key.startPlaying() }
    }

    @Test("A key that is not persistent has the same durations and is discarded when playback stops")
    func online() throws {
        let key = try bench.key(.offlineKey(storage: 1000, playback: 50))
        try key.startPlaying()
        bench.clock.advance(by: 60)
        #expect(try key.givesTestKey)
        #expect(key.updatedPersistentKey == nil)
        key.stopPlaying()
        #expect(throws: FPSError.keyDiscarded) { try key.startPlaying() }
        let late = try bench.key(.offlineKey(storage: 1000, playback: 50))
        bench.clock.advance(by: 1000)
        #expect(throws: FPSError.persistentKeyExpired) { try late.startPlaying() }
    }
}
