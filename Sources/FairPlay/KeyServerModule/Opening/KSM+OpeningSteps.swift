import ByteCoding
import FPSCrypto
import FPSMessages

// Steps 3 to 6 of Table 2-1, as performed by a server.

extension KSM {
    /// Returns the device ID from a payload that cannot be parsed as a whole, if it has an [SK...R1] block whose
    /// integrity check passes; nil otherwise. An attacker who damages the rest of an SPC must not be able to use the
    /// SPC again.
    func authenticatedHU(in clear: [UInt8], bundle: CertificateBundle) -> [UInt8]? {
        for blocks in SessionBlocks.found(in: clear) {
            let hash = bundle.certificate.sha1
            if let session = try? SPCOpening.session(of: blocks, by: bundle.derivation, certificateHash: hash) {
                return session.hu
            }
        }
        return nil
    }

    /// Decrypts the session values and checks their integrity (steps 5 and 6) with the bundle's key derivation.
    func openSession(
        _ payload: SPCPayload,
        bundle: CertificateBundle
    ) throws(KSMError) -> (OpenedSPC.Session, hu: [UInt8]) {
        let hash = bundle.certificate.sha1
        let blocks = SessionBlocks(payload)
        let opened = try SPCOpening.session(of: blocks, by: bundle.derivation, certificateHash: hash)
        if let sessionKey = opened.sessionKey {
            return (.open(sessionKey: sessionKey, r1: opened.r1, payload: payload), opened.hu)
        }
        guard case .keyPayload(let provider) = bundle.derivation else {
            throw KSMError(
                .sessionKey,
                .daskUnavailable,
                "bundle \(bundle.name) has neither a DASk nor a key payload provider"
            )
        }
        let input = KeyPayload(blocks, certificateHash: hash)
        return (.keyPayload(provider, input, r1: opened.r1, payload: payload), opened.hu)
    }

    /// Returns the notes for the result of step 4, or throws if the protocol version is not acceptable.
    func notes(on decision: ProtocolVersionDecision, payload: SPCPayload) throws(KSMError) -> [Note] {
        func list(_ versions: some Sequence<UInt32>) -> String {
            versions.sorted().map(String.init).joined(separator: ", ")
        }
        let used = payload.protocolVersionUsed.version
        let supported = list(payload.protocolVersionsSupported.versions)
        switch decision {
        case .serve: return []
        case .serveOutdated(let newest): return [.newerProtocolVersion(newest)]
        case .mismatch:
            throw KSMError(
                .version,
                .versionMismatch,
                "the device uses protocol version \(used) and supports {\(supported)}; this server supports "
                    + "{\(list(configuration.protocolVersions))}"
            )
        case .downgrade:
            throw KSMError(
                .version,
                .versionDowngrade,
                "the device uses protocol version \(used), but both sides support a newer one: the device supports "
                    + "{\(supported)}, this server "
                    + "{\(list(configuration.protocolVersions))}"
            )
        }
    }

    /// Opens an SPC of a version that the guide does not describe, with the first plug-in that accepts it.
    func openWholeSPC(_ spc: [UInt8]) throws(KSMError) -> OpenedSPC {
        // A plug-in that fails must not prevent that the plug-in of another bundle opens the SPC.
        var failure: KSMError?
        for bundle in bundles {
            guard let provider = bundle.wholeSPC else { continue }
            let session: any WholeSPCSession
            do {
                session = try provider.open(spc: spc)
            } catch {
                guard bundles.filter({ $0.wholeSPC != nil }).count > 1 else { throw error }
                if error.isServerFailure { failure = failure ?? error }
                continue
            }
            guard bundle.hasCertificate(hash: session.certificateHash) else { continue }
            let request: SPCRequest
            do {
                request = try SPCRequest(TLLVSequence(parsing: session.request))
            } catch {
                throw KSMError(.payload, error)
            }
            return OpenedSPC(
                bundle: bundle,
                version: .version3,
                request: request,
                device: ReportedDevice(request),
                hu: session.hu,
                notes: request.anomalies.map(Note.anomaly),
                authenticated: nil,
                session: .whole(session)
            )
        }
        if let failure { throw failure }
        throw KSMError(
            .container,
            .spcVersion3,
            "an SPC of version 3 requires a DASk plug-in with Apple's licensed library, and none is configured that opens it"
        )
    }
}
