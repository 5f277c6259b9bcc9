import ContentKeySession
package import FPSCrypto
import FPSMessages
package import KeyServerModule
import Locking
import TextCoding
import VirtualDevice

// Licenses: for the SPCs of virtual devices by the Key Server Module, and for those of scripted devices without
// cryptography.

extension TestKeyServer {
    /// The result of one SPC.
    private enum Outcome {
        case license(TestLicense)
        case report(JSONValue)
    }

    func licenseResponse(
        to request: KeyTransportRequest,
        _ number: Int,
        _ fault: ServerFault
    ) throws(TestProblem) -> KeyTransportResponse {
        let license = try TestLicenseRequest(request)
        let outcome: Outcome
        do throws(TestProblem) {
            outcome = try self.outcome(license, number, acceptsReports: true)
        } catch {
            guard error.reason == KSMError.Code.playbackHalted.rawValue else { throw error }
            return KeyTransportResponse(status: 204, headers: [.init("Cache-Control", "no-store")], body: [])
        }
        switch outcome {
        case .license(let issued): return try changed(issued, at: 0, license, fault).response(in: license.format)
        case .report(let json):
            return KeyTransportResponse(
                status: 200,
                headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
                body: json.encoded()
            )
        }
    }

    func batchResponse(
        to request: KeyTransportRequest,
        _ number: Int,
        _ fault: ServerFault
    ) throws(TestProblem) -> KeyTransportResponse {
        var items: [JSONValue] = []
        for (index, item) in try TestLicenseRequest.batch(request).enumerated() {
            do throws(TestProblem) {
                let license = try item.request.get()
                guard case .license(let issued) = try outcome(license, number, acceptsReports: false) else { continue }
                let changed = try changed(issued, at: index, license, fault)
                items.append(
                    .object(JSONObject([("id", .integer(item.id)), ("status", .integer(0))] + changed.fields))
                )
            } catch {
                guard !error.isOmitted else { continue }
                items.append(
                    .object(["id": .integer(item.id), "status": .integer(error.status), "problem": error.json])
                )
            }
        }
        let json = JSONValue.object(["fairplay-streaming-response": .object(["create-ckc": .array(items)])])
        return KeyTransportResponse(
            status: 200,
            headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "no-store")],
            body: json.encoded()
        )
    }

    /// Applies a fault to a license.
    private func changed(
        _ license: TestLicense,
        at index: Int,
        _ request: TestLicenseRequest,
        _ fault: ServerFault
    ) throws(TestProblem) -> TestLicense {
        var license = license
        switch fault.effect {
        case .truncatedLicense: license.ckc.removeLast(license.ckc.count / 2)
        case .wrongLicense: license.ckc = try foreignCKC(for: request)
        case .item(index, let status?, let reason):
            throw TestProblem(status, TestProblem.usualName(for: status), reason: reason)
        case .item(index, nil, _):
            var problem = TestProblem(500, "internal-error")
            problem.isOmitted = true
            throw problem
        default: break
        }
        return license
    }

    private func outcome(
        _ request: TestLicenseRequest,
        _ number: Int,
        acceptsReports: Bool
    ) throws(TestProblem) -> Outcome {
        if let report = ScriptedReport(request.spc) {
            guard acceptsReports else { throw TestProblem(400, "malformed-request") }
            return .report(try self.report(report))
        }
        if let scripted = ScriptedSPC(request.spc) {
            guard protocolVersions.contains(scripted.version) else {
                throw TestProblem(400, "protocol-version", reason: KSMError.Code.versionMismatch.rawValue)
            }
            note(number) { $0.keys.append(scripted.record(request)) }
            try requireSame(request.assetID, scripted.assetID)
            return .license(try remembered(request) { () throws(TestProblem) in try license(for: scripted, request) })
        }
        let opened = try open(request.spc)
        let assetID = String(decoding: opened.request.assetID.bytes, as: UTF8.self)
        if let sync = opened.syncReport {
            guard acceptsReports else { throw TestProblem(400, "malformed-request") }
            return .report(try report(sync, assetID))
        }
        note(number) { record in
            record.keys.append(
                RecordedRequest.Key(
                    assetID: assetID,
                    isPersistable: request.isPersistable,
                    isPreload: request.isPreload,
                    isRenewal: [.playingOrPaused, .leaseAboutToExpire].contains(
                        opened.request.mediaPlaybackState?.state
                    )
                )
            )
        }
        try requireSame(request.assetID, assetID)
        return .license(
            try remembered(request) { () throws(TestProblem) in try license(for: opened, assetID, request) }
        )
    }

    private func remembered(
        _ request: TestLicenseRequest,
        _ issue: () throws(TestProblem) -> TestLicense
    ) throws(TestProblem) -> TestLicense {
        if let license = state.withLock({ $0.licenses[request.spc] }) { return license }
        let license = try issue()
        state.withLock { $0.licenses[request.spc] = license }
        return license
    }

    private func requireSame(_ claimed: String?, _ assetID: String) throws(TestProblem) {
        guard claimed ?? assetID == assetID else { throw TestProblem(403, "asset-mismatch") }
    }

    /// Returns the policy and the key of an asset.
    private func terms(of assetID: String) throws(TestProblem) -> (policy: TestKeyPolicy, key: TestContentKey) {
        let (policy, isRemoved) = state.withLock { state in
            (state.policies[assetID] ?? state.policy, state.removed.contains(assetID))
        }
        guard !isRemoved else { throw TestProblem(404, "unknown-asset") }
        if let reason = policy.denial { throw TestProblem(403, "refused-by-policy", reason: reason) }
        return (policy, contentKey(for: assetID))
    }

    // MARK: Virtual devices

    private func module() throws(TestProblem) -> KSM {
        do {
            return try TestIdentity.module(protocolVersions: protocolVersions)
        } catch {
            throw TestProblem(500, "internal-error", detail: "The test certificate cannot be used: \(error)")
        }
    }

    private func open(_ spc: [UInt8]) throws(TestProblem) -> OpenedSPC {
        let module = try module()
        do throws(KSMError) { return try module.open(spc) } catch { throw TestProblem(error) }
    }

    private func license(
        for opened: OpenedSPC,
        _ assetID: String,
        _ request: TestLicenseRequest
    ) throws(TestProblem) -> TestLicense {
        let (policy, key) = try terms(of: assetID)
        let streamID = Array(SHA256.hash(Array(assetID.utf8)).prefix(16))
        guard let licensed = LicensedKey(key: SecretBytes(copying: key.key), iv: key.initializationVector),
            let content = Content(key: licensed, streamID: streamID, titleID: titleID)
        else { throw TestProblem(500, "internal-error") }
        let module = try module()
        do throws(KSMError) {
            let license = try module.license(
                for: opened,
                content: content,
                policy: policy.terms,
                wantsPersistable: request.isPersistable,
                at: clock.secondsSince1970
            )
            return TestLicense(
                ckc: license.ckc,
                isPersistable: license.terms.isPersistable,
                hasDualExpiry: license.terms.hasDualExpiry
            )
        } catch {
            throw TestProblem(error)
        }
    }

    /// Returns a CKC for the same asset that answers another SPC.
    private func foreignCKC(for request: TestLicenseRequest) throws(TestProblem) -> [UInt8] {
        if var scripted = ScriptedSPC(request.spc) {
            scripted.number = 0
            return try license(for: scripted, request).ckc
        }
        let assetID = try open(request.spc).request.assetID.bytes
        do {
            let other = try makeDevice().makeSPC(
                certificate: certificate,
                assetID: assetID,
                versions: protocolVersions.sorted()
            )
            return try license(for: open(other.spc), String(decoding: assetID, as: UTF8.self), request).ckc
        } catch let error as TestProblem {
            throw error
        } catch {
            throw TestProblem(500, "internal-error", detail: "\(error)")
        }
    }

    // MARK: Messages without requests, for tests of a device itself

    /// The ASk from which a device derives the DASk of this server.
    package static var ask: SecretBytes { TestIdentity.ask }

    /// Opens an SPC.
    package func opened(_ spc: [UInt8]) throws -> OpenedSPC { try open(spc) }

    /// Returns a new CKC for an SPC under the policy of its asset.
    package func makeCKC(for spc: [UInt8], isPersistable: Bool) throws -> [UInt8] {
        let opened = try open(spc)
        var request = try TestLicenseRequest(spc, .octets)
        request.isPersistable = isPersistable
        return try license(for: opened, String(decoding: opened.request.assetID.bytes, as: UTF8.self), request).ckc
    }

    // MARK: Scripted devices

    private func license(
        for spc: ScriptedSPC,
        _ request: TestLicenseRequest
    ) throws(TestProblem) -> TestLicense {
        let (policy, key) = try terms(of: spc.assetID)
        if policy.terms.airplay == .deny, spc.route == .airPlay {
            throw TestProblem(403, "refused-by-policy", reason: "airplay-denied")
        }
        var ckc = ScriptedCKC(number: spc.number, assetID: spc.assetID, key: key)
        if request.isPersistable, spc.route == .local, let persistence = policy.terms.persist {
            ckc.persistence = ScriptedCKC.Persistence(persistence)
        } else {
            ckc.lease = policy.terms.lease.map { Int($0.rawValue) }
        }
        ckc.requiresHDCP = [.type0, .type1].contains(policy.terms.hdcp)
        return TestLicense(
            ckc: ckc.bytes,
            isPersistable: ckc.persistence != nil,
            hasDualExpiry: ckc.persistence?.hasDualExpiry ?? false
        )
    }
}

extension ScriptedCKC.Persistence {
    fileprivate init(_ persistence: LicensePolicy.Persistence) {
        func limit(_ seconds: Seconds) -> Int? { seconds.rawValue > 0 ? Int(seconds.rawValue) : nil }
        switch persistence {
        case .unlimited: self.init()
        case .limited(let validity): self.init(storage: limit(validity))
        case .dual(let storage, let playback, _):
            self.init(storage: limit(storage), playback: limit(playback), hasDualExpiry: true)
        }
    }
}
