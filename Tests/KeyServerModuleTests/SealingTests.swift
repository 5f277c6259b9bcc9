import ByteCoding
import FPSCrypto
import FPSMessages
import Testing
import VectorFiles

@testable import KeyServerModule

@Suite("The CKC")
struct SealingTests {
    private func opened(_ name: String, _ module: KSM? = nil) throws -> OpenedSPC {
        try (module ?? TestKeys.module()).open(try VectorFile(path: "spc/\(name).txt").message)
    }

    private func license(
        _ opened: OpenedSPC,
        _ policy: LicensePolicy = .default,
        persistable: Bool = false,
        asset: [UInt8]? = nil,
        module: KSM? = nil
    ) throws -> License {
        try (module ?? TestKeys.module()).license(
            for: opened,
            content: Content(key: TestKeys.contentKey, streamID: [UInt8](repeating: 1, count: 16), assetID: asset)!,
            policy: policy,
            wantsPersistable: persistable,
            at: TestKeys.creationDate
        )
    }

    private func reader(_ opened: OpenedSPC) throws -> CKCReader { CKCReader(try #require(opened.sessionSecrets)) }

    @Test("The CKC contains the key, R1, and the unmodified returned blocks at the end", arguments: try ckcVectors())
    func contents(vector: VectorFile) throws {
        let opened = try TestKeys.module(dask: TestKeys.dask(of: vector)).open(vector.message)
        let policy = LicensePolicy(hdcp: .type0, virtualMachines: .allow, undatedSPC: .allow)
        let license = try license(opened, policy)
        let payload = try reader(opened).payload(of: license.ckc)
        #expect(try reader(opened).contentKey(in: license.ckc) == TestKeys.contentKey.key)
        #expect(payload.encryptedContentKey.iv == TestKeys.contentKey.iv)
        #expect(payload.r1.bytes == vector.bytes("r1"))
        #expect(payload.hdcpEnforcement?.level == .type0)
        #expect(payload.hdcpEnforcement?.filler.count == 8)
        let returned = payload.blocks.suffix(vector.list("tags-returned")?.count ?? 0)
        #expect(returned.map { VectorFile.hexadecimal($0.encoded.prefix(8)) } == vector.list("tags-returned"))
        let sent = try #require(opened.sessionSecrets).payload.blocks
        for block in returned { #expect(block == sent[block.tag]) }
        let durations = payload.contentKeyDuration == nil ? 0 : 1
        #expect(payload.blocks.count == 3 + durations + returned.count)
    }

    /// The SPCs that can get a CKC: key requests whose playback state is not halted.
    private static func ckcVectors() throws -> [VectorFile] {
        try VectorFile.all(in: "spc").filter {
            // Halted playback and an unknown state get no key.
            $0.isSuccess && $0["sync-spc"] != "yes" && !["5991bf20", "12345678"].contains($0["playback-state"])
                && $0["server-versions"] == nil
                && $0["version-decision"] == "serve"
        }
    }

    @Test("The terms determine the TLLVs")
    func terms() throws {
        let opened = try opened("v2-iphone")
        let online = LicensePolicy(lease: Seconds(rawValue: 60), hdcp: LicensePolicy.HDCP.none, securityLevel: .main)
        let payload = try reader(opened).payload(of: license(opened, online).ckc)
        #expect(payload.contentKeyDuration == ContentKeyDuration(lease: 60, keyType: .lease))
        #expect(payload.hdcpEnforcement?.level == .notRequired)
        #expect(payload.requiredSecurityLevel?.level == .main)
        #expect(try reader(opened).payload(of: license(opened, LicensePolicy()).ckc).hdcpEnforcement == nil)

        let dual = LicensePolicy(
            persist: .dual(storage: Seconds(rawValue: 9), playback: Seconds(rawValue: 8), fallback: nil)
        )
        let kept = try license(opened, dual, persistable: true)
        #expect(kept.terms.isPersistable && kept.terms.hasDualExpiry)
        let keptPayload = try reader(opened).payload(of: kept.ckc)
        #expect(keptPayload.offlineKey?.storage == 9)
        #expect(keptPayload.offlineKey?.playback == 8)
        #expect(keptPayload.contentKeyDuration == nil)
    }

    @Test("IV, order and padding differ from one CKC to the next")
    func randomness() throws {
        let opened = try opened("v2-iphone")
        let policy = LicensePolicy(lease: Seconds(rawValue: 60), hdcp: .type1, securityLevel: .main)
        var ivs: Set<[UInt8]> = []
        var orders: Set<[TLLVTag]> = []
        var lengths: Set<Int> = []
        for _ in 0..<60 {
            let ckc = try license(opened, policy).ckc
            let payload = try reader(opened).payload(of: ckc)
            ivs.insert(try CKCMessage(parsing: ckc).iv)
            orders.insert(payload.blocks.map(\.tag))
            lengths.insert(ckc.count)
            #expect(!payload.blocks.contains { !$0.padding.isEmpty && $0.hasUniformPadding })
        }
        #expect(ivs.count == 60)
        #expect(orders.count > 20)
        #expect(lengths.count > 3)
    }

    @Test("Absent and duplicate tags in the tag return request are noted and do not prevent the CKC")
    func oddTagReturns() throws {
        let absent = try license(opened("v1-tag-return-absent"), LicensePolicy(undatedSPC: .allow))
        #expect(absent.notes.contains { if case .requestedTagAbsent = $0 { true } else { false } })
        let twice = try license(opened("v1-tag-return-twice"), LicensePolicy(undatedSPC: .allow))
        #expect(twice.notes.contains { if case .requestedTagRepeated = $0 { true } else { false } })
    }

    @Test("A tag return request for a tag that the CKC itself uses is refused")
    func conflictingTagReturn() throws {
        let vector = try VectorFile(path: "spc-payload/tag-return-request-ckc-tag.txt")
        let payload = try SPCPayload(parsing: vector.message)
        let forged = OpenedSPC(
            bundle: try TestKeys.bundle("test-rsa-2048"),
            version: .version2,
            request: payload.request,
            device: ReportedDevice(payload.request),
            hu: [UInt8](repeating: 0, count: 20),
            notes: [],
            authenticated: nil,
            session: .open(
                sessionKey: SecretBytes(copying: Array(0..<16)),
                r1: SecretBytes(copying: Array(0..<44)),
                payload: payload
            )
        )
        #expect(throws: KSMError(.sealing, .tagReturnConflict, "")) {
            try license(forged, LicensePolicy(undatedSPC: .allow))
        }
    }

    @Test("A Sync SPC never gets a key")
    func sync() throws {
        for name in ["v2-sync-v1", "v2-sync-v2-report"] {
            let opened = try opened(name)
            #expect(opened.syncReport != nil)
            #expect(throws: KSMError(.policy, .syncSPC, "")) { try license(opened) }
        }
        #expect(try opened("v1-sync-version-0").syncReport == nil)
    }

    @Test("The SPC's asset ID takes precedence")
    func assetID() throws {
        let opened = try opened("v2-iphone")
        let asset = opened.request.assetID.bytes
        #expect(throws: Never.self) { try KSM.requireSameAsset(asset, in: opened) }
        #expect(throws: Never.self) { try KSM.requireSameAsset(nil, in: opened) }
        for other in [[], asset + [0], Array(asset.dropLast())] {
            #expect(throws: KSMError(.policy, .assetIDMismatch, "")) {
                try KSM.requireSameAsset(other, in: opened)
            }
        }
    }

    @Test("A bundle issues licenses only for the content in its scope")
    func scope() throws {
        let asset = try opened("v2-iphone").request.assetID.bytes
        let inside = try TestKeys.module(scope: .assetIDPrefixes([[0xff], Array(asset.prefix(4))]))
        #expect(throws: Never.self) { try license(opened("v2-iphone", inside), module: inside) }
        let outside = try TestKeys.module(scope: .assetIDPrefixes([Array("other".utf8)]))
        #expect(throws: KSMError(.policy, .contentOutOfScope, "")) {
            try license(opened("v2-iphone", outside), module: outside)
        }
    }

    @Test("If an SPC uses another asset ID for the content, the canonical asset ID determines the scope")
    func scopeOfRegisteredAsset() throws {
        let name = try opened("v2-iphone").request.assetID.bytes
        let registered = Array("registered".utf8)
        let forName = try TestKeys.module(scope: .assetIDPrefixes([name]))
        #expect(throws: KSMError(.policy, .contentOutOfScope, "")) {
            try license(opened("v2-iphone", forName), asset: registered, module: forName)
        }
        let forAsset = try TestKeys.module(scope: .assetIDPrefixes([registered]))
        #expect(throws: Never.self) {
            try license(opened("v2-iphone", forAsset), asset: registered, module: forAsset)
        }
    }

    @Test("HU identifies a device, except with the digital AV adapter")
    func deviceID() throws {
        let phone = try opened("v2-iphone")
        #expect(phone.deviceID == phone.hu)
        #expect(try opened("v2-digital-av-adapter").deviceID == nil)
    }

    @Test("The check before issuing detects every difference")
    func lint() throws {
        let opened = try opened("v2-iphone")
        let secrets = try #require(opened.sessionSecrets)
        let good = try license(opened, LicensePolicy(lease: Seconds(rawValue: 60)))
        let payload = try reader(opened).payload(of: good.ckc)
        func check(
            _ ckc: [UInt8],
            _ terms: KeyTerms,
            _ returned: [TLLV],
            state: MediaPlaybackState.State = .readyToStart
        ) throws(KSMError) {
            let lint = CKCLint(
                r1: secrets.r1,
                antiReplaySeed: secrets.payload.antiReplaySeed,
                playbackState: state
            )
            try lint.check(ckc, encryptedContentKey: payload.encryptedContentKey, terms: terms, returned: returned)
        }
        #expect(throws: Never.self) { try check(good.ckc, good.terms, payload.returned) }
        let other = try license(opened, LicensePolicy(lease: Seconds(rawValue: 61))).terms
        #expect(throws: KSMError(.sealing, .lintFailed, "")) { try check(good.ckc, other, payload.returned) }
        #expect(throws: KSMError(.sealing, .lintFailed, "")) { try check(good.ckc, good.terms, []) }
        #expect(throws: Never.self) { try check(good.ckc, good.terms, payload.returned, state: .playingOrPaused) }
        let offline = try license(
            opened,
            LicensePolicy(
                persist: .dual(storage: Seconds(rawValue: 9), playback: Seconds(rawValue: 9), fallback: nil)
            ),
            persistable: true
        )
        let offlinePayload = try reader(opened).payload(of: offline.ckc)
        for state in [MediaPlaybackState.State.readyToStart, .playingOrPaused] {
            let result = Result { () throws(KSMError) in
                try CKCLint(
                    r1: secrets.r1,
                    antiReplaySeed: secrets.payload.antiReplaySeed,
                    playbackState: state
                ).check(
                    offline.ckc,
                    encryptedContentKey: offlinePayload.encryptedContentKey,
                    terms: offline.terms,
                    returned: offlinePayload.returned
                )
            }
            let isAccepted = (try? result.get()) != nil
            #expect(isAccepted == (state == .readyToStart), "state 2 requires a duration")
        }
        for byte in [3, 8, 24, 28, good.ckc.count - 1] {
            var wrong = good.ckc
            wrong[byte] ^= 1
            #expect(throws: KSMError(.sealing, .lintFailed, ""), "byte \(byte)") {
                try check(wrong, good.terms, payload.returned)
            }
        }
    }
}
