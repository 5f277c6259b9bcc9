import ByteCoding
import FPSCrypto
import FPSMessages

// Steps 3 to 6 of Table 2-1, one function each.

extension KeyServerModule {
    /// Step 3: the payload's key by RSA-OAEP, the payload by AES-128-CBC.
    func decryptPayload(of message: SPCMessage, bundle: CertificateBundle) throws(KSMError) -> SPCPayload {
        let payloadKey: SecretBytes
        do {
            payloadKey = try bundle.privateKey.decryptOAEP(message.encryptedKey)
        } catch {
            throw KSMError(.key, .decryptionFailed, "the payload's key does not decrypt with bundle \(bundle.name)")
        }
        guard payloadKey.count == 16 else {
            throw KSMError(.key, .decryptionFailed, "the payload's key has \(payloadKey.count) bytes instead of 16")
        }
        let clear: [UInt8]
        do {
            clear = try AES128.decryptCBC(message.encryptedPayload, key: payloadKey, iv: message.iv)
        } catch {
            throw KSMError(.payload, error)
        }
        do {
            return try SPCPayload(parsing: clear)
        } catch {
            throw KSMError(.payload, error)
        }
    }

    /// Steps 5 and 6: the session values, by the bundle's way to DASk, and their integrity.
    func openSession(
        _ payload: SPCPayload,
        bundle: CertificateBundle
    ) throws(KSMError) -> (OpenedSPC.Session, hu: [UInt8]) {
        switch bundle.derivation {
        case .dask(let provider):
            let clear = try decryptSessionKeyAndR1(payload, provider)
            typealias Fields = SessionKeyAndR1.Payload
            try checkIntegrity(clear[Fields.integrity], payload.sessionKeyAndR1Integrity)
            let session = OpenedSPC.Session.open(
                sessionKey: clear[Fields.sessionKey],
                r1: clear[Fields.r1],
                payload: payload
            )
            return (session, clear[Fields.hu].reveal())
        case .keyPayload(let provider):
            let input = KeyPayload(
                sessionKeyAndR1: payload.sessionKeyAndR1,
                integrity: payload.sessionKeyAndR1Integrity,
                r2: payload.r2,
                certificateHash: bundle.certificate.sha1
            )
            let opened = try provider.open(input, contentKey: nil)
            return (.keyPayload(provider, input, r1: opened.r1, payload: payload), opened.hu)
        case .none:
            throw KSMError(.sessionKey, .daskUnavailable, "bundle \(bundle.name) has no way to a DASk")
        }
    }

    /// Step 5.
    private func decryptSessionKeyAndR1(
        _ payload: SPCPayload,
        _ provider: any DASkProvider
    ) throws(KSMError) -> SecretBytes {
        let dask = try provider.dask(r2: payload.r2)
        let block = payload.sessionKeyAndR1
        do {
            return try AES128.decryptCBCSecret(block.encryptedPayload, key: dask, iv: block.iv)
        } catch {
            throw KSMError(.sessionKey, error)
        }
    }

    /// Step 6, in constant time.
    private func checkIntegrity(_ found: SecretBytes, _ expected: SessionKeyAndR1Integrity) throws(KSMError) {
        guard found == SecretBytes(copying: expected.bytes) else {
            throw KSMError(
                .integrity,
                .integrityMismatch,
                "the [SK...R1] integrity does not hold: another DASk, or a forged SPC"
            )
        }
    }

    /// Step 4's answer.
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
                "the device uses \(used) of {\(supported)}, this server has {\(list(configuration.protocolVersions))}"
            )
        case .downgrade:
            throw KSMError(
                .version,
                .versionDowngrade,
                "the device uses \(used) although both have newer: it has {\(supported)}, this server "
                    + "{\(list(configuration.protocolVersions))}"
            )
        }
    }

    /// An SPC of a version that the guide does not describe, by the first plug-in that takes it.
    func openWhole(_ spc: [UInt8]) throws(KSMError) -> OpenedSPC {
        for bundle in bundles {
            guard let provider = bundle.wholeSPC else { continue }
            let session: any WholeSPCSession
            do {
                session = try provider.open(spc: spc)
            } catch {
                guard error.code == .keyPayloadInvalid, bundles.filter({ $0.wholeSPC != nil }).count > 1 else {
                    throw error
                }
                continue
            }
            guard session.certificateHash == bundle.certificate.sha1 else { continue }
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
                notes: request.oddities.map(Note.oddity),
                session: .whole(session)
            )
        }
        throw KSMError(
            .container,
            .spcVersion3,
            "an SPC of version 3 needs Apple's licensed library, by way of a DASk plug-in; none that opens it is configured"
        )
    }
}
