internal import ByteCoding
internal import FPSCrypto

/// A builder for one SPC.
struct SPCBuilder {
    let profile: DeviceProfile
    let certificate: ApplicationCertificate
    let assetID: [UInt8]
    let protocolVersion: UInt32
    let output: DeviceProfile.Output
    let mediaPlaybackState: DevicePlaybackState
    let sync: DeviceSyncReport
    /// The device ID, 20 bytes.
    let hu: [UInt8]
    let dask: DASkRule
    let mutations: [SPCMutation]

    struct Result {
        let spc: [UInt8]
        /// The SPC's payload before encryption.
        let payload: [UInt8]
        let transactionID: UInt64
        let secrets: SessionSecrets
        /// The blocks that the CKC must return, by tag: the whole blocks as sent.
        let returned: [UInt64: [UInt8]]
        /// The playback state in the SPC, a number of Table 4-2; nil if it contains none.
        let playbackState: UInt32?
        /// True if the SPC has a valid Sync block.
        let isSyncSPC: Bool
    }

    /// Creates the SPC.
    ///
    /// - Throws: ``FPSError/spcCreationFailed``.
    func build(using random: inout DeviceRandom) throws(FPSError) -> Result {
        let transactionID = random.next()
        let sessionKey = SecretBytes(count: 16, randomFrom: &random)
        var secrets = SessionSecrets(
            sessionKey: sessionKey,
            r1: SecretBytes(count: 44, randomFrom: &random),
            antiReplaySeed: SecretBytes(count: 16, randomFrom: &random)
        )
        do throws(CryptoError) {
            var contents = try sessionBlocks(sessionKey, secrets, using: &random)
            contents += requestBlocks(transactionID: transactionID)
            var draft = draft(contents, using: &random)
            for mutation in mutations { mutation.apply(&draft) }
            if let seed = draft[.antiReplaySeed]?.value, seed.count == 16 {
                secrets.antiReplaySeed = SecretBytes(copying: seed)
            }
            let spc = try seal(draft, using: &random)
            return Result(
                spc: spc,
                payload: draft.blocks.flatMap(\.bytes),
                transactionID: transactionID,
                secrets: secrets,
                returned: returned(in: draft),
                playbackState: draft[.mediaPlaybackState].map { playbackState(in: $0.value) },
                isSyncSPC: draft[.sync].map { DeviceSyncReport.isValid($0.value) } ?? false
            )
        } catch {
            throw .spcCreationFailed.because("\(error)")
        }
    }

    typealias Content = (tag: SPCDraft.Tag, value: [UInt8])

    /// Returns the blocks [SK...R1], its integrity, R2 and the anti-replay seed.
    private func sessionBlocks(
        _ sessionKey: SecretBytes,
        _ secrets: SessionSecrets,
        using random: inout DeviceRandom
    ) throws(CryptoError) -> [Content] {
        let r2 = random.bytes(21)
        let iv = random.bytes(16)
        let integrity = random.bytes(16)
        // Table 2-7: 0-15 session key | 16-35 HU | 36-79 R1 | 80-95 integrity bytes
        let plain = SecretBytes(count: 96) { buffer in
            sessionKey.withUnsafeBytes { buffer[0..<16].copyBytes(from: $0) }
            buffer[16..<36].copyBytes(from: hu)
            secrets.r1.withUnsafeBytes { buffer[36..<80].copyBytes(from: $0) }
            buffer[80..<96].copyBytes(from: integrity)
        }
        // Table 2-6, bytes of the block: 16-31 IV | 32-127 payload
        return [
            (.sessionKeyAndR1, iv + (try AES128.encryptCBC(plain, key: dask.dask(r2: r2), iv: iv))),
            (.integrity, integrity),
            (.antiReplaySeed, secrets.antiReplaySeed.reveal()),
            (.r2, r2),
        ]
    }

    /// Returns the blocks with the asset ID, the versions and the properties of the device.
    private func requestBlocks(transactionID: UInt64) -> [Content] {
        var contents: [Content] = [
            (.assetID, assetID),
            (.transactionID, bigEndian(transactionID)),
            (.protocolVersionsSupported, profile.protocolVersions.flatMap { bigEndian($0) }),
            (.protocolVersionUsed, bigEndian(protocolVersion)),
            (.streamingIndicator, bigEndian(output.rawValue)),
        ]
        if profile.sendsMediaPlaybackState { contents.append((.mediaPlaybackState, mediaPlaybackState.bytes)) }
        // Table 3-1: 16-23 bits 64-127 | 24-31 bits 0-63
        if let bits = profile.capabilities {
            contents.append((.capabilities, bigEndian(UInt64(0)) + bigEndian(bits.rawValue)))
        }
        if let identity = profile.identity { contents.append((.deviceIdentity, identity.bytes)) }
        if let info = profile.info { contents.append((.deviceInfo, info.bytes)) }
        if let version = profile.kextDenyListVersion { contents.append((.kextDenyListVersion, bigEndian(version))) }
        if profile.reportsSecurityLevel { contents.append((.securityLevelReport, securityLevelReport)) }
        if let machine = profile.virtualMachine { contents.append((.vmDeviceInformation, machine.bytes)) }
        switch sync {
        case .empty where !profile.sendsEmptySync: break
        default: contents.append((.sync, sync.bytes))
        }
        return contents
    }

    /// The content of the Security Level Report block (Table 3-7): 16-19 version | 20-23 reserved | 24-31 security
    /// level | 32-35 KDL version
    private var securityLevelReport: [UInt8] {
        var writer = ByteWriter(capacity: 20)
        writer.write(UInt32(1))
        writer.write(UInt32(0))
        writer.write(profile.securityLevel.rawValue)
        writer.write(profile.kextDenyListVersion ?? 0)
        return writer.bytes
    }

    /// Returns a draft of the SPC: adds blocks with unknown tags and the tag return request, pads the blocks, and
    /// shuffles them.
    private func draft(_ contents: [Content], using random: inout DeviceRandom) -> SPCDraft {
        var contents = contents
        var taken = Set(SPCDraft.Tag.known.map(\.rawValue) + CKCTag.all)
        var reserved: [SPCDraft.Tag] = []
        for _ in 0..<max(profile.reservedBlockCount, 0) {
            let tag = SPCDraft.Tag(rawValue: random.number(notIn: &taken))
            reserved.append(tag)
            contents.append((tag, random.bytes(Int.random(in: 0...48, using: &random))))
        }
        let known = contents.map(\.tag).filter { !reserved.contains($0) }.shuffled(using: &random)
        let requested = known.prefix(Int.random(in: 1...4, using: &random)) + reserved.prefix(1)
        let request = requested.shuffled(using: &random).flatMap { bigEndian($0.rawValue) }
        contents.append((.tagReturnRequest, request))

        let blocks = contents.shuffled(using: &random).map { content in
            SPCDraft.Block(
                content.tag,
                value: content.value,
                padding: random.padding(forValueOf: content.value.count)
            )
        }
        return SPCDraft(version: certificate.spcVersion, certificateHash: certificate.hash, blocks: blocks)
    }

    /// Returns the sent blocks that the tag return request contains. Requested tags without a block are not returned.
    private func returned(in draft: SPCDraft) -> [UInt64: [UInt8]] {
        let request = draft[.tagReturnRequest]?.value ?? []
        var returned: [UInt64: [UInt8]] = [:]
        for start in stride(from: 0, through: request.count - 8, by: 8) {
            let tag = request[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            if let block = draft[SPCDraft.Tag(rawValue: tag)] { returned[tag] = block.bytes }
        }
        return returned
    }

    /// Returns the playback state in a block. A mutation can have changed the state, also to an undefined number.
    private func playbackState(in value: [UInt8]) -> UInt32 {
        value.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    // Table 2-3:
    // 0-3 SPC version | 4-7 reserved | 8-23 IV | 24-151 or 24-279 encrypted key | 20 bytes certificate hash
    // 4 bytes payload length | payload
    private func seal(_ draft: SPCDraft, using random: inout DeviceRandom) throws(CryptoError) -> [UInt8] {
        let payload = draft.blocks.flatMap(\.bytes)
        let iv = random.bytes(16)
        let key = SecretBytes(count: 16, randomFrom: &random)
        var writer = ByteWriter(capacity: 24 + 256 + 24 + payload.count)
        writer.write(draft.version)
        writer.write(draft.reserved)
        writer.write(iv)
        #if SwiftCrypto
        // The library generates the OAEP seed, so this field is random for seeded devices too.
        writer.write(try certificate.publicKey.encryptOAEP(key))
        #else
        writer.write(try certificate.publicKey.encryptOAEP(key, using: &random))
        #endif
        writer.write(draft.certificateHash)
        writer.write(draft.payloadLength ?? UInt32(truncatingIfNeeded: payload.count))
        writer.write(try AES128.encryptCBC(payload, key: key, iv: iv))
        writer.write(draft.trailingBytes)
        return writer.bytes
    }
}

func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
}
