import FPSCrypto
import Testing
import VirtualDevice

@Suite("A clock that goes back, forward, and far ahead")
struct ClockTests {
    private let memory = TestDeviceMemory()
    private let clock = ManualDeviceClock(now: Bench.start)
    private static let hour: Int64 = 3_600

    /// Returns the device of the next run.
    private func run() throws -> Bench { try Bench(memory: memory, clock: clock) }

    /// Loads a key and decrypts with it. Returns the key that replaces it, if any.
    @discardableResult
    private func play(_ sealed: [UInt8], _ bench: Bench) throws -> [UInt8]? {
        let key = try bench.device.loadPersistentKey(sealed)
        try key.startPlaying()
        _ = try key.contentKey()
        return key.updatedPersistentKey
    }

    @Test("A refused load is remembered: the clock is set back, and the next run refuses the key too")
    func refusedLoad() throws {
        let sealed = try run().persistentKey(.persistent(rental: UInt32(24 * Self.hour)))
        clock.advance(by: 25 * Self.hour)
        let error = #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
        #expect(error?.reason == "the period in which playback can start ended at 2027-01-16T08:00:00Z")
        clock.advance(by: -2 * Self.hour)
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
        clock.advance(by: -23 * Self.hour)
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
    }

    @Test("A storage period that has ended starts no playback period, and a playback period that has ended stays ended")
    func dualExpiry() throws {
        let terms = TinyServer.Block.offlineKey(storage: UInt32(24 * Self.hour), playback: UInt32(2 * Self.hour))
        let first = try run()
        let (stored, other) = (try first.persistentKey(terms), try first.persistentKey(terms))
        let playing = try #require(try play(other, first))
        for (step, sealed) in [(3, playing), (24, stored)] {
            clock.advance(by: Int64(step) * Self.hour)
            #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
            clock.advance(by: -Int64(step) * Self.hour)
            #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
        }
    }

    @Test("A refused start is remembered")
    func refusedStart() throws {
        let bench = try run()
        let sealed = try bench.persistentKey(.persistent(rental: 60))
        let key = try bench.device.loadPersistentKey(sealed)
        clock.advance(by: 60)
        #expect(throws: FPSError.persistentKeyExpired) { try key.startPlaying() }
        clock.advance(by: -60)
        #expect(throws: FPSError.persistentKeyExpired) { try key.startPlaying() }
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
    }

    @Test("A streaming rental and a lease that have expired stay expired, on a device without a memory too")
    func streaming() throws {
        let bench = try Bench()
        let rental = try bench.key(.rental(60))
        bench.clock.advance(by: 60)
        #expect(throws: FPSError.rentalExpired) { try rental.startPlaying() }
        bench.clock.advance(by: -60)
        #expect(throws: FPSError.rentalExpired) { try rental.startPlaying() }
        let lease = try bench.key(.lease(60))
        try lease.startPlaying()
        bench.clock.advance(by: 90)
        _ = bench.device.clock.now
        bench.clock.advance(by: -90)
        // The device's clock was at 60 seconds when the lease began, and is at 90 now.
        _ = try lease.contentKey()
        _ = try bench.renew(lease, .lease(60))
        bench.clock.advance(by: 150)
        let error = #expect(throws: FPSError.leaseExpired) { try lease.contentKey() }
        #expect(error?.reason?.hasPrefix("the lease ended at 2027-01-15T08:02:30Z") == true)
        bench.clock.advance(by: -150)
        #expect(throws: FPSError.leaseExpired) { try lease.contentKey() }
        #expect(throws: FPSError.leaseExpired) { try bench.renew(lease, .lease(60)) }
    }

    @Test("A later time that another process has seen is not overwritten")
    func otherProcess() throws {
        let bench = try run()
        let sealed = try bench.persistentKey(.persistent(rental: 60))
        let own = ManualDeviceClock(now: Bench.start)
        let other = try Bench(memory: memory, clock: own)
        own.advance(by: 60)
        #expect(throws: FPSError.persistentKeyExpired) { try other.device.loadPersistentKey(sealed) }
        _ = try bench.persistentKey(.persistent)
        #expect(throws: FPSError.persistentKeyExpired) { try bench.device.loadPersistentKey(sealed) }
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
    }

    @Test("The time of a server sets back a clock that was far ahead, and extends no key")
    func correction() throws {
        let first = try run()
        let sealed = try first.persistentKey(.offlineKey(storage: UInt32(48 * Self.hour), playback: 600))
        let late = try first.persistentKey(.offlineKey(storage: UInt32(48 * Self.hour), playback: 600))
        // The playback period of one key starts while the clock is ahead.
        clock.advance(by: 24 * Self.hour)
        let playing = try #require(try play(late, try run()))
        clock.advance(by: 10_000 * Self.hour)
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(sealed) }
        let ahead = try run()
        #expect(throws: FPSError.clockNotCorrected, "the system clock is still ahead") {
            try ahead.device.setClock(backTo: Bench.start)
        }
        clock.now = Bench.start + 60
        #expect(ahead.device.secondsAheadOfSystemClock == 10_024 * Self.hour - 60)
        let back = try ahead.device.setClock(backTo: Bench.start + 60)
        #expect(back == 10_024 * Self.hour - 60)
        #expect(try ahead.device.setClock(backTo: Bench.start + 60) == 0)
        let next = try run()
        #expect(next.device.clock.now == clock.now)
        #expect(throws: Never.self) { try next.device.loadPersistentKey(sealed) }
        // Its playback period started at the correction at the latest.
        clock.advance(by: 599)
        #expect(throws: Never.self) { try next.device.loadPersistentKey(playing) }
        #expect(try next.device.facts(of: playing).firstPlayed == Bench.start + 60)
        clock.advance(by: 1)
        #expect(throws: FPSError.persistentKeyExpired) { try next.device.loadPersistentKey(playing) }
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(playing) }
        // A process that ran during the correction has the corrected time too.
        #expect(throws: Never.self) { try first.device.loadPersistentKey(sealed) }
        #expect(first.device.clock.now == clock.now)
    }

    @Test("An older time of a server is refused after a correction, and a correction that is not saved has no effect")
    func replayedCorrection() throws {
        let bench = try run()
        func goAhead() throws {
            clock.advance(by: 100 * Self.hour)
            _ = try bench.persistentKey(.persistent)
            clock.advance(by: -100 * Self.hour)
        }
        try goAhead()
        memory.setFull(true)
        #expect(throws: FPSError.memoryFailed) { try bench.device.setClock(backTo: Bench.start) }
        #expect(bench.device.secondsAheadOfSystemClock == 100 * Self.hour)
        memory.setFull(false)
        #expect(try bench.device.setClock(backTo: Bench.start) == 100 * Self.hour)
        clock.advance(by: -Self.hour)
        #expect(bench.device.clock.now == Bench.start)
        try goAhead()
        #expect(throws: FPSError.clockNotCorrected) { try bench.device.setClock(backTo: Bench.start - 1) }
        #expect(try bench.device.setClock(backTo: Bench.start) == 99 * Self.hour)
    }

    @Test("A lease in use is not extended by a correction of the clock")
    func lease() throws {
        let bench = try run()
        clock.advance(by: 100 * Self.hour)
        let key = try bench.key(.lease(600))
        try key.startPlaying()
        clock.now = Bench.start
        _ = try bench.device.setClock(backTo: Bench.start)
        #expect(try key.givesTestKey)
        clock.advance(by: 600)
        #expect(throws: FPSError.leaseExpired) { try key.contentKey() }
    }

    @Test("With a memory that is read-only, keys play, and only a first playback that must be recorded is refused")
    func readOnly() throws {
        let bench = try run()
        let unlimited = try bench.persistentKey(.persistent)
        let limited = try bench.persistentKey(.persistent(rental: 1_000))
        let dual = try bench.persistentKey(.offlineKey(storage: 1_000, playback: 500))
        let played = try #require(try play(try bench.persistentKey(.offlineKey(storage: 1_000, playback: 500)), bench))
        memory.setReadOnly(true)
        clock.advance(by: 100)
        let next = try run()
        for sealed in [unlimited, limited, played] { #expect(try play(sealed, next) == nil) }
        let waiting = try next.device.loadPersistentKey(dual)
        let error = #expect(throws: FPSError.memoryFailed) { try waiting.startPlaying() }
        #expect(error?.reason?.contains("make it writable") == true)
        clock.advance(by: 900)
        #expect(throws: FPSError.persistentKeyExpired) { try run().device.loadPersistentKey(limited) }
    }
}
