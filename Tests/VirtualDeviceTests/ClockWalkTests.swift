import FPSCrypto
import Testing
import VirtualDevice

/// Random walks of the system clock with restarts, playbacks, renewals and corrections by a server, compared with a
/// model of the device.
@Suite("Walks of the clock")
struct ClockWalkTests {
    enum Kind: CaseIterable {
        case lease, rental, limited, dual

        var block: TinyServer.Block {
            switch self {
            case .lease: .lease(7_200)
            case .rental: .rental(86_400)
            case .limited: .persistent(rental: 86_400)
            case .dual: .offlineKey(storage: 172_800, playback: 86_400)
            }
        }

        var isPersistent: Bool { self == .limited || self == .dual }
    }

    /// The model: the latest time counts, and only a server sets it back.
    struct Model {
        let kind: Kind
        var latest, acquired: Int64
        var firstPlayed: Int64?
        var isDiscarded = false

        mutating func see(_ clock: Int64) { latest = max(latest, clock) }
        mutating func renew() { (acquired, firstPlayed, isDiscarded) = (latest, nil, false) }
        mutating func correct(to time: Int64) {
            guard latest - time > 60 else { return }
            (latest, acquired, firstPlayed) = (time, min(acquired, time), firstPlayed.map { min($0, time) })
        }
        mutating func plays() -> Bool {
            let length: Int64 = kind == .lease ? 7_200 : kind == .dual && firstPlayed == nil ? 172_800 : 86_400
            guard !isDiscarded, latest < (firstPlayed ?? acquired) + length else {
                isDiscarded = kind == .lease
                return false
            }
            if kind == .dual, firstPlayed == nil { firstPlayed = latest }
            return true
        }
    }

    /// A viewer with a device, its memory, and a key of one kind.
    struct Viewer {
        let kind: Kind
        let memory = TestDeviceMemory()
        let clock = ManualDeviceClock(now: Bench.start)
        var bench: Bench
        var key: DeviceKey?
        var sealed: [UInt8]?

        init(_ kind: Kind) throws {
            self.kind = kind
            bench = try Bench(memory: memory, clock: clock)
            try renew()
        }

        mutating func restart() throws {
            bench = try Bench(memory: memory, clock: clock)
            key = nil
        }

        mutating func renew() throws {
            if kind.isPersistent {
                sealed = try bench.persistentKey(kind.block)
            } else if kind == .lease, let key, (try? key.contentKey()) != nil {
                _ = try bench.renew(key, kind.block)
            } else {
                key = try bench.key(kind.block)
            }
        }

        /// Returns whether the key decrypts; false if it has expired.
        mutating func plays() throws -> Bool {
            let expiries: [FPSError] = [.leaseExpired, .rentalExpired, .persistentKeyExpired]
            let result = attempt()
            if case .failure(let error) = result, !expiries.contains(error) { throw error }
            return (try? result.get()) == true
        }

        private mutating func attempt() -> Result<Bool, FPSError> {
            do throws(FPSError) {
                guard let sealed else {
                    try key?.startPlaying()
                    return .success(try key?.givesTestKey == true)
                }
                let loaded = try bench.device.loadPersistentKey(sealed)
                try loaded.startPlaying()
                let isCorrect = try loaded.givesTestKey
                self.sealed = loaded.updatedPersistentKey ?? sealed
                return .success(isCorrect)
            } catch {
                return .failure(error)
            }
        }
    }

    @Test("Fifty walks for each kind of key", arguments: Kind.allCases)
    func walks(_ kind: Kind) throws {
        var results: Set<Bool> = []
        for seed in UInt64(1)...50 {
            var random = Numbers(state: seed << 32)
            var viewer = try Viewer(kind)
            var truth = Bench.start
            var model = Model(kind: kind, latest: truth, acquired: truth)
            for step in 0..<60 {
                let passed = Int64.random(in: 0...60, using: &random) * 60
                truth += passed
                viewer.clock.advance(by: passed)
                let choice = Int.random(in: 0..<20, using: &random)
                switch choice {
                case 0..<4: viewer.clock.advance(by: Int64.random(in: 1...1_500, using: &random) * 60)
                case 4..<8: viewer.clock.advance(by: Int64.random(in: -1_500 ... -1, using: &random) * 60)
                case 8: viewer.clock.advance(by: 400 * 86_400)
                case 9: viewer.clock.now = truth
                case 10..<13:
                    try viewer.restart()
                    model.see(viewer.clock.now)
                    if !kind.isPersistent {
                        try viewer.renew()
                        model.renew()
                    }
                case 13, 14:
                    model.see(viewer.clock.now)
                    try viewer.renew()
                    model.renew()
                case 15:
                    viewer.clock.now = truth
                    model.see(truth)
                    _ = try viewer.bench.device.setClock(backTo: truth)
                    model.correct(to: truth)
                default:
                    model.see(viewer.clock.now)
                    let (expected, found) = (model.plays(), try viewer.plays())
                    results.insert(found)
                    try #require(found == expected, "seed \(seed), step \(step), \(kind), at \(viewer.clock.now)")
                    // Playback of a rental that has started is not limited, so the next attempt is with a new key.
                    if kind == .rental, found {
                        viewer.key = nil
                        try viewer.renew()
                        model.renew()
                    }
                }
            }
        }
        #expect(results == [true, false])
    }

    /// A seeded source of numbers (SplitMix64).
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
