import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Testing
import VirtualDevice

@Suite("A device with persistent memory")
struct DeviceMemoryTests {
    private typealias Memory = TestDeviceMemory

    private let memory = Memory()

    @Test("The next run has the same device with the same keys")
    func sameDevice() throws {
        let first = try Bench(memory: memory)
        let sealed = try first.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let second = try Bench(memory: memory)
        #expect(second.device.hu(for: .local) == first.device.hu(for: .local))
        let key = try second.device.loadPersistentKey(sealed)
        try key.startPlaying()
        #expect(try key.givesTestKey)
        #expect(try Bench(memory: Memory()).device.hu(for: .local) != first.device.hu(for: .local))
    }

    @Test("Replaced and invalidated keys stay replaced and invalidated")
    func staysGone() throws {
        let first = try Bench(memory: memory)
        let sealed = try first.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let other = try first.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let key = try first.device.loadPersistentKey(sealed)
        try key.startPlaying()
        _ = try key.contentKey()
        let updated = try #require(key.updatedPersistentKey)
        let second = try Bench(memory: memory)
        #expect(throws: FPSError.invalidPersistentKey) { try second.device.loadPersistentKey(sealed) }
        #expect(throws: Never.self) { try second.device.loadPersistentKey(updated) }
        _ = try second.device.invalidate(.stream(other), certificate: second.server.certificate, challenge: 1)
        let third = try Bench(memory: memory)
        for gone in [sealed, updated, other] {
            #expect(throws: FPSError.invalidPersistentKey) { try third.device.loadPersistentKey(gone) }
        }
        third.device.installSecurityUpdate()
        let last = try third.persistentKey(.persistent)
        #expect(throws: Never.self) { try Bench(memory: memory).device.loadPersistentKey(last) }
    }

    @Test(
        "A run that ends at first playback, before the app or the device has saved anything, always leaves a usable key"
    )
    func firstPlayLosesNothing() throws {
        let first = try Bench(memory: memory)
        let sealed = try first.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let before = try #require(memory.last)
        let key = try first.device.loadPersistentKey(sealed)
        try key.startPlaying()
        let updated = try #require(key.updatedPersistentKey)
        // Neither the app nor the device has saved: the old key is valid.
        #expect(memory.last == before)
        #expect(throws: Never.self) { try Bench(memory: Memory(before)).device.loadPersistentKey(sealed) }
        // Only the app has saved: the new key is valid, and from then on the old key is not.
        let caughtUp = try Bench(memory: Memory(before))
        #expect(throws: Never.self) { try caughtUp.device.loadPersistentKey(updated) }
        #expect(throws: FPSError.invalidPersistentKey) { try caughtUp.device.loadPersistentKey(sealed) }
        // The key decrypts content only after the device has saved too.
        _ = try key.contentKey()
        #expect(memory.last != before)
        #expect(throws: FPSError.invalidPersistentKey) { try Bench(memory: memory).device.loadPersistentKey(sealed) }
    }

    @Test("If the memory cannot be written, no key is created, used or removed")
    func full() throws {
        let bench = try Bench(memory: memory)
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let key = try bench.device.loadPersistentKey(sealed)
        memory.setFull(true)
        let request = try bench.request()
        let ckc = try bench.answer(request, [.persistent])
        #expect(throws: FPSError.memoryFailed) { try bench.device.makePersistentKey(ckc: ckc, for: request) }
        #expect(throws: FPSError.memoryFailed) {
            try bench.device.invalidate(.stream(sealed), certificate: bench.server.certificate, challenge: 1)
        }
        try key.startPlaying()
        #expect(throws: FPSError.memoryFailed) { try key.contentKey() }
        memory.setFull(false)
        #expect(try key.givesTestKey)
        #expect(throws: Never.self) { try bench.device.makePersistentKey(ckc: ckc, for: request) }
    }

    @Test("A clock that is set back stops, also in the next run")
    func clock() throws {
        let bench = try Bench(memory: memory)
        let sealed = try bench.persistentKey(.persistent(rental: 3600))
        let key = try bench.device.loadPersistentKey(sealed)
        try key.startPlaying()
        bench.clock.advance(by: 3700)
        _ = try key.contentKey()
        bench.clock.advance(by: -3700)
        #expect(throws: FPSError.persistentKeyExpired) { try bench.device.loadPersistentKey(sealed) }
        // The clock starts at the start of the last run, which is more than an hour earlier.
        let next = try Bench(memory: memory)
        #expect(throws: FPSError.persistentKeyExpired) { try next.device.loadPersistentKey(sealed) }
    }

    @Test("Invalid memory is refused: every truncation and every changed byte")
    func damaged() throws {
        let bench = try Bench(memory: memory)
        _ = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        let image = try #require(memory.last).reveal()
        for count in 0..<image.count {
            #expect(throws: FPSError.memoryFailed) {
                try Bench(memory: Memory(SecretBytes(copying: image[..<count])))
            }
        }
        for index in Array(0..<8) + Array(64..<68) {
            var changed = image
            changed[index] ^= 0x80
            #expect(throws: FPSError.memoryFailed) { try Bench(memory: Memory(SecretBytes(copying: changed))) }
        }
    }

    @Test("The device returns the properties of a persistent key, but not the content key")
    func facts() throws {
        let bench = try Bench(memory: memory)
        let sealed = try bench.persistentKey(.offlineKey(storage: 1000, playback: 50))
        #expect(
            try bench.device.facts(ofPersistableKey: sealed)
                == PersistentKeyInformation(acquired: bench.clock.now, storage: 1000, playback: 50, hasDualExpiry: true)
        )
        bench.clock.advance(by: 10)
        let key = try bench.device.loadPersistentKey(sealed)
        try key.startPlaying()
        #expect(try !bench.device.facts(ofPersistableKey: sealed).isCurrent)
        let updated = try #require(key.updatedPersistentKey)
        #expect(try bench.device.facts(ofPersistableKey: updated).firstPlayed == bench.clock.now)
        let limited = try bench.persistentKey(.persistent(rental: 60))
        #expect(
            try bench.device.facts(ofPersistableKey: limited)
                == PersistentKeyInformation(acquired: bench.clock.now, storage: 60)
        )
        let unlimited = try bench.persistentKey(.persistent(rental: 0))
        #expect(try bench.device.facts(ofPersistableKey: unlimited).storage == nil)
        bench.device.installSecurityUpdate()
        #expect(throws: ContentKeyError(.persistentKeyOutdated, .device)) {
            try bench.device.facts(ofPersistableKey: sealed)
        }
    }
}
