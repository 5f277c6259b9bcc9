import FPSCrypto
import FPSMessages
import KeyServerModule
import Testing
import VirtualDevice

/// Tests with manipulated SPCs and CKCs.
@Suite("Malformed and manipulated messages")
struct AttackTests {
    private func refusal(_ mutations: SPCMutation..., versions: Set<UInt32> = [1], policy: LicensePolicy = .default)
        throws
        -> String?
    {
        let stage = try Stage(versions: versions)
        let request = try stage.request(
            stage.device(.iPhone),
            versions: versions.sorted(),
            .init(mutations: mutations)
        )
        do throws(KSMError) {
            _ = try stage.answer(request.spc, policy)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test("Each error is refused with its own reason")
    func refusals() throws {
        #expect(try refusal() == nil)
        #expect(try refusal(.spcVersion(9)) == "unsupported-version")
        #expect(try refusal(.spcVersion(3)) == "spc-version-3")
        #expect(try refusal(.wrongCertificateHash) == "unknown-certificate")
        #expect(try refusal(.payloadLength(0xffff_fff0)) == "truncated")
        #expect(try refusal(.payloadLength(0xffff_ffff)) == "length-not-multiple-of-16")
        #expect(try refusal(.payloadLength(16)) == "trailing-bytes")
        #expect(try refusal(.trailing([0])) == "trailing-bytes")
        #expect(try refusal(.wrongIntegrity) == "integrity-mismatch")
        #expect(try refusal(.duplicating(.assetID)) == "duplicate-tag")
        #expect(try refusal(.duplicating(.r2)) == "duplicate-tag")
        #expect(try refusal(.omitting(.assetID)) == "missing-asset-id")
        #expect(try refusal(.omitting(.integrity)) == "missing-sk-r1-integrity")
        #expect(try refusal(.blockLength(.assetID, 0xffff_fff0)) == "truncated")
        #expect(try refusal(.valueLength(.assetID, 0xffff_ffff)) == "value-longer-than-block")
        #expect(try refusal(.value(.assetID, [1])) == "invalid-value-length")
        #expect(try refusal(.value(.r2, Array(1...20))) == "invalid-value-length")
    }

    @Test("Versions: a downgrade, a mismatch, and a device that is newer than the server")
    func versions() throws {
        #expect(try refusal(.protocolDowngrade, versions: [1, 2]) == "version-downgrade")
        #expect(try refusal(.protocolDowngrade, versions: [1]) == nil)
        #expect(try refusal(.protocolVersions(used: 1, supported: [1]), versions: [2]) == "version-mismatch")
        #expect(try refusal(.protocolVersions(used: 2, supported: [1]), versions: [1, 2]) == "version-mismatch")
    }

    @Test("A replayed SPC becomes too old; an SPC without a creation time is refused")
    func replay() throws {
        #expect(try refusal(.createdAt(UInt32(Stage.now - 6 * 3600 - 1))) == "spc-too-old")
        #expect(try refusal(.createdAt(UInt32(Stage.now + 601))) == "spc-date-in-future")
        #expect(try refusal(.createdAt(.max)) == "spc-date-in-future")
        #expect(try refusal(.omitting(.mediaPlaybackState)) == "playback-state-missing")
        let undated = LicensePolicy(undatedSPC: .allow)
        #expect(try refusal(.omitting(.mediaPlaybackState), policy: undated) == nil)
        let lease = LicensePolicy(lease: Seconds(rawValue: 60), undatedSPC: .allow)
        #expect(try refusal(.omitting(.mediaPlaybackState), policy: lease) == "playback-state-missing")
    }

    @Test("Virtual machines are detected by the version, not by the presence of the block")
    func virtualMachines() throws {
        #expect(try refusal(.vmInformationVersion(0)) == nil)
        #expect(try refusal(.vmInformationVersion(1)) == "virtual-machine")
        #expect(try refusal(.vmInformationVersion(2)) == "virtual-machine")
        #expect(try refusal(.omitting(.vmDeviceInformation)) == nil)
    }

    @Test("A tag return request for an absent tag gets a CKC; the device verifies that all tags it sent were returned")
    func tagReturns() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let request = try stage.request(device, .init(mutations: [.requestingAbsentTag]))
        let license = try stage.answer(request.spc)
        #expect(license.notes.contains { if case .requestedTagAbsent = $0 { true } else { false } })
        let twice = try stage.request(
            device,
            .init(mutations: [.requestingReturn(of: [.transactionID, .assetID, .transactionID])])
        )
        #expect(throws: Never.self) { try device.process(ckc: stage.answer(twice.spc).ckc, for: twice) }
        let own = try stage.request(
            device,
            .init(mutations: [
                .adding(.init(rawValue: 0xea74_c464_5d5e_fee9), [1]),
                .requestingReturn(of: [.init(rawValue: 0xea74_c464_5d5e_fee9)]),
            ])
        )
        #expect(throws: KSMError(.sealing, .tagReturnConflict, "")) { try stage.answer(own.spc) }
    }

    @Test("Uniform padding, which occurs in real messages, is noted and accepted")
    func uniformPadding() throws {
        let stage = try Stage()
        let request = try stage.request(
            stage.device(.iPhone),
            .init(mutations: [.padding(.transactionID, count: 8, of: 0)])
        )
        let notes = try stage.answer(request.spc).notes
        #expect(notes.contains(.anomaly(.uniformPadding(.transactionID))))
    }

    @Test("A CKC opens only on the device and for the request that it was made for, and only once")
    func ckcBinding() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone, seed: 1)
        let other = stage.device(.iPhone, seed: 2)
        let first = try stage.request(device)
        let second = try stage.request(device)
        let ckc = try stage.answer(first.spc).ckc
        #expect(throws: FPSError.invalidCKC) { try device.process(ckc: ckc, for: second) }
        #expect(throws: FPSError.invalidCKC) { try other.process(ckc: ckc, for: first) }
        #expect(throws: FPSError.invalidCKC) { try other.process(ckc: ckc, for: stage.request(other)) }
        _ = try device.process(ckc: ckc, for: first)
        #expect(throws: FPSError.invalidCKC) { try device.process(ckc: ckc, for: first) }
    }

    @Test("No flipped bit of a CKC removes the lease of a key")
    func flippedBits() throws {
        let stage = try Stage()
        let device = stage.device(.iPhone)
        let policy = LicensePolicy(lease: Seconds(rawValue: 60), hdcp: .type1)
        var request = try stage.request(device)
        var ckc = try stage.answer(request.spc, policy).ckc
        var refused = 0
        for byte in 0..<ckc.count {
            var wrong = ckc
            wrong[byte] ^= 0x80 >> UInt8(byte % 8)
            let opened: Result<DeviceKey, FPSError> = Result { () throws(FPSError) in
                try device.process(ckc: wrong, for: request)
            }
            switch opened {
            case .failure(let error):
                #expect(error == .invalidCKC, "byte \(byte)")
                refused += 1
            case .success(let key):
                // Reserved bytes, padding, the HDCP filler and the content key are not authenticated.
                #expect(key.leaseEnd == Stage.now + 60, "byte \(byte)")
                request = try stage.request(device)
                ckc = try stage.answer(request.spc, policy).ckc
            }
            guard byte + 1 < ckc.count else { break }
        }
        #expect(refused > ckc.count / 2)
    }

    @Test("The same seed makes the same SPC")
    func reproducible() throws {
        let stage = try Stage()
        let first = try stage.request(stage.device(.mac, seed: 42)).spc
        #expect(try stage.request(stage.device(.mac, seed: 42)).spc == first)
        #expect(try stage.request(stage.device(.mac, seed: 43)).spc != first)
    }
}
