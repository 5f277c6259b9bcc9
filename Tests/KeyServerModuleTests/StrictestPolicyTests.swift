import FPSMessages
import Testing

@testable import KeyServerModule

@Suite("Merging policies by the strictest value")
struct StrictestPolicyTests {
    private func merge(_ policies: LicensePolicy...) throws -> LicensePolicy { try .strictest(policies) }

    private func nameless(_ policy: LicensePolicy) -> LicensePolicy {
        var policy = policy
        policy.name = nil
        return policy
    }

    @Test("A policy merged with itself is unchanged", arguments: SamplePolicies.all)
    func idempotent(policy: LicensePolicy) throws {
        #expect(try merge(policy) == policy)
        #expect(try merge(policy, policy, policy) == policy)
        for other in SamplePolicies.all {
            let both = try merge(policy, other)
            #expect(try merge(both, both) == both)
            #expect(try merge(both, policy) == both, "\(both.name ?? "")")
            #expect(nameless(try merge(policy, other, policy, other)) == nameless(both))
        }
    }

    @Test("Merging is commutative", arguments: SamplePolicies.all)
    func commutative(policy: LicensePolicy) throws {
        for other in SamplePolicies.all {
            let (left, right) = (try merge(policy, other), try merge(other, policy))
            #expect(nameless(left) == nameless(right), "\(left.name ?? "")")
        }
    }

    @Test("Merging is associative", arguments: SamplePolicies.all)
    func associative(first: LicensePolicy) throws {
        for second in SamplePolicies.all {
            let left = try merge(first, second)
            for third in SamplePolicies.all {
                let (leftFirst, rightFirst) = (try merge(left, third), try merge(first, merge(second, third)))
                #expect(leftFirst == rightFirst, "\(leftFirst.name ?? "")")
            }
        }
    }

    @Test("The merged policy refuses everything that one of the policies refuses", arguments: SamplePolicies.all)
    func refusals(policy: LicensePolicy) throws {
        let questions = try SamplePolicies.questions()
        var withoutAge = KSM.Configuration()
        withoutAge.maximumSPCAge = nil
        var strict = KSM.Configuration()
        strict.minimumKDL = 40
        strict.maximumSPCAge = Seconds(rawValue: 1800)
        for configuration in [KSM.Configuration(), withoutAge, strict] {
            let refused = questions.filter { SamplePolicies.refusal(policy, $0, configuration) != nil }
            for other in SamplePolicies.all {
                let merged = try LicensePolicy.strictest([other, policy], under: configuration)
                for question in refused {
                    let refusal = SamplePolicies.refusal(merged, question, configuration)
                    #expect(refusal != nil, "\(merged.name ?? ""): \(question)")
                }
                let both = [policy, other].map(\.otherClients)
                #expect(
                    merged.allowsOtherClients == (both.contains(.allow) && !both.contains(.deny)),
                    "\(merged.name ?? "")"
                )
            }
        }
    }

    @Test("No key is valid longer than under each policy alone", arguments: SamplePolicies.all)
    func durations(policy: LicensePolicy) throws {
        for question in try SamplePolicies.questions() where question.address == nil {
            for other in SamplePolicies.all {
                let merged = try merge(policy, other)
                for persistent in [false, true] {
                    let granted = try? GrantedTime(terms(merged, question.request, persistent))
                    guard let granted else { continue }
                    // A persistent key request that yields an online key is compared with the online key.
                    let alone = try? GrantedTime(terms(policy, question.request, granted.isPersistent))
                    let isWithin = alone.map { granted.isWithin($0) } ?? false
                    #expect(isWithin, "\(merged.name ?? ""): \(granted), \(String(describing: alone))")
                }
            }
        }
    }

    private func terms(_ policy: LicensePolicy, _ request: SPCRequest, _ persistent: Bool) throws -> KeyTerms {
        try KeyTerms(
            policy: policy,
            wantsPersistable: persistent,
            content: Content(key: TestKeys.contentKey, streamID: [UInt8](repeating: 1, count: 16))!,
            request: request,
            device: ReportedDevice(request)
        )
    }

    @Test("Licenses can be issued under every merged policy, even if the policy is not a valid document")
    func coherent() throws {
        for first in SamplePolicies.all {
            for second in SamplePolicies.all {
                try merge(first, second).requireCoherent(for: .unspecified)
            }
        }
        let unsatisfiable = try merge(
            LicensePolicy(networks: SamplePolicies.networks("10.0.0.0/8")),
            LicensePolicy(networks: SamplePolicies.networks("192.0.2.0/24"))
        )
        #expect(unsatisfiable.networks == [])
        #expect(throws: PolicyError(.invalidValue, field: "", reason: "")) {
            try LicensePolicy(json: unsatisfiable.json)
        }
    }

    @Test("Title, track and token, field by field")
    func example() throws {
        let title = LicensePolicy(name: "title", lease: Seconds(rawValue: 600), hdcp: .type0, streams: 4, devices: 5)
        let track = LicensePolicy(name: "uhd", hdcp: .type1, securityLevel: .main)
        let token = LicensePolicy(name: "basic", lease: Seconds(rawValue: 900), airplay: .deny, streams: 1)
        #expect(
            try merge(title, track, token)
                == LicensePolicy(
                    name: "title+uhd+basic",
                    lease: Seconds(rawValue: 600),
                    hdcp: .type1,
                    securityLevel: .main,
                    airplay: .deny,
                    streams: 1,
                    devices: 5
                )
        )
    }

    @Test("Other clients: denied if one policy denies, allowed if one allows, unset if none sets it")
    func otherClients() throws {
        typealias Permission = LicensePolicy.Permission
        let said: [Permission?] = [nil, .allow, .deny]
        for first in said {
            for second in said {
                for third in said {
                    let all = [first, second, third]
                    let expected: Permission? =
                        all.contains(.deny) ? .deny : all.contains(.allow) ? .allow : nil
                    let merged = try LicensePolicy.strictest(all.map { LicensePolicy(hdcp: .type1, otherClients: $0) })
                    #expect(merged.otherClients == expected)
                }
            }
        }
    }

    @Test("Persistence: none, limited, dual, unlimited; dual merged with limited is limited to the shortest duration")
    func persistence() throws {
        func merged(_ left: LicensePolicy.Persistence?, _ right: LicensePolicy.Persistence?) throws
            -> LicensePolicy.Persistence?
        { try merge(LicensePolicy(persist: left), LicensePolicy(persist: right)).persist }
        let limited = LicensePolicy.Persistence.limited(Seconds(rawValue: 500))
        #expect(try merged(.unlimited, nil) == nil)
        #expect(try merged(limited, nil) == nil)
        #expect(try merged(.unlimited, limited) == limited)
        #expect(try merged(.unlimited, SamplePolicies.dual(0, 7)) == SamplePolicies.dual(0, 7))
        #expect(
            try merged(SamplePolicies.dual(0, 7, 30), SamplePolicies.dual(20, 0, 40)) == SamplePolicies.dual(20, 7, 27)
        )
        #expect(try merged(SamplePolicies.dual(20, 7, 9), limited) == .limited(Seconds(rawValue: 7)))
        #expect(try merged(SamplePolicies.dual(20, 7), limited) == nil)
    }

    @Test("Dual expiry merged with a lease: the lease applies to online keys, the expiry to persistent keys")
    func dualAndLease() throws {
        let dual = LicensePolicy(persist: SamplePolicies.dual(3000, 200))
        let lease = LicensePolicy(lease: Seconds(rawValue: 60), persist: .unlimited)
        let merged = try merge(dual, lease)
        let request = try request([playback(), Capabilities([.offlineKey, .offlineKeyVersion2])])
        #expect(
            try terms(merged, request, false).duration
                == ContentKeyDuration(lease: 60, rental: 200, keyType: .leaseAndRental)
        )
        let kept = try terms(merged, request, true)
        #expect(kept.duration == nil)
        #expect(kept.offlineKey?.storage == 3000)
        #expect(kept.offlineKey?.playback == 200)
    }

    @Test("An empty list of policies and a contradictory policy cannot be merged")
    func refused() {
        #expect(throws: PolicyError(.invalidValue, field: "", reason: "")) { try LicensePolicy.strictest([]) }
        let broken = LicensePolicy(rental: Seconds(rawValue: 5), persist: .unlimited)
        #expect(throws: PolicyError(.contradiction, field: "", reason: "")) { try merge(.default, broken) }
    }
}
