import FPSMessages
import Testing

@testable import KeyServerModule

@Suite("Policies that are capped, loosened, or limited to a rental")
struct PolicyLimitsTests {
    private static let capabilities: [Set<Capabilities.Feature>] = [
        [], [.offlineKey], [.offlineKey, .offlineKeyVersion2],
    ]

    /// Returns the key terms that a policy yields for each kind of request and device.
    private func outcomes(_ policy: LicensePolicy) throws -> [KeyTerms] {
        try Self.capabilities.flatMap { features in
            try [MediaPlaybackState.State.readyToStart, .playingOrPaused].flatMap { state in
                let request = try request([playback(state), Capabilities(features)])
                return [false, true].compactMap { persistent in
                    try? KeyTerms(
                        policy: policy,
                        wantsPersistable: persistent,
                        content: Content(key: TestKeys.contentKey, streamID: [UInt8](repeating: 1, count: 16))!,
                        request: request,
                        device: ReportedDevice(request)
                    )
                }
            }
        }
    }

    /// The merged policies of all pairs of sample policies with durations.
    private static let policies: [LicensePolicy] = SamplePolicies.durations.flatMap { first in
        SamplePolicies.durations.compactMap { try? LicensePolicy.strictest([first, $0]) }
    }

    /// Expects that a key expires after `cap` at the latest, or for a running rental, that playback starts before that.
    private func requireEnd(
        _ terms: KeyTerms,
        _ cap: UInt32,
        _ policy: LicensePolicy,
        isRental: Bool = false
    ) {
        let limit = 1...cap
        if let key = terms.offlineKey {
            #expect(limit.contains(key.storage) && limit.contains(key.playback), "\(policy)")
            #expect(UInt64(key.storage) + UInt64(key.playback) <= UInt64(cap), "\(policy)")
            return
        }
        let duration = terms.duration
        switch duration?.keyType {
        case ContentKeyDuration.KeyType.lease: #expect(limit.contains(duration?.lease ?? 0), "\(policy)")
        case ContentKeyDuration.KeyType.rental where isRental, ContentKeyDuration.KeyType.persistLimited:
            #expect(limit.contains(duration?.rental ?? 0), "\(policy)")
        case ContentKeyDuration.KeyType.leaseAndRental:
            #expect(limit.contains(duration?.lease ?? 0) && limit.contains(duration?.rental ?? 0), "\(policy)")
        default: Issue.record("no end: \(policy)")
        }
    }

    @Test("No duration in a result exceeds the cap", arguments: [1, 2, 3, 10, 199, 777, 4000, 100_000] as [UInt32])
    func capped(cap: UInt32) throws {
        for policy in Self.policies {
            let capped = policy.capped(to: Seconds(rawValue: cap))
            try capped.requireCoherent(for: .unspecified)
            for terms in try outcomes(capped) { requireEnd(terms, cap, capped) }
            #expect(capped.capped(to: Seconds(rawValue: cap)) == capped)
        }
    }

    @Test(
        "A capped policy does not allow more than the policy",
        arguments: [1, 2, 3, 10, 199, 4000, .max - 1] as [UInt32]
    )
    func cappedIsStricter(cap: UInt32) throws {
        for policy in Self.policies {
            let capped = policy.capped(to: Seconds(rawValue: cap))
            #expect((policy.persist != nil) || (capped.persist == nil))
            let request = try request([playback(), Capabilities([.offlineKey])])
            for persistent in [false, true] {
                func granted(_ policy: LicensePolicy) throws -> GrantedTime {
                    let content = Content(key: TestKeys.contentKey, streamID: [UInt8](repeating: 1, count: 16))!
                    let device = ReportedDevice(request)
                    return GrantedTime(
                        try KeyTerms(
                            policy: policy,
                            wantsPersistable: persistent,
                            content: content,
                            request: request,
                            device: device
                        )
                    )
                }
                let (after, before) = (try granted(capped), try granted(policy))
                guard after.isPersistent == before.isPersistent else { continue }
                #expect(after.isWithin(before), "\(policy), \(cap)")
            }
        }
    }

    @Test("Every online key gets a lease, because a rental does not end playback; shorter durations are unchanged")
    func endless() {
        let hour = Seconds(rawValue: 3600)
        #expect(LicensePolicy().capped(to: hour) == LicensePolicy(lease: hour))
        #expect(
            LicensePolicy(persist: .unlimited).capped(to: hour) == LicensePolicy(lease: hour, persist: .limited(hour))
        )
        let rental = LicensePolicy(rental: Seconds(rawValue: 172_800))
        #expect(rental.capped(to: hour) == LicensePolicy(lease: hour, rental: hour))
        for policy in SamplePolicies.durations where policy.lease != nil {
            guard policy.persist != .unlimited else { continue }
            #expect(policy.capped(to: Seconds(rawValue: 1_000_000)) == policy)
        }
        #expect(LicensePolicy().capped(to: Seconds(rawValue: 0)) == LicensePolicy(lease: Seconds(rawValue: 1)))
    }

    @Test(
        "Storage and playback share the remaining time",
        arguments: [
            // storage, playback, cap, storage, playback
            (30, 2, 10, 8, 2), (1, 30, 10, 1, 9), (30, 30, 10, 5, 5), (0, 0, 10, 5, 5), (3, 4, 10, 3, 4),
            (3, 7, 10, 3, 7), (0, 2, 10, 8, 2), (2, 0, 10, 2, 8), (30, 30, 2, 1, 1), (30, 30, 3, 1, 2),
        ] as [(UInt32, UInt32, UInt32, UInt32, UInt32)]
    )
    func shared(storage: UInt32, playback: UInt32, cap: UInt32, storageThen: UInt32, playbackThen: UInt32) {
        let capped = SamplePolicies.dual(storage, playback).capped(to: Seconds(rawValue: cap))
        #expect(capped == SamplePolicies.dual(storageThen, playbackThen))
    }

    @Test("No duration exceeds the running rental", arguments: [1, 2, 5, 300, 1999] as [UInt32])
    func rental(remaining: UInt32) throws {
        for policy in Self.policies {
            let rented = policy.withRental(remaining: Seconds(rawValue: remaining))
            try rented.requireCoherent(for: .unspecified)
            for terms in try outcomes(rented) { requireEnd(terms, remaining, rented, isRental: true) }
        }
        let policy = LicensePolicy(lease: Seconds(rawValue: 600), rental: Seconds(rawValue: 172_800))
        let remaining = policy.withRental(remaining: Seconds(rawValue: 1000))
        #expect(remaining == LicensePolicy(lease: Seconds(rawValue: 600), rental: Seconds(rawValue: 1000)))
        #expect(policy.withRental(remaining: Seconds(rawValue: 60)).lease == Seconds(rawValue: 60))
    }

    @Test("The rental duration is that of the policy, also for persistent keys")
    func rentalLength() {
        let dual = SamplePolicies.dual(30, 2)
        #expect(LicensePolicy(rental: Seconds(rawValue: 5)).rentalLength == 5)
        #expect(LicensePolicy(persist: dual, rentalStart: .firstLicense).rentalLength == 32)
        #expect(LicensePolicy(persist: dual, bindRentalToDevice: true).rentalLength == 32)
        #expect(LicensePolicy(persist: .limited(Seconds(rawValue: 9)), rentalStart: .token).rentalLength == 9)
        #expect(LicensePolicy(persist: dual).rentalLength == nil)
        #expect(LicensePolicy(persist: .unlimited, rentalStart: .token).rentalLength == nil)
    }

    @Test("A device binding stays if the merge removes the rental duration")
    func bindingWithoutLength() throws {
        let bound = LicensePolicy(persist: .limited(Seconds(rawValue: 9)), bindRentalToDevice: true)
        let merged = try LicensePolicy.strictest([bound, LicensePolicy()])
        #expect(merged.rentalLength == nil && merged.hasRental)
        let loosened = bound.loosened(by: LicensePolicy(persist: .unlimited))
        #expect(loosened.rentalLength == nil && loosened.hasRental)
        #expect(!LicensePolicy(persist: .unlimited).hasRental)
        #expect(!LicensePolicy(bindRentalToDevice: false).hasRental)
    }

    @Test("A token that can loosen a policy replaces the fields that it sets")
    func loosened() throws {
        let title = LicensePolicy(
            name: "title",
            rental: Seconds(rawValue: 5000),
            hdcp: .type1,
            airplay: .deny,
            osVersions: [.appleMobile: OSVersion(18), .appleDesktop: OSVersion(15)],
            devices: 1
        )
        let token = LicensePolicy(
            name: "staff",
            rental: Seconds(rawValue: 9000),
            hdcp: .type0,
            osVersions: [.appleMobile: OSVersion(15)],
            devices: 9
        )
        let loosened = title.loosened(by: token)
        #expect(loosened.name == "title+staff")
        #expect(loosened.rental == Seconds(rawValue: 9000))
        #expect(loosened.hdcp == .type0)
        #expect(loosened.airplay == .deny)
        #expect(loosened.osVersions == [.appleMobile: OSVersion(15), .appleDesktop: OSVersion(15)])
        #expect(loosened.devices == 9)
        #expect(title.loosened(by: LicensePolicy()) == title)
        let kept = title.loosened(by: LicensePolicy(persist: SamplePolicies.dual(30, 2)))
        #expect(kept.rental == nil)
        #expect(kept.persist == SamplePolicies.dual(30, 2))
        for first in SamplePolicies.all {
            for second in SamplePolicies.all {
                try first.loosened(by: second).requireCoherent(for: .unspecified)
            }
        }
    }

    @Test("Clear Key and AES-128 clients are allowed only if a policy allows them, regardless of other fields")
    func otherClients() {
        for policy in SamplePolicies.all {
            #expect(policy.allowsOtherClients == (policy.otherClients == .allow), "\(policy.name ?? "")")
        }
        #expect(!LicensePolicy().allowsOtherClients)
        #expect(!LicensePolicy.default.allowsOtherClients)
        #expect(!LicensePolicy(hdcp: LicensePolicy.HDCP.none, airplay: .deny).allowsOtherClients)
        #expect(LicensePolicy(lease: Seconds(rawValue: 60), hdcp: .type1, otherClients: .allow).allowsOtherClients)
    }

    @Test(
        "A token that may loosen decides about other clients where its policy says something",
        arguments: [
            (nil, .allow, .allow), (.deny, .allow, .deny), (.allow, .deny, .deny), (.allow, nil, .allow),
            (.deny, nil, .deny), (nil, nil, nil),
        ] as [(LicensePolicy.Permission?, LicensePolicy.Permission?, LicensePolicy.Permission?)]
    )
    func loosenedOtherClients(
        title: LicensePolicy.Permission?,
        token: LicensePolicy.Permission?,
        expected: LicensePolicy.Permission?
    ) {
        let loosened = LicensePolicy(otherClients: title).loosened(by: LicensePolicy(otherClients: token))
        #expect(loosened.otherClients == expected)
    }
}
