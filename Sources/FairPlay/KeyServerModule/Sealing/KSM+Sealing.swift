import ByteCoding
package import FPSCrypto
package import FPSMessages

// Steps 7 to 10 of Table 2-1 of the FairPlay Streaming Programming Guide.

extension KSM {
    /// Creates the CKC with a content key for an opened SPC.
    ///
    /// The blocks for the durations come from `terms`, which are the result of applying `policy` to the request. The
    /// blocks for the security level and HDCP come directly from `policy`.
    ///
    /// - Returns: The CKC, and a note for each tag in the tag return request that is repeated or that the SPC does not
    ///   contain. If a plug-in creates the whole CKC, there are no notes.
    /// - Throws: ``KSMError`` with the stage `sealing`, or an error of the plug-in.
    func seal(
        _ opened: OpenedSPC,
        _ contentKey: LicensedKey,
        _ policy: LicensePolicy,
        _ terms: KeyTerms,
        using random: inout some RandomNumberGenerator
    ) throws(KSMError) -> (ckc: [UInt8], notes: [Note]) {
        let termBlocks = blocks(for: terms, policy, using: &random)
        // 7. Encrypt the content key.
        let encrypted: EncryptedContentKey
        let r1: SecretBytes
        let payload: SPCPayload
        switch opened.session {
        case .open(let sessionKey, let value, let spcPayload):
            // The session key (SK) is known: encrypt the content key with it.
            encrypted = EncryptedContentKey(
                iv: contentKey.iv,
                encryptedKey: try encrypt(contentKey.key, with: sessionKey)
            )
            (r1, payload) = (value, spcPayload)
        case .keyPayload(let provider, let input, let value, let spcPayload):
            // Only the plug-in has SK: it encrypts the content key, and this function creates the rest of the CKC.
            guard let key = try provider.open(input, contentKey: contentKey).encryptedContentKey else {
                // `dask-unavailable` is the code for all failures that a DASk plug-in causes.
                throw KSMError(.sealing, .daskUnavailable, "the plug-in returned no encrypted content key")
            }
            encrypted = key
            (r1, payload) = (value, spcPayload)
        case .whole(let session):
            // The plug-in creates the whole CKC, with the content key and the blocks of the terms.
            let ckc = try session.seal(contentKey: contentKey, terms: termBlocks.flatMap(\.encoded))
            return (ckc, [])
        }
        // 8. Assemble the payload.
        let (returned, notes) = try returnedBlocks(payload)
        var serverBlocks = termBlocks
        serverBlocks.append(encrypted.block(extraPadding: extraPadding(&random), using: &random))
        serverBlocks.append(R1(r1.reveal()).block(extraPadding: extraPadding(&random), using: &random))
        var ckcPayload = CKCPayload.assemble(own: serverBlocks, returned: returned, using: &random)
        // 9. Encrypt the payload in place.
        let iv = random.bytes(16)
        do {
            let key = try Self.payloadKey(r1: r1, antiReplaySeed: payload.antiReplaySeed)
            try AES128.encryptCBC(inPlace: &ckcPayload, key: key, iv: iv)
        } catch {
            throw KSMError(.sealing, error)
        }
        // 10. Construct the message.
        let ckc = CKCMessage(iv: iv, encryptedPayload: ckcPayload).encoded
        if configuration.checksBeforeIssuing {
            try CKCLint(
                r1: r1,
                antiReplaySeed: payload.antiReplaySeed,
                playbackState: payload.request.mediaPlaybackState?.state
            ).check(
                ckc,
                encryptedContentKey: encrypted,
                terms: terms,
                returned: returned
            )
        }
        return (ckc, notes)
    }

    /// Returns the key of a CKC's payload: the anti-replay seed, encrypted with the first 16 bytes of the SHA-1 of R1.
    package static func payloadKey(r1: SecretBytes, antiReplaySeed: AntiReplaySeed) throws(CryptoError) -> SecretBytes {
        try AES128.encryptBlockSecret(antiReplaySeed.bytes, key: SHA1.hash(r1)[0..<16])
    }

    private func encrypt(_ key: SecretBytes, with sessionKey: SecretBytes) throws(KSMError) -> [UInt8] {
        do {
            return try AES128.encryptBlock(key, key: sessionKey)
        } catch {
            throw KSMError(.sealing, error)
        }
    }

    /// Returns the TLLVs with the terms and requirements that the device must enforce.
    private func blocks(
        for terms: KeyTerms,
        _ policy: LicensePolicy,
        using random: inout some RandomNumberGenerator
    ) -> [TLLV] {
        var contents: [any TLLVContent] = []
        if let duration = terms.duration { contents.append(duration) }
        if let offlineKey = terms.offlineKey { contents.append(offlineKey) }
        if let level = policy.securityLevel { contents.append(RequiredSecurityLevel(level.wireValue)) }
        if let hdcp = policy.hdcp { contents.append(HDCPEnforcement(hdcp.wireValue, using: &random)) }
        return contents.map { $0.block(extraPadding: extraPadding(&random), using: &random) }
    }

    /// Returns the SPC blocks to return in the CKC, unchanged and in the order of the tag return request.
    private func returnedBlocks(_ payload: SPCPayload) throws(KSMError) -> (blocks: [TLLV], notes: [Note]) {
        var blocks: [TLLV] = []
        var notes: [Note] = []
        var seen: Set<TLLVTag> = []
        for tag in payload.tagReturnRequest.tags {
            guard !CKCPayload.ownTags.contains(tag) else {
                throw KSMError(
                    .sealing,
                    .tagReturnConflict,
                    "the tag return request contains \(tag), which the CKC itself uses"
                )
            }
            guard seen.insert(tag).inserted else {
                notes.append(.requestedTagRepeated(tag))
                continue
            }
            guard let block = payload.blocks[tag] else {
                notes.append(.requestedTagAbsent(tag))
                continue
            }
            blocks.append(block)
        }
        return (blocks, notes)
    }

    /// Returns a random number of additional 16-byte units of padding for a block, 0 to 2, so that the length of the
    /// CKC reveals little about its contents.
    private func extraPadding(_ random: inout some RandomNumberGenerator) -> Int {
        Int.random(in: 0...2, using: &random)
    }
}

extension LicensePolicy.Level {
    package var wireValue: SecurityLevel {
        switch self {
        case .audio: .audio
        case .baseline: .baseline
        case .main: .main
        }
    }
}

extension LicensePolicy.HDCP {
    package var wireValue: HDCPEnforcement.Level {
        switch self {
        case .none: .notRequired
        case .type0: .type0
        case .type1: .type1
        }
    }
}
