import FPSMessages
import Testing

@testable import KeyServerModule

/// The rows of the table in the documentation of ``KeyTerms``.
@Suite("Key terms from lease, rental and persistence")
struct KeyTermsTests {
    private let lease = Seconds(rawValue: 600)
    private let rental = Seconds(rawValue: 172_800)
    private let streamID = [UInt8](repeating: 0xaa, count: 16)
    private let titleID = [UInt8](repeating: 0xbb, count: 16)
    private let dual = LicensePolicy.Persistence.dual(
        storage: Seconds(rawValue: 2_592_000),
        playback: Seconds(rawValue: 86_400),
        fallback: nil
    )

    private func terms(
        _ policy: LicensePolicy,
        persistable: Bool = false,
        state: MediaPlaybackState.State = .readyToStart,
        _ contents: any TLLVContent...,
        withIDs: Bool = true
    ) throws -> KeyTerms {
        let request = try request([playback(state)] + contents)
        return try KeyTerms(
            policy: policy,
            wantsPersistable: persistable,
            content: Content(
                key: TestKeys.contentKey,
                streamID: withIDs ? streamID : nil,
                titleID: withIDs ? titleID : nil
            )!,
            request: request,
            device: ReportedDevice(request)
        )
    }

    @Test("An online key with lease, rental, both or neither")
    func online() throws {
        #expect(try terms(LicensePolicy()).duration == nil)
        #expect(try terms(LicensePolicy(lease: lease)).duration == ContentKeyDuration(lease: 600, keyType: .lease))
        #expect(
            try terms(LicensePolicy(rental: rental)).duration == ContentKeyDuration(rental: 172_800, keyType: .rental)
        )
        #expect(
            try terms(LicensePolicy(lease: lease, rental: rental)).duration
                == ContentKeyDuration(lease: 600, rental: 172_800, keyType: .leaseAndRental)
        )
    }

    @Test("An online key under a policy with persistence is not more permissive than the persistent key")
    func onlineBesidePersistence() throws {
        #expect(try terms(LicensePolicy(persist: .unlimited)).duration == nil)
        let limited = try terms(LicensePolicy(persist: .limited(rental)))
        #expect(limited.duration == ContentKeyDuration(rental: 172_800, keyType: .rental))
        #expect(!limited.isPersistable)
        #expect(
            try terms(LicensePolicy(persist: dual)).duration == ContentKeyDuration(rental: 86_400, keyType: .rental)
        )
        let endless = LicensePolicy.Persistence.dual(
            storage: Seconds(rawValue: 9),
            playback: Seconds(rawValue: 0),
            fallback: nil
        )
        #expect(try terms(LicensePolicy(persist: endless)).duration == nil)
        #expect(
            try terms(LicensePolicy(lease: lease, persist: .limited(rental))).duration
                == ContentKeyDuration(lease: 600, keyType: .lease)
        )
    }

    @Test("Playback state 2 always gets a duration, which limits nothing if the policy has no limit")
    func stateTwo() throws {
        #expect(
            try terms(LicensePolicy(), state: .playingOrPaused).duration == ContentKeyDuration(keyType: .rental)
        )
        #expect(
            try terms(LicensePolicy(lease: lease), state: .playingOrPaused).duration
                == ContentKeyDuration(lease: 600, keyType: .lease)
        )
        #expect(try terms(LicensePolicy(), state: .leaseAboutToExpire).duration == nil)
    }

    @Test("Playback state 2 under dual expiry gets a duration instead of an offline key, even without a stream ID")
    func stateTwoUnderDualExpiry() throws {
        let policy = LicensePolicy(persist: dual)
        let capabilities = Capabilities([.offlineKey, .offlineKeyVersion2])
        for withIDs in [true, false] {
            let playing = try terms(policy, persistable: true, state: .playingOrPaused, capabilities, withIDs: withIDs)
            #expect(playing.duration == ContentKeyDuration(rental: 86_400, keyType: .rental))
            #expect(playing.offlineKey == nil && !playing.isPersistable && playing.notes.count == 1)
        }
        let unsupported = try terms(policy, persistable: true, state: .playingOrPaused)
        #expect(unsupported.duration == ContentKeyDuration(rental: 86_400, keyType: .rental))
        let fallback = LicensePolicy.Persistence.dual(
            storage: Seconds(rawValue: 2_592_000),
            playback: Seconds(rawValue: 86_400),
            fallback: Seconds(rawValue: 60)
        )
        let limited = try terms(
            LicensePolicy(persist: fallback),
            persistable: true,
            state: .playingOrPaused,
            capabilities
        )
        #expect(limited.duration == ContentKeyDuration(rental: 60, keyType: .persistLimited))
        #expect(limited.offlineKey == nil && limited.isPersistable)
        let ready = try terms(policy, persistable: true, state: .leaseAboutToExpire, capabilities)
        #expect(ready.offlineKey != nil && ready.duration == nil)
    }

    @Test("A persistent key, unlimited and limited")
    func persistable() throws {
        let unlimited = try terms(LicensePolicy(lease: lease, persist: .unlimited), persistable: true)
        #expect(unlimited.duration == ContentKeyDuration(keyType: .persistUnlimited))
        #expect(unlimited.isPersistable && !unlimited.hasDualExpiry)
        let limited = try terms(LicensePolicy(rental: rental, persist: .limited(rental)), persistable: true)
        #expect(limited.duration == ContentKeyDuration(rental: 172_800, keyType: .persistLimited))
        #expect(limited.isPersistable)
    }

    @Test("Dual expiry: version 2 with capability bits 1 and 3, version 1 with bit 1, otherwise refused or limited")
    func dualExpiry() throws {
        let policy = LicensePolicy(persist: dual)
        let version2 = try terms(policy, persistable: true, Capabilities([.offlineKey, .offlineKeyVersion2]))
        #expect(version2.duration == nil)
        #expect(
            version2.offlineKey
                == OfflineKey(streamID: streamID, storage: 2_592_000, playback: 86_400, titleID: titleID)
        )
        #expect(version2.isPersistable && version2.hasDualExpiry)
        let version1 = try terms(policy, persistable: true, Capabilities([.offlineKey]))
        #expect(version1.offlineKey?.version == 1)
        #expect(throws: KSMError(.policy, .offlineKeyUnsupported, "")) { try terms(policy, persistable: true) }
        #expect(throws: KSMError(.policy, .offlineKeyUnsupported, "")) {
            try terms(policy, persistable: true, Capabilities([.offlineKeyVersion2]))
        }
        let fallback = LicensePolicy.Persistence.dual(
            storage: Seconds(rawValue: 2_592_000),
            playback: Seconds(rawValue: 86_400),
            fallback: Seconds(rawValue: 3600)
        )
        let limited = try terms(LicensePolicy(persist: fallback), persistable: true)
        #expect(limited.duration == ContentKeyDuration(rental: 3600, keyType: .persistLimited))
        #expect(limited.notes == [.persistenceFallback])
        #expect(throws: KSMError(.policy, .streamIDMissing, "")) {
            try terms(policy, persistable: true, Capabilities([.offlineKey]), withIDs: false)
        }
    }

    @Test("A stream without a title is a separate title")
    func titleless() throws {
        let request = try request([playback(), Capabilities([.offlineKey, .offlineKeyVersion2])])
        let terms = try KeyTerms(
            policy: LicensePolicy(persist: dual),
            wantsPersistable: true,
            content: Content(key: TestKeys.contentKey, streamID: streamID)!,
            request: request,
            device: ReportedDevice(request)
        )
        #expect(terms.offlineKey?.titleID == streamID)
    }

    @Test(
        "Without persistence in the policy, and for AirPlay and the adapter, an online key is issued"
    )
    func withheld() throws {
        let none = try terms(LicensePolicy(lease: lease), persistable: true)
        #expect(!none.isPersistable)
        #expect(none.duration == ContentKeyDuration(lease: 600, keyType: .lease))
        #expect(none.notes.count == 1)
        for route in [StreamingIndicator.airPlay, .digitalAVAdapter] {
            for persistence in [LicensePolicy.Persistence.unlimited, .limited(rental), dual] {
                let online = try terms(LicensePolicy(persist: persistence), persistable: true, route)
                #expect(!online.isPersistable && online.offlineKey == nil)
                #expect(![.persistLimited, .persistUnlimited].contains(online.duration?.keyType))
                #expect(online.notes.count == 1)
            }
        }
    }
}
