import ByteCoding
import FPSMessages
import Testing
import VectorFiles

/// Tests of the formats with the files of TestVectors/, which a second implementation created.
@Suite("Vectors of TLLVs and unencrypted payloads")
struct VectorTests {
    private func hex(_ bytes: some Sequence<UInt8>) -> String { VectorFile.hexadecimal(bytes) }
    private func hex<Number: FixedWidthInteger>(_ number: Number) -> String {
        withUnsafeBytes(of: number.bigEndian) { VectorFile.hexadecimal($0) }
    }
    private func list(_ items: [String]) -> String { items.isEmpty ? "-" : items.joined(separator: " ") }

    /// Expects that the parsed values are exactly those in the file.
    private func compare(_ vector: VectorFile, _ found: [String: String?], notCompared: Set<String> = []) {
        let ignored = notCompared.union(["description", "expect", "dask", "spc-file", "key-file", "server-versions"])
        let expected = vector.headers.filter { !ignored.contains($0.key) }
        let found = found.compactMapValues { $0 }
        for (fact, value) in expected { #expect(found[fact] == value, "\(vector.name): \(fact)") }
        for fact in found.keys { #expect(expected[fact] != nil, "\(vector.name): \(fact) is not in the file") }
    }

    private func expectFailure(_ vector: VectorFile, _ error: ParseError?) {
        #expect(error?.code.rawValue == vector.error, "\(vector.name)")
        #expect(error.map { $0.offset >= 0 && $0.offset <= vector.message.count } == true, "\(vector.name)")
    }

    private func framing(_ blocks: TLLVSequence) -> [String: String?] {
        let uniform = blocks.filter(\.hasUniformPadding).map { $0.tag.rawValue }
        return [
            "tags": list(blocks.map { hex($0.tag.rawValue) }),
            "uniform-padding": uniform.isEmpty ? nil : list(uniform.map { hex($0) }),
        ]
    }

    @Test("TLLV framing", arguments: try VectorFile.all(in: "tllv"))
    func tllv(vector: VectorFile) {
        do {
            let blocks = try TLLVSequence(parsing: vector.message)
            #expect(vector.isSuccess, "\(vector.name) must be refused")
            #expect(blocks.encoded == vector.message)
            let values = list(blocks.map { $0.value.isEmpty ? "-" : hex($0.value) })
            compare(vector, framing(blocks).merging(["values": values]) { $1 })
        } catch {
            expectFailure(vector, error)
        }
    }

    @Test("Unencrypted SPC payloads", arguments: try VectorFile.all(in: "spc-payload"))
    func spcPayload(vector: VectorFile) {
        do {
            let payload = try SPCPayload(parsing: vector.message)
            #expect(vector.isSuccess, "\(vector.name) must be refused")
            #expect(payload.blocks.encoded == vector.message)
            compare(vector, framing(payload.blocks).merging(facts(payload)) { $1 })
        } catch {
            expectFailure(vector, error)
        }
    }

    @Test("Unencrypted CKC payloads", arguments: try VectorFile.all(in: "ckc-payload"))
    func ckcPayload(vector: VectorFile) {
        do {
            let payload = try CKCPayload(parsing: vector.message)
            #expect(vector.isSuccess, "\(vector.name) must be refused")
            #expect(payload.blocks.encoded == vector.message)
            compare(vector, framing(payload.blocks).merging(facts(payload)) { $1 })
        } catch {
            // The second implementation accepts a restriction with an unknown version; this one refuses it, as a device
            // must.
            if vector.isSuccess, vector["ignored-blocks"] != nil {
                #expect(error.code == .unknownTLLVVersion)
            } else {
                expectFailure(vector, error)
            }
        }
    }

    private func facts(_ payload: SPCPayload) -> [String: String?] {
        let request = payload.request
        var facts: [String: String?] = [
            "sk-r1": hex(payload.sessionKeyAndR1.encodedValue),
            "sk-r1-integrity": hex(payload.sessionKeyAndR1Integrity.bytes),
            "ar-seed": hex(payload.antiReplaySeed.bytes),
            "r2": hex(payload.r2.bytes),
            "tag-return-request": list(payload.tagReturnRequest.tags.map { hex($0.rawValue) }),
            "versions-supported": list(payload.protocolVersionsSupported.versions.map { "\($0)" }),
            "version-used": "\(payload.protocolVersionUsed.version)",
            "asset-id": hex(request.assetID.bytes),
            "transaction-id": request.transactionID.map { hex($0.number) },
            "streaming-indicator": request.streamingIndicator.map { hex($0.rawValue) },
            "creation-date": request.mediaPlaybackState.map { "\($0.creationDate)" },
            "playback-state": request.mediaPlaybackState.map { hex($0.state.rawValue) },
            "session-id": request.mediaPlaybackState.map { hex($0.sessionID) },
            "capabilities": request.capabilities.map { hex($0.encodedValue) },
            "capability-bits": request.capabilities.map { list($0.bits.map { "\($0)" }) },
            "device-identity-version": request.deviceIdentity.map { "\($0.version)" },
            "device-class": request.deviceIdentity.map { "\($0.deviceClass.rawValue)" },
            "vendor-hash": request.deviceIdentity.map { hex($0.vendorHash) },
            "product-hash": request.deviceIdentity.map { hex($0.productHash) },
            "fairplay-version-ree": request.deviceIdentity.map { hex($0.fairPlayVersionREE) },
            "fairplay-version-tee": request.deviceIdentity.map { hex($0.fairPlayVersionTEE) },
            "os-version": request.deviceIdentity.map { "\($0.osVersion)" },
            "device-info-type": request.deviceInfo.map { hex($0.deviceType.rawValue) },
            "device-info-os-version": request.deviceInfo.map { "\($0.osVersion)" },
            "device-info-version": request.deviceInfo.map { _ in "1" },
            "kext-deny-list-version": request.kextDenyListVersion.map { "\($0.version)" },
            "security-level-report-version": request.securityLevelReport.map { _ in "1" },
            "security-level": request.securityLevelReport.map { hex($0.level.rawValue) },
            "security-level-kdl-version": request.securityLevelReport?.kextDenyListVersion.map { "\($0)" },
        ]
        let known = Set(SPCPayload.blockTable.map(\.tag))
        let reserved = payload.blocks.filter { !known.contains($0.tag) }
        facts["reserved-blocks"] = reserved.isEmpty ? nil : list(reserved.map { hex($0.tag.rawValue) })
        let ignored = request.anomalies.compactMap {
            switch $0 {
            case .unknownVersion(let tag): hex(tag.rawValue)
            case .invalidSync: hex(TLLVTag.sync.rawValue)
            case .uniformPadding: nil
            }
        }
        facts["ignored-blocks"] = ignored.isEmpty ? nil : list(ignored)
        return facts.merging(self.facts(request.vmDeviceInformation)) { $1 }
            .merging(self.facts(request.sync, payload)) { $1 }
    }

    private func facts(_ vm: VMDeviceInformation?) -> [String: String?] {
        guard let vm else { return [:] }
        guard vm.isVirtualMachine else { return ["virtual-machine": "no", "vm-info-version": "0"] }
        var facts: [String: String?] = ["virtual-machine": "yes", "vm-info-version": "1"]
        for (name, side) in [("host", vm.host), ("guest", vm.guest)] {
            facts["vm-\(name)-device-class"] = "\(side.deviceClass.rawValue)"
            facts["vm-\(name)-os-version"] = "\(side.osVersion)"
            facts["vm-\(name)-protocol-version"] = "\(side.protocolVersion)"
        }
        return facts
    }

    private func facts(_ sync: Sync?, _ payload: SPCPayload) -> [String: String?] {
        switch sync {
        case .none:
            guard let block = payload.blocks[.sync], block.value.prefix(4) == [0, 0, 0, 0] else { return [:] }
            return ["sync-spc": "no", "sync-version": "0"]
        case .version1(let contentID, let expiry, _):
            return [
                "sync-spc": "yes", "sync-version": "1", "sync-content-id": hex(contentID),
                "sync-duration-to-expiry": "\(expiry.rawValue)",
            ]
        case .version2(let fields):
            return [
                "sync-spc": "yes", "sync-version": "2", "sync-challenge": hex(fields.serverChallenge),
                "sync-flags": hex(fields.flags.rawValue), "sync-flag-bits": list(bits(fields.flags.rawValue)),
                "sync-title-id": hex(fields.titleID),
                "sync-duration-to-expiry": "\(fields.expiry.rawValue)",
                "sync-invalidated-stream-ids": list(fields.invalidatedStreamIDs.map { hex($0) }),
            ]
        }
    }

    private func bits(_ number: UInt64) -> [String] { (0..<64).filter { number >> $0 & 1 == 1 }.map { "\($0)" } }

    private func facts(_ payload: CKCPayload) -> [String: String?] {
        let returned = payload.returned.map { hex($0.tag.rawValue) }
        return [
            "iv": hex(payload.encryptedContentKey.iv),
            "encrypted-content-key": hex(payload.encryptedContentKey.encryptedKey),
            "r1": hex(payload.r1.bytes),
            "duration-lease": payload.contentKeyDuration.map { "\($0.lease)" },
            "duration-rental": payload.contentKeyDuration.map { "\($0.rental)" },
            "duration-key-type": payload.contentKeyDuration.map { hex($0.keyType.rawValue) },
            "offline-key-version": payload.offlineKey.map { "\($0.version)" },
            "offline-key-content-id": payload.offlineKey.map { hex($0.streamID) },
            "offline-key-storage-duration": payload.offlineKey.map { "\($0.storage)" },
            "offline-key-playback-duration": payload.offlineKey.map { "\($0.playback)" },
            "offline-key-title-id": payload.offlineKey?.titleID.map { hex($0) },
            "hdcp": payload.hdcpEnforcement.map { hex($0.level.rawValue) },
            "security-level": payload.requiredSecurityLevel.map { hex($0.level.rawValue) },
            "reserved-blocks": returned.isEmpty ? nil : list(returned),
        ]
    }
}
