import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import HLSPlaylist
import Synchronization
import Testing
import VirtualDevice

@testable import KeywayTesting
@testable import OfflineAssets

/// Random walks of the system clock with restarts, playbacks and corrections by a server. What is displayed about a title
/// is compared with what playback then does.
@Suite("The displayed state of a title, whatever the clock does", .timeLimit(.minutes(10)))
struct DisplayedStateWalkTests {
    private static let day: Int64 = 86_400
    private static let uri = "skd://film"

    private final class Memory: DeviceMemory {
        private let image = Mutex<SecretBytes?>(nil)
        func recall() throws -> SecretBytes? { image.withLock { $0 } }
        func remember(_ new: SecretBytes) throws { image.withLock { $0 = new } }
    }

    /// A viewer of one title. Each run has its own device object, with the same memory.
    private final class Viewer {
        let server = TestKeyServer()
        let clock: ManualDeviceClock
        let store: OfflineKeyStore
        private let folder: Folder
        private let memory = Memory()
        private(set) var device: FPSDevice

        init(_ folder: Folder, _ policy: TestKeyPolicy) throws {
            self.folder = folder
            clock = ManualDeviceClock(now: server.clock.secondsSince1970)
            server.policy = policy
            store = try folder.store(.of(7))
            device = try Self.device(memory, clock)
        }

        private static func device(_ memory: Memory, _ clock: ManualDeviceClock) throws -> FPSDevice {
            try FPSDevice(
                profile: .iPhone,
                dask: .development(ask: TestIdentity.ask),
                memory: memory,
                clock: clock
            )
        }

        func restart() throws { device = try Self.device(memory, clock) }

        var keys: OfflineKeys {
            let device = device
            return OfflineKeys(
                store: store,
                device: device,
                service: OfflineKeyService(keys: server.service(), challengeURL: server.url + "/fps/challenge"),
                transport: server,
                clocks: .init { device.clock.now },
                content: { _ in throw ContentKeyError(.unsupportedOperation, .device) }
            )
        }

        func acquire() async throws {
            let tag = KeyTag(
                method: .sampleAES,
                uri: DisplayedStateWalkTests.uri,
                keyFormat: .fairPlay,
                keyFormatVersions: "1"
            )
            try await keys.acquire([[DownloadKey(identifier: DisplayedStateWalkTests.uri, tag: tag)]], title: "film")
        }

        /// Returns the displayed state.
        func state() async throws -> OfflineKeyState? {
            let title = try store.title("film")
            return await title?.confirmed(by: device).keys[DisplayedStateWalkTests.uri]?.entry.state(at: clock.now)
        }

        /// Returns whether playback starts.
        func plays() async throws -> Bool {
            let playback = keys.playback(of: "film", .storedOnly)
            return try await playback.whileAnswering {
                let waiter = KeyWaiter()
                try await playback.fairPlay.addContentKeyRecipient(waiter)
                do throws(ContentKeyError) {
                    let options = ContentKeyRequestOptions(isPersistable: true)
                    let key = try await playback.fairPlay.contentKey(
                        identifier: DisplayedStateWalkTests.uri,
                        options: options,
                        for: waiter
                    )
                    try await key.beginPlayback()
                    return true
                } catch {
                    guard error == ContentKeyError(.persistentKeyExpired, .device) else { throw error }
                    return false
                }
            }
        }
    }

    @Test("It is playable if and only if playback starts, in fifty walks", arguments: [true, false])
    func walks(hasDualExpiry: Bool) async throws {
        let policy: TestKeyPolicy =
            hasDualExpiry
            ? .offline(storage: .seconds(3 * Self.day), playback: .seconds(Self.day))
            : .offline(validity: .seconds(2 * Self.day))
        var results: Set<Bool> = []
        for seed in UInt64(1)...50 {
            var random = SplitMix(state: seed << 32)
            let viewer = try Viewer(Folder(), policy)
            try await viewer.acquire()
            var truth = viewer.clock.now
            for step in 0..<20 {
                let passed = Int64.random(in: 0...14_400, using: &random)
                truth += passed
                viewer.clock.advance(by: passed)
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1: viewer.clock.advance(by: Int64.random(in: -Self.day...Self.day, using: &random))
                case 2: viewer.clock.advance(by: 400 * Self.day)
                case 3: viewer.clock.now = truth
                case 4, 5: try viewer.restart()
                case 6:
                    viewer.clock.now = truth
                    _ = try viewer.device.setClock(backTo: truth)
                default:
                    let state = try #require(try await viewer.state())
                    let found = try await viewer.plays()
                    results.insert(found)
                    try #require(state.isPlayable == found, "seed \(seed), step \(step): \(state)")
                    // The device has decided, and the list says the same afterwards.
                    #expect(try await viewer.state()?.isPlayable == found)
                }
            }
        }
        #expect(results == [true, false])
    }

    /// A seeded source of numbers (SplitMix64).
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
