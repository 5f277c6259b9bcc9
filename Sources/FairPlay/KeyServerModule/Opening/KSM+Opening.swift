import ByteCoding
import FPSCrypto
import FPSMessages
import TextCoding

// Steps 1 to 6 of Table 2-1, for one SPC or for a batch.

extension KSM {
    /// The number of SPCs to open in one batch for the best throughput.
    public var openedTogether: Int { configuration.multiBuffer?.batchSize ?? 1 }

    /// Parses and decrypts an SPC and verifies its integrity (steps 1 to 6).
    ///
    /// - Throws: ``KSMError`` with the stage `container`, `certificate`, `key`, `payload`, `version`, `session-key` or
    ///   `integrity`.
    public func open(_ spc: [UInt8]) throws(KSMError) -> OpenedSPC {
        switch try receive(spc) {
        case .opened(let opened): opened
        case .encrypted(let message, let bundle):
            try open(
                message,
                spc,
                for: bundle,
                payloadKey: Result { () throws(CryptoError) in try bundle.privateKey.decryptOAEP(message.encryptedKey) }
            )
        }
    }

    /// Opens several SPCs (steps 1 to 6). The RSA operations run as a batch if the configuration has a batch decryptor.
    /// The results equal those of ``open(_:)``, in the order of the SPCs.
    public func open(_ spcs: [[UInt8]]) -> [Result<OpenedSPC, KSMError>] {
        guard let multiBuffer = configuration.multiBuffer, spcs.count > 1 else {
            return spcs.map { spc in Result { () throws(KSMError) in try open(spc) } }
        }
        let received = spcs.map { spc in Result { () throws(KSMError) in try receive(spc) } }
        var payloadKeys = [Result<SecretBytes, CryptoError>?](repeating: nil, count: spcs.count)
        for (key, group) in groups(byKeyOf: received) {
            let encrypted = group.map(\.message.encryptedKey)
            for (entry, payloadKey) in zip(group, multiBuffer.decryptOAEP(encrypted, with: key)) {
                payloadKeys[entry.index] = payloadKey
            }
        }
        return received.indices.map { index in
            Result { () throws(KSMError) in
                switch try received[index].get() {
                case .opened(let opened): opened
                case .encrypted(let message, let bundle):
                    // Every encrypted SPC has a result, so the default is never used.
                    try open(
                        message,
                        spcs[index],
                        for: bundle,
                        payloadKey: payloadKeys[index] ?? .failure(CryptoError(.decryptionFailed, operation: "RSA"))
                    )
                }
            }
        }
    }

    /// An SPC after steps 1 and 2.
    private enum Received {
        case encrypted(SPCMessage, CertificateBundle)
        /// A plug-in performed all the steps.
        case opened(OpenedSPC)
    }

    private func receive(_ spc: [UInt8]) throws(KSMError) -> Received {
        // 1. Receive the SPC and parse it.
        let message: SPCMessage
        do {
            message = try SPCMessage(parsing: spc)
        } catch {
            guard error.code == .spcVersion3 else { throw KSMError(.container, error) }
            return .opened(try openWholeSPC(spc))
        }
        // 2. Find the certificate that the SPC was created for.
        guard let bundle = bundleByHash[message.certificateHash] else {
            throw KSMError(
                .certificate,
                .unknownCertificate,
                "no bundle has the application certificate with SHA-1 \(Hexadecimal.encode(message.certificateHash))"
            )
        }
        return .encrypted(message, bundle)
    }

    private func groups(
        byKeyOf received: [Result<Received, KSMError>]
    ) -> [(key: RSAPrivateKey, entries: [(index: Int, message: SPCMessage)])] {
        var all: [(key: RSAPrivateKey, entries: [(index: Int, message: SPCMessage)])] = []
        for (index, received) in received.enumerated() {
            guard case .success(.encrypted(let message, let bundle)) = received else { continue }
            if let existing = all.firstIndex(where: { $0.key === bundle.privateKey }) {
                all[existing].entries.append((index, message))
            } else {
                all.append((bundle.privateKey, [(index, message)]))
            }
        }
        return all
    }

    private func open(
        _ message: SPCMessage,
        _ bytes: [UInt8],
        for bundle: CertificateBundle,
        payloadKey: Result<SecretBytes, CryptoError>
    ) throws(KSMError) -> OpenedSPC {
        // 3. Decrypt the payload.
        let clear = try SPCOpening.clearPayload(of: message, payloadKey: payloadKey)
        let payload: SPCPayload
        do {
            payload = try SPCPayload(parsing: clear)
        } catch {
            var failure = KSMError(.payload, error)
            failure.authenticated = authenticatedHU(in: clear, bundle: bundle).map {
                AuthenticatedSPC(message, bytes: bytes, hu: $0)
            }
            throw failure
        }
        // 4. Check the protocol versions. The result is used after step 6: until the integrity is verified, the payload
        // may be forged, and a client must not learn what it decrypts to.
        let versions = ProtocolVersionDecision(
            server: configuration.protocolVersions,
            supported: Set(payload.protocolVersionsSupported.versions),
            used: payload.protocolVersionUsed.version
        )
        // 5. Decrypt the session key and R1.  6. Check the integrity.
        let (session, hu) = try openSession(payload, bundle: bundle)
        let authenticated = AuthenticatedSPC(message, bytes: bytes, hu: hu)
        let notes: [Note]
        do {
            notes = try self.notes(on: versions, payload: payload)
        } catch {
            var failure = error
            failure.authenticated = authenticated
            throw failure
        }
        return OpenedSPC(
            bundle: bundle,
            version: message.version,
            request: payload.request,
            device: ReportedDevice(payload.request),
            hu: hu,
            notes: notes + payload.request.anomalies.map(Note.anomaly),
            authenticated: authenticated,
            session: session
        )
    }
}
