import FPSCrypto
import Testing
import VirtualDevice

/// Tests of the rules that depend on the playback state and the properties of the device.
@Suite("CKCs for playback states and devices")
struct CKCRuleTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    @Test("State 2 requires a duration but no content key; a halted player gets no key")
    func playbackStates() throws {
        let playing = try bench.request(.init(playbackState: .playing))
        #expect(throws: FPSError.invalidCKC) {
            try bench.device.process(ckc: try bench.answer(playing), for: playing)
        }
        #expect(throws: FPSError.invalidCKC, "there is no key yet that the terms could be for") {
            let ckc = try bench.answer(playing, [.lease(60)]) { $0[TestCKC.Tag.encryptedCK] = nil }
            return try bench.device.process(ckc: ckc, for: playing)
        }
        _ = try bench.device.process(ckc: try bench.answer(playing, [.lease(60)]), for: playing)
        let halted = try bench.request(.init(playbackState: .halted))
        for terms in [[], [.lease(60)], [.offlineKey(storage: 1, playback: 1)]] as [[TinyServer.Block]] {
            #expect(throws: FPSError.invalidCKC) {
                try bench.device.process(ckc: try bench.answer(halted, terms), for: halted)
            }
        }
    }

    @Test("In state 2 an offline key does not replace the duration")
    func offlineKeyInStateTwo() throws {
        let playing = try bench.request(.init(playbackState: .playing))
        #expect(throws: FPSError.invalidCKC) {
            try bench.device.process(
                ckc: try bench.answer(playing, [.offlineKey(storage: 1, playback: 1)]),
                for: playing
            )
        }
        #expect(throws: FPSError.invalidCKC) {
            try bench.device.makePersistentKey(
                ckc: try bench.answer(playing, [.offlineKey(storage: 1, playback: 1)]),
                for: playing
            )
        }
    }

    @Test("In state 2 a content key that is not valid is noted, and the device keeps its key")
    func invalidKeyInStateTwo() throws {
        let key = try bench.key(.lease(60))
        try key.startPlaying()
        bench.clock.advance(by: 50)
        let request = try bench.device.makeSPC(renewing: key, state: .playing)
        let ckc = try bench.answer(request, [.lease(60)]) {
            $0[TestCKC.Tag.encryptedCK] = .init(TestCKC.Tag.encryptedCK, [1, 2, 3])
        }
        _ = try bench.device.process(ckc: ckc, for: request)
        bench.clock.advance(by: 50)
        #expect(try key.givesTestKey, "the lease was renewed")
        let last = try bench.device.makeSPC(renewing: key)
        #expect(throws: FPSError.invalidCKC, "state 3 requires a valid key") {
            let ckc = try bench.answer(last, [.lease(60)]) {
                $0[TestCKC.Tag.encryptedCK] = .init(TestCKC.Tag.encryptedCK, [1, 2, 3])
            }
            return try bench.device.process(ckc: ckc, for: last)
        }
    }

    @Test("A response to state 3 without a lease is accepted: the key has no limit")
    func renewalWithoutLease() throws {
        let request = try bench.request(.init(playbackState: .leaseAboutToExpire))
        let key = try bench.device.process(ckc: try bench.answer(request), for: request)
        #expect(key.notes.isEmpty)
        #expect(key.leaseEnd == nil)
    }

    @Test("Durations that limit nothing or are not used are noted, except in state 2")
    func oddDurations() throws {
        for (block, words) in [
            (.lease(0), "lease duration is 0"), (.rental(0), "rental duration is 0"),
            (.both(lease: 60, rental: 0), "rental duration is 0"), (.persistent(rental: 0), "rental duration is 0"),
            (.duration(lease: 60, rental: 9, type: 0x1a4b_de7e), "rental duration of 9 s is not used"),
            (.duration(lease: 60, type: 0x3df2_d9fb), "lease duration of 60 s is not used"),
        ] as [(TinyServer.Block, String)] {
            let notes = try bench.key(block).notes
            #expect(notes.count == 1 && notes[0].contains(words), "\(notes)")
        }
        for block in [.lease(60), .rental(60), .both(lease: 60, rental: 60), .persistent] as [TinyServer.Block] {
            #expect(try bench.key(block).notes.isEmpty)
        }
        let playing = try bench.request(.init(playbackState: .playing))
        let ckc = try bench.answer(playing, [.rental(0)])
        #expect(try bench.device.process(ckc: ckc, for: playing).notes.isEmpty)
    }

    @Test("A Sync SPC gets no CKC")
    func syncSPC() throws {
        for (sync, isValid) in [
            ([0, 0, 0, 1] + [UInt8](repeating: 0, count: 24), true),
            ([0, 0, 0, 1] + [UInt8](repeating: 0, count: 23), false),
            ([0, 0, 0, 2] + [UInt8](repeating: 0, count: 44), true),
            ([0, 0, 0, 2] + [UInt8](repeating: 0, count: 60), false),
            ([UInt8](repeating: 0, count: 28), false),
            ([0, 0, 0, 3] + [UInt8](repeating: 0, count: 44), false),
        ] {
            let request = try bench.request(.init(mutations: [.value(.sync, sync)]))
            let ckc = try bench.answer(request)
            if isValid {
                #expect(throws: FPSError.invalidCKC) { try bench.device.process(ckc: ckc, for: request) }
            } else {
                _ = try bench.device.process(ckc: ckc, for: request)
            }
        }
    }

    @Test("The reported security level determines whether Main is refused, without a report the capability bits do")
    func securityLevelOfDevice() throws {
        let main = TinyServer.Block.securityLevel(0x4e7f_d924_21d5_88b4)
        var profile = DeviceProfile.iPhone
        profile.reportsSecurityLevel = false
        profile.capabilities = [.hdcpEnforcement, .offlineKey, .securityLevelBaseline]
        #expect(throws: FPSError.securityLevelTooLow) { try Bench(profile).key(main) }
        profile.capabilities?.insert(.securityLevelMain)
        _ = try Bench(profile).key(main)
        profile.capabilities = nil
        _ = try Bench(profile).key(main)
        profile.securityLevel = .baseline
        #expect(throws: FPSError.securityLevelTooLow) { try Bench(profile).key(main) }
    }
}
