import FPSCrypto
import FPSMessages
import KeyServerModule
import Testing
import VirtualDevice

/// Compares device and KSM over all profiles, policies and playback states. The two share no message code.
@Suite("Every device, every policy, every playback state")
struct MatrixTests {
    /// A policy, and the devices that get no key under it in an ordinary first request.
    struct Case: Sendable {
        let policy: LicensePolicy
        let refused: [String: String]
    }

    private static let vm = ["vm": "virtual-machine"]

    static let cases: [Case] = [
        Case(policy: .default, refused: vm),
        Case(policy: LicensePolicy(name: "bare"), refused: vm),
        Case(policy: LicensePolicy(name: "vm", virtualMachines: .allow), refused: [:]),
        Case(policy: LicensePolicy(name: "lease", lease: Seconds(rawValue: 600)), refused: vm),
        Case(policy: LicensePolicy(name: "rental", rental: Seconds(rawValue: 172_800)), refused: vm),
        Case(
            policy: LicensePolicy(name: "both", lease: Seconds(rawValue: 600), rental: Seconds(rawValue: 172_800)),
            refused: vm
        ),
        Case(policy: LicensePolicy(name: "keep", persist: .unlimited), refused: vm),
        Case(policy: LicensePolicy(name: "keep-a-week", persist: .limited(Seconds(rawValue: 604_800))), refused: vm),
        Case(
            policy: LicensePolicy(
                name: "dual",
                persist: .dual(
                    storage: Seconds(rawValue: 2_592_000),
                    playback: Seconds(rawValue: 172_800),
                    fallback: nil
                )
            ),
            refused: vm
        ),
        Case(policy: LicensePolicy(name: "no-hdcp", hdcp: LicensePolicy.HDCP.none), refused: vm),
        Case(
            policy: LicensePolicy(name: "type1", hdcp: .type1, virtualMachines: .allow),
            refused: ["watch": "hdcp-not-enforceable"]
        ),
        Case(
            policy: LicensePolicy(name: "main", securityLevel: .main, virtualMachines: .allow),
            refused: ["watch": "security-level-too-low", "vm": "security-level-too-low"]
        ),
        Case(policy: LicensePolicy(name: "audio", securityLevel: .audio), refused: vm),
        Case(
            policy: LicensePolicy(name: "no-airplay", airplay: .deny),
            refused: ["vm": "virtual-machine", "partner-tv": "airplay-denied"]
        ),
        Case(
            policy: LicensePolicy(
                name: "new-systems",
                virtualMachines: .allow,
                osVersions: [.appleMobile: .init(99), .appleWatch: .init(99), .appleSpatial: .init(1)]
            ),
            refused: ["iphone": "os-version-too-old", "ipad": "os-version-too-old", "watch": "os-version-too-old"]
        ),
    ]

    @Test("The device gets the key or the expected refusal", arguments: cases, [1024, 2048])
    func matrix(row: Case, bits: Int) throws {
        let stage = try Stage(bits: bits)
        for profile in DeviceProfile.all {
            for state in [FPSDevice.PlaybackState.readyToStart, .playing, .leaseAboutToExpire, .halted] {
                for persistable in [false, true] {
                    let device = stage.device(profile)
                    let request = try stage.request(device, .init(playbackState: state))
                    let label =
                        "\(row.policy.name ?? "") \(profile.name) \(state) \(persistable ? "persistable" : "online")"
                    let outcome: Result<License, KSMError> = Result { () throws(KSMError) in
                        try stage.answer(request.spc, row.policy, persistable: persistable)
                    }
                    switch (outcome, expectedRefusal(row, profile, state, persistable)) {
                    case (.failure(let error), let expected):
                        #expect(error.code.rawValue == expected, "\(label)")
                    case (.success, let expected?):
                        Issue.record("\(label): a license instead of \(expected)")
                    case (.success(let license), nil):
                        try accept(license, row, request, device, stage, persistable, label)
                    }
                }
            }
        }
    }

    private func expectedRefusal(
        _ row: Case,
        _ profile: DeviceProfile,
        _ state: FPSDevice.PlaybackState,
        _ persistable: Bool
    ) -> String? {
        if state == .halted { return "playback-halted" }
        if let refused = row.refused[profile.name] { return refused }
        // State 2 is answered with a duration, which any device can enforce.
        guard persistable, state != .playing, case .dual = row.policy.persist, profile.output == .local else {
            return nil
        }
        return profile.capabilities?.contains(.offlineKey) == true ? nil : "offline-key-unsupported"
    }

    private func accept(
        _ license: License,
        _ row: Case,
        _ request: KeyRequest,
        _ device: FPSDevice,
        _ stage: Stage,
        _ persistable: Bool,
        _ label: String
    ) throws {
        let key: DeviceKey
        if license.terms.isPersistable, device.profile.supportsPersistentKeys {
            #expect(persistable, "\(label)")
            let kept = try device.makePersistentKey(ckc: license.ckc, for: request)
            key = try device.loadPersistentKey(kept)
        } else {
            key = try device.process(ckc: license.ckc, for: request)
        }
        guard row.policy.hdcp != .type1 || device.profile.display == .hdcpType1 else {
            #expect(throws: FPSError.outputRestricted, "\(label)") { try key.startPlaying() }
            return
        }
        try key.startPlaying()
        let (contentKey, iv) = try key.contentKey()
        #expect(contentKey == stage.contentKey.key, "\(label)")
        #expect(iv == stage.contentKey.iv, "\(label)")
        #expect(key.notes.isEmpty, "\(label): \(key.notes)")
    }
}
