internal import ByteCoding
internal import FPSCrypto
import TextCoding

/// A reader that decrypts a CKC and checks it against all rules of the guide. It is stricter than a real device. For
/// example, a block that the guide does not define and that was not requested is an error, because it is usually a
/// wrong tag, whose restriction would silently not apply, and rarely a new kind of block.
package struct StrictCKCReader: Sendable {
    let secrets: SessionSecrets
    let returned: [UInt64: [UInt8]]
    let playbackState: FPSDevice.PlaybackState?

    /// Creates a reader for the response to one SPC.
    ///
    /// - Parameters:
    ///   - secrets: the secrets in the SPC.
    ///   - returned: the blocks that the CKC must return, by tag: the whole blocks as sent.
    ///   - playbackState: the playback state in the SPC; nil if it contains none.
    package init(
        secrets: SessionSecrets,
        returned: [UInt64: [UInt8]],
        playbackState: FPSDevice.PlaybackState?
    ) {
        self.secrets = secrets
        self.returned = returned
        self.playbackState = playbackState
    }

    /// Decrypts and checks the CKC.
    ///
    /// - Throws: ``FPSError/invalidCKC`` with the reason.
    package func read(_ ckc: [UInt8]) throws(FPSError) -> ReceivedCKC {
        guard playbackState != .halted else {
            throw .invalidCKC.because("the SPC reports that playback has halted, so it must not get a key")
        }
        do {
            return try received(try open(ckc))
        } catch let error as FPSError {
            throw error
        } catch {
            throw .invalidCKC.because("\(error)")
        }
    }

    // Table 2-10:
    // 0-3 CKC version | 4-7 reserved | 8-23 IV | 24-27 payload length | 28-n payload
    private func open(_ ckc: [UInt8]) throws -> SecretBytes {
        var reader = ByteReader(ckc.span.bytes)
        let version = try reader.readUInt32("CKC version")
        guard version == 1 else { throw FPSError.invalidCKC.because("CKC version \(version), must be 1") }
        try reader.skip(4, "reserved")
        let iv = try reader.readBytes(16, "CKC data initialization vector")
        let length = Int(try reader.readUInt32("CKC payload length"))
        let payload = try reader.readBytes(length, "CKC payload")
        try reader.finish("CKC")
        guard !payload.isEmpty else { throw FPSError.invalidCKC.because("the payload is empty") }
        return try AES128.decryptCBCSecret(payload, key: try secrets.payloadKey(), iv: iv)
    }

    private func received(_ payload: SecretBytes) throws -> ReceivedCKC {
        var notes: [String] = []
        let blocks = try CKCBlock.all(in: payload)
        let own = try ownBlocks(blocks, in: payload)

        guard let r1 = own[CKCTag.r1] else { throw FPSError.invalidCKC.because("the CKC contains no R1") }
        guard payload[r1.value] == secrets.r1 else {
            throw FPSError.invalidCKC.because("R1 differs from the R1 in the SPC")
        }

        let duration = try own[CKCTag.contentKeyDuration].map { try ReceivedKeyDuration(payload[$0.value].reveal()) }
        let offlineKey = try own[CKCTag.offlineKey].map { try ReceivedOfflineKey(payload[$0.value].reveal()) }
        let level = try own[CKCTag.requiredSecurityLevel].map { try ReceivedSecurityLevel(payload[$0.value].reveal()) }
        let hdcp = try own[CKCTag.hdcpEnforcement].map { try ReceivedHDCPLevel(payload[$0.value].reveal()) }
        let (contentKey, iv) = try contentKey(own[CKCTag.encryptedCK], in: payload)

        for block in own.values.sorted(by: { $0.whole.lowerBound < $1.whole.lowerBound }) {
            let padding = payload[block.value.upperBound..<block.whole.upperBound].reveal()
            if !padding.isEmpty, padding.allSatisfy({ $0 == 0x00 }) || padding.allSatisfy({ $0 == 0xff }) {
                notes.append("the padding of block \(block.name) is all \(padding[0] == 0 ? "0x00" : "0xFF")")
            }
        }
        return ReceivedCKC(
            contentKey: contentKey,
            iv: iv,
            terms: try terms(duration, offlineKey),
            hdcp: hdcp ?? .type0,
            requiredSecurityLevel: level,
            notes: notes
        )
    }

    /// Separates the CKC's own blocks from the returned blocks, which must be complete, unmodified, and after the own
    /// blocks.
    private func ownBlocks(_ blocks: [CKCBlock], in payload: SecretBytes) throws -> [UInt64: CKCBlock] {
        var own: [UInt64: CKCBlock] = [:]
        var missing = Set(returned.keys)
        for block in blocks {
            if let sent = returned[block.tag] {
                guard SecretBytes.constantTimeEquals(payload[block.whole].reveal(), sent) else {
                    throw FPSError.invalidCKC.because("the returned block \(block.name) was modified")
                }
                missing.remove(block.tag)
                continue
            }
            guard CKCTag.all.contains(block.tag) else {
                throw FPSError.invalidCKC.because("block \(block.name) is unknown and was not requested")
            }
            guard missing.count == returned.count else {
                throw FPSError.invalidCKC.because("block \(block.name) follows a returned block")
            }
            own[block.tag] = block
        }
        if let tag = missing.min() {
            throw FPSError.invalidCKC.because("block \(hexadecimal(tag)) was not returned")
        }
        return own
    }

    // Table 2-12, bytes of the block: 16-31 content IV | 32-47 content key, encrypted with SK
    private func contentKey(_ block: CKCBlock?, in payload: SecretBytes) throws -> (SecretBytes?, [UInt8]) {
        guard let block else {
            guard playbackState == .playing else {
                throw FPSError.invalidCKC.because("the CKC contains no content key")
            }
            return (nil, [])
        }
        let value = payload[block.value].reveal()
        guard value.count == 32 else {
            throw FPSError.invalidCKC.because("the content key block has \(counted(value.count, "byte")), must be 32")
        }
        return (try AES128.decryptBlockSecret(value[16...], key: secrets.sessionKey), Array(value[..<16]))
    }

    private func terms(_ duration: ReceivedKeyDuration?, _ offlineKey: ReceivedOfflineKey?) throws -> DeviceKeyTerms {
        switch (duration, offlineKey) {
        case (.some, .some):
            throw FPSError.invalidCKC.because("the CKC contains both an offline key and a content key duration")
        case (nil, let offlineKey?):
            return .dualExpiry(offlineKey)
        case (let duration?, nil):
            guard playbackState != nil else {
                throw FPSError.invalidCKC.because(
                    "the CKC contains a content key duration, but the SPC has no playback state"
                )
            }
            return duration.terms
        case (nil, nil):
            guard playbackState != .playing else {
                throw FPSError.invalidCKC.because("a response to playback state 2 must contain a content key duration")
            }
            return .streaming(lease: 0, rental: 0)
        }
    }
}

/// The position of a block in the decrypted payload of a CKC (Table 2-2).
struct CKCBlock {
    let tag: UInt64
    let whole: Range<Int>
    let value: Range<Int>

    var name: String { hexadecimal(tag) }

    // 0-7 tag | 8-11 block length | 12-15 value length | 16-k value | padding
    static func all(in payload: SecretBytes) throws -> [CKCBlock] {
        try payload.withUnsafeBytes { buffer in
            var blocks: [CKCBlock] = []
            var tags: Set<UInt64> = []
            var reader = ByteReader(buffer.bytes)
            while reader.remaining > 0 {
                let start = reader.offset
                let tag = try reader.readUInt64("tag")
                let blockLength = Int(try reader.readUInt32("block length"))
                let valueLength = Int(try reader.readUInt32("value length"))
                guard blockLength % 16 == 0, valueLength <= blockLength else {
                    let reason = "block length \(blockLength), value length \(valueLength)"
                    throw ParseError(.invalidLength, reading: hexadecimal(tag), offset: start, reason: reason)
                }
                let valueStart = reader.offset
                try reader.skip(blockLength, "value and padding of block \(hexadecimal(tag))")
                guard tags.insert(tag).inserted else {
                    throw FPSError.invalidCKC.because("block \(hexadecimal(tag)) occurs more than once")
                }
                blocks.append(
                    CKCBlock(tag: tag, whole: start..<reader.offset, value: valueStart..<valueStart + valueLength)
                )
            }
            return blocks
        }
    }
}

func hexadecimal(_ tag: UInt64) -> String { "0x" + Hexadecimal.encode(tag) }
