internal import ByteCoding
internal import FPSCrypto
import TextCoding

/// The state of a CKC's checks: what the checks so far have found. The checks of the blocks with terms are in
/// CKCExaminer+Terms.swift.
struct CKCExaminer {
    let ckc: [UInt8]
    let reader: StrictCKCReader

    private var iv: [UInt8] = []
    private var encryptedPayload: [UInt8] = []
    var payload = SecretBytes(copying: [])
    private var framingError: ParseError?
    private var blocks: [CKCBlock] = []
    /// The blocks that the server created, by tag; the others are returned blocks.
    private(set) var own: [UInt64: CKCBlock] = [:]
    private(set) var contentKey: SecretBytes?
    private(set) var contentIV: [UInt8] = []
    var duration: ReceivedKeyDuration?
    var offlineKey: ReceivedOfflineKey?
    var hdcp: ReceivedHDCPLevel?
    var securityLevel: ReceivedSecurityLevel?

    init(ckc: [UInt8], reader: StrictCKCReader) {
        self.ckc = ckc
        self.reader = reader
    }

    /// Performs a check, after those that precede it in ``CKCExamination/Check``.
    mutating func perform(_ check: CKCExamination.Check) throws(CKCRefusal) -> CKCExamination.Verdict {
        switch check {
        case .container: try checkContainer()
        case .decryption: try checkDecryption()
        case .framing: try checkFraming()
        case .uniqueTags: try checkUniqueTags()
        case .playbackState: try checkPlaybackState()
        case .contentKey: try checkContentKey()
        case .r1: try checkR1()
        case .duration: try checkDuration()
        case .offlineKey: try checkOfflineKey()
        case .securityLevel: try checkSecurityLevel()
        case .hdcp: try checkHDCP()
        case .returnedBlocks: try checkReturnedBlocks()
        case .returnedBlocksAtEnd: try checkReturnedBlocksAtEnd()
        case .padding: checkPadding()
        case .otherBlocks: try checkOtherBlocks()
        }
    }

    /// Returns the values of a CKC that passed all checks.
    func received(notes: [String]) -> ReceivedCKC {
        ReceivedCKC(
            contentKey: contentKey,
            iv: contentIV,
            terms: offlineKey.map { .dualExpiry($0) } ?? duration?.terms ?? .streaming(lease: 0, rental: 0),
            hdcp: hdcp ?? .type0,
            notes: notes
        )
    }

    // MARK: The message

    // Table 2-10:
    // 0-3 CKC version | 4-7 reserved, ignored | 8-23 IV | 24-27 payload length | 28-n payload
    private mutating func checkContainer() throws(CKCRefusal) -> CKCExamination.Verdict {
        // The reader borrows this copy, so that the fields of self can be set.
        let ckc = ckc
        do throws(ParseError) {
            var message = ByteReader(ckc.span.bytes)
            let version = try message.readUInt32("CKC version")
            guard version == 1 else {
                throw ParseError(.unsupportedVersion, reading: "CKC version \(version)", offset: 0, reason: "must be 1")
            }
            try message.skip(4, "reserved field of the CKC")
            iv = try message.readBytes(16, "CKC data initialization vector")
            let length = Int(try message.readUInt32("CKC payload length"))
            guard length.isMultiple(of: 16) else {
                throw ParseError(
                    .lengthNotMultipleOf16,
                    reading: "CKC payload length",
                    offset: 24,
                    reason: "\(length)"
                )
            }
            encryptedPayload = try message.readBytes(length, "CKC payload")
            try message.finish("CKC")
        } catch {
            throw CKCRefusal(error)
        }
        return .passed("version 1, \(counted(ckc.count, "byte"))")
    }

    private mutating func checkDecryption() throws(CKCRefusal) -> CKCExamination.Verdict {
        do throws(CryptoError) {
            if !encryptedPayload.isEmpty {
                payload = try AES128.decryptCBCSecret(encryptedPayload, key: try reader.secrets.payloadKey(), iv: iv)
            }
        } catch {
            throw CKCRefusal("library-failure", "\(error)")
        }
        (blocks, framingError) = CKCBlock.all(in: payload)
        // CBC decryption never fails. A wrong key is detected by a payload that is invalid from its first tag on.
        if let framingError, blocks.isEmpty, !startsWithKnownTag {
            throw CKCRefusal(
                framingError.code.rawValue,
                "the decrypted payload has no valid blocks: the CKC is for another SPC, or the DASk is wrong"
            )
        }
        return .passed("with R1 and the AR seed of the SPC")
    }

    private var startsWithKnownTag: Bool {
        guard payload.count >= 8 else { return false }
        let tag = payload[0..<8].reveal().reduce(0) { $0 << 8 | UInt64($1) }
        return CKCTag.all.contains(tag) || reader.returned[tag] != nil
            || SPCDraft.Tag.known.contains(SPCDraft.Tag(rawValue: tag))
    }

    // Table 2-2
    private func checkFraming() throws(CKCRefusal) -> CKCExamination.Verdict {
        if let framingError { throw CKCRefusal(framingError) }
        return .passed("\(counted(blocks.count, "block")), no trailing bytes")
    }

    /// Checks that no tag occurs twice, and separates the server's own blocks from the returned ones.
    private mutating func checkUniqueTags() throws(CKCRefusal) -> CKCExamination.Verdict {
        var tags: Set<UInt64> = []
        for block in blocks {
            guard tags.insert(block.tag).inserted else {
                throw CKCRefusal("duplicate-tag", "block \(block.name) occurs more than once")
            }
            if reader.returned[block.tag] == nil, CKCTag.all.contains(block.tag) { own[block.tag] = block }
        }
        return .passed("every tag occurs once")
    }

    // MARK: The mandatory blocks

    // Table 2-12, bytes of the block: 16-31 content IV | 32-47 content key, encrypted with SK
    private mutating func checkContentKey() throws(CKCRefusal) -> CKCExamination.Verdict {
        // In state 2 the CKC "does not need to contain a valid content key" (Table 4-2); a halted device gets none.
        let isRequired = reader.state != .playing && reader.state != .halted
        guard let block = own[CKCTag.encryptedCK] else {
            guard isRequired else { return .noted(["none: the device continues to use its key"]) }
            let reason = blocks.isEmpty ? "the payload is empty, so the CKC contains" : "the CKC contains"
            throw CKCRefusal("missing-encrypted-ck", "\(reason) no content key")
        }
        guard block.value.count == 32 else {
            let size = "the content key block has \(counted(block.value.count, "byte")), must be 32"
            guard isRequired else { return .noted(["\(size); the device continues to use its key"]) }
            throw CKCRefusal("invalid-value-length", size)
        }
        let value = payload[block.value].reveal()
        contentIV = Array(value[..<16])
        guard let sessionKey = reader.secrets.sessionKey else {
            return .passed("16 bytes and an IV; the plug-in does not release SK, so the key stays encrypted")
        }
        do throws(CryptoError) {
            contentKey = try AES128.decryptBlockSecret(value[16...], key: sessionKey)
        } catch {
            throw CKCRefusal("library-failure", "\(error)")
        }
        return .passed("16 bytes and an IV")
    }

    private func checkR1() throws(CKCRefusal) -> CKCExamination.Verdict {
        guard let block = own[CKCTag.r1] else { throw CKCRefusal("missing-r1", "the CKC contains no R1") }
        guard payload[block.value] == reader.secrets.r1 else {
            throw CKCRefusal("r1-mismatch", "R1 differs from the R1 in the SPC")
        }
        return .passed("matches the SPC")
    }

    // MARK: Returned blocks and the rest

    /// Checks that each requested block is returned "as is" (Table 2-4), with its padding.
    private func checkReturnedBlocks() throws(CKCRefusal) -> CKCExamination.Verdict {
        for (tag, sent) in reader.returned.sorted(by: { $0.key < $1.key }) {
            guard let block = blocks.first(where: { $0.tag == tag }) else {
                throw CKCRefusal("returned-tag-missing", "block \(CKCTag.name(tag)) was not returned")
            }
            guard SecretBytes.constantTimeEquals(payload[block.whole].reveal(), sent) else {
                throw CKCRefusal("returned-tag-altered", "the returned block \(block.name) was modified")
            }
        }
        return .passed(reader.returned.isEmpty ? "none requested" : "\(reader.returned.count), unaltered")
    }

    /// Checks that the returned blocks are at the end of the payload (guide, "Returning SPC Blocks in the CKC Payload").
    private func checkReturnedBlocksAtEnd() throws(CKCRefusal) -> CKCExamination.Verdict {
        let end = blocks.drop { reader.returned[$0.tag] == nil }
        if let block = end.first(where: { reader.returned[$0.tag] == nil }) {
            throw CKCRefusal("returned-tags-not-last", "block \(block.name) follows a returned block")
        }
        return .passed("yes")
    }

    /// Checks the padding of the server's own blocks; returned blocks have the device's padding.
    private func checkPadding() -> CKCExamination.Verdict {
        let notes = blocks.filter { own[$0.tag] != nil }.compactMap { block -> String? in
            let padding = payload[block.value.upperBound..<block.whole.upperBound].reveal()
            guard let first = padding.first, first == 0x00 || first == 0xff, padding.allSatisfy({ $0 == first }) else {
                return nil
            }
            return "the padding of block \(block.name) is all \(first == 0 ? "0x00" : "0xFF")"
        }
        return notes.isEmpty ? .passed("random") : .noted(notes)
    }

    private func checkOtherBlocks() throws(CKCRefusal) -> CKCExamination.Verdict {
        if let block = blocks.first(where: { own[$0.tag] == nil && reader.returned[$0.tag] == nil }) {
            throw CKCRefusal(
                "unknown-block",
                "block \(block.name) is unknown and was not requested; a device may ignore it, and with it a restriction"
            )
        }
        return .passed("none")
    }

    /// Parses the value of one of the server's own blocks; nil if the CKC does not contain the block.
    func content<Content>(
        _ tag: UInt64,
        _ parse: ([UInt8]) throws(ParseError) -> Content
    ) throws(CKCRefusal) -> Content? {
        guard let block = own[tag] else { return nil }
        do throws(ParseError) {
            return try parse(payload[block.value].reveal())
        } catch {
            let isWrongLength = error.code == .truncated || error.code == .trailingBytes
            throw CKCRefusal(isWrongLength ? "invalid-value-length" : error.code.rawValue, "\(error)")
        }
    }
}
