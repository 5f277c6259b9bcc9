import FPSMessages
import Testing

@testable import KeyServerModule

@Suite("Policies that are capped, loosened, or within a rental")
struct PolicyLimitsTests {
    private static let capabilities: [Set<Capabilities.Feature>] = [
        [], [.offlineKey], [.offlineKey, .offlineKeyVersion2],
    ]

    /// Everything that can become of a policy.
    private func outcomes(_ policy: LicensePolicy) throws -> [KeyTerms] {
        try Self.capabilities.flatMap { features in
            try [MediaPlaybackState.State.readyToStart, .playingOrPaused].flatMap { state in
                let request = try request([playback(state), Capabilities(features)])
                return [false, true].compactMap { keeps in
                    try? KeyTerms(
                        policy: policy,
                        wantsPersistable: keeps,
                        content: Content(key: TestKeys.contentKey, streamID: [UInt8](repeating: 1, count: 16))!,
                        request: request,
                        device: ReportedDevice(request)
                    )
                }
            }
        }
    }

    /// All policies, and what becomes of pairs of them.
    private static let policies: [LicensePolicy] = SamplePolicies.durations.flatMap { first in
        SamplePolicies.durations.compactMap { try? LicensePolicy.strictest([first, $0]) }
    }

    /// Holds that a key ends after `cap` at the latest, or, of a rental that runs, that playback starts before.
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

    @Test("No duration in any outcome exceeds the cap", arguments: [1, 2, 3, 10, 199, 777, 4000, 100_000] as [UInt32])
    func capped(cap: UInt32) throws {
        for policy in Self.policies {
            let capped = policy.capped(to: Seconds(rawValue: cap))
            try capped.requireCoherent(for: .unspecified)
            for terms in try outcomes(capped) { requireEnd(terms, cap, capped) }
            #expect(capped.capped(to: Seconds(rawValue: cap)) == capped)
        }
    }

    @Test("A cap grants nothing that the policy does not", arguments: [1, 2, 3, 10, 199, 4000, .max - 1] as [UInt32])
    func cappedIsStricter(cap: UInt32) throws {
        for policy in Self.policies {
            let capped = policy.capped(to: Seconds(rawValue: cap))
            #expect((policy.persist != nil) || (capped.persist == nil))
            let request = try request([playback(), Capabilities([.offlineKey])])
            for keeps in [false, true] {
                func granted(_ policy: LicensePolicy) throws -> GrantedTime {
                    let content = Content(key: TestKeys.contentKey, streamID: [UInt8](repeating: 1, count: 16))!
                    let device = ReportedDevice(request)
                    return GrantedTime(
                        try KeyTerms(
                            policy: policy,
                            wantsPersistable: keeps,
                            content: content,
                            request: request,
                            device: device
                        )
                    )
                }
                let (after, before) = (try granted(capped), try granted(policy))
                guard after.isKept == before.isKept else { continue }
                #expect(after.isWithin(before), "\(policy), \(cap)")
            }
        }
    }

    @Test("Every online key gets a lease, since a rental ends no playback; what ends sooner stays as it is")
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
        "Storage and playback share what remains",
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

    @Test("Within a rental nothing outlasts it", arguments: [1, 2, 5, 300, 1999] as [UInt32])
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

    @Test("A rental lasts as long as the policy says, also where it is one of kept keys")
    func rentalLength() {
        let dual = SamplePolicies.dual(30, 2)
        #expect(LicensePolicy(rental: Seconds(rawValue: 5)).rentalLength == 5)
        #expect(LicensePolicy(persist: dual, rentalStart: .firstLicense).rentalLength == 32)
        #expect(LicensePolicy(persist: dual, bindRentalToDevice: true).rentalLength == 32)
        #expect(LicensePolicy(persist: .limited(Seconds(rawValue: 9)), rentalStart: .token).rentalLength == 9)
        #expect(LicensePolicy(persist: dual).rentalLength == nil)
        #expect(LicensePolicy(persist: .unlimited, rentalStart: .token).rentalLength == nil)
    }

    @Test("A binding stays where nothing is left of the rental's length")
    func bindingWithoutLength() throws {
        let bound = LicensePolicy(persist: .limited(Seconds(rawValue: 9)), bindRentalToDevice: true)
        let merged = try LicensePolicy.strictest([bound, LicensePolicy()])
        #expect(merged.rentalLength == nil && merged.hasRental)
        let loosened = bound.loosened(by: LicensePolicy(persist: .unlimited))
        #expect(loosened.rentalLength == nil && loosened.hasRental)
        #expect(!LicensePolicy(persist: .unlimited).hasRental)
        #expect(!LicensePolicy(bindRentalToDevice: false).hasRental)
    }

    @Test("A token that may loosen replaces what it names, and leaves the rest")
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

    @Test("Clear Key and AES-128 clients are allowed only where a policy says so, whatever else it asks for")
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
