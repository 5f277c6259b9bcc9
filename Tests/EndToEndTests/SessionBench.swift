import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import FPSMessages
import KeyServerModule
import Synchronization
import Testing
import VirtualDevice

// The fixture of the session's tests.
extension SessionTests {
    final class Player: ContentKeyRecipient {
        let hasBegunLoading = false
    }

    /// A clock for the session that follows the device's clock.
    struct StageClock: Clock {
        struct Instant: InstantProtocol {
            var seconds: Int64
            func advanced(by duration: Duration) -> Instant {
                // Rounded up, so that no waiter is resumed early.
                let (seconds, rest) = duration.components
                return Instant(seconds: self.seconds + seconds + (rest > 0 ? 1 : 0))
            }
            func duration(to other: Instant) -> Duration { .seconds(other.seconds - seconds) }
            static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }
        }
        let clock: ManualDeviceClock
        var now: Instant { Instant(seconds: clock.now) }
        let minimumResolution = Duration.seconds(1)
        /// Does not return unless it is cancelled: these tests call `checkDeadlines()` instead.
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            let (forever, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in forever {}
            continuation.finish()
            throw CancellationError()
        }
    }

    /// Creates a stage, a device, a session over it, and a player that was added.
    struct Bench {
        let stage: Stage
        let device: FPSDevice
        let session: KeySession
        let player = Player()
        let reports = InMemoryExpiredSessionReports()

        init(_ profile: DeviceProfile = .iPhone) async throws {
            stage = try Stage()
            device = stage.device(profile)
            session = KeySession(
                device: device,
                clock: StageClock(clock: stage.clock),
                responseTimeout: nil,
                renewalLead: .seconds(10),
                expiredSessionReports: reports
            )
            try await session.addContentKeyRecipient(player)
        }

        func ask(_ options: ContentKeyRequestOptions = .init()) async throws -> any ContentKeyLoading {
            await session.processContentKeyRequest(identifier: "skd://k", options: options)
            return try await next()
        }

        func next() async throws -> any ContentKeyLoading {
            var requests = session.requests.makeAsyncIterator()
            return try #require(await requests.next())
        }

        func spc(_ request: any ContentKeyLoading) async throws -> [UInt8] {
            try await request.makeStreamingContentKeyRequestData(
                certificate: stage.certificate.der,
                contentIdentifier: Stage.assetID,
                protocolVersions: [1]
            )
        }

        func answer(
            _ request: any ContentKeyLoading,
            _ policy: LicensePolicy = .default
        ) async throws -> ContentKeyRequestStatus {
            let ckc = try stage.answer(try await spc(request), policy).ckc
            return await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: ckc))
        }

        /// Returns the key for the player, loaded.
        func key() async throws -> ContentKey { try await session.contentKey(identifier: "skd://k", for: player) }

        func content(_ key: ContentKey) throws -> SecretBytes {
            try #require(key.protectedKey as? DeviceKey).contentKey().key
        }

        /// Requests a persistent key, and creates it.
        func keep(_ policy: LicensePolicy) async throws -> (request: any ContentKeyLoading, stored: [UInt8]) {
            let request = try await ask(persistable)
            try await request.respondByRequestingPersistableKey()
            let ckc = try stage.answer(try await spc(request), policy, persistable: true).ckc
            return (request, try await request.persistableContentKey(fromKeyVendorResponse: ckc))
        }

        func context(challenge: UInt64) -> ServerPlaybackContext {
            ServerPlaybackContext(certificate: stage.certificate.der, serverChallenge: challenge)
        }
    }
}
