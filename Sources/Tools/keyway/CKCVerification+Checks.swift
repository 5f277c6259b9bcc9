import ByteCoding
import FPSCrypto
import FPSMessages
import KeyServerModule
import TextCoding

/// A CKC, the opened SPC that it should respond to, and the results of the checks so far.
struct CheckedExchange: Sendable {
    let ckc: [UInt8]
    let spc: OpenedExchange
    private let inspection: CKCInspection
    private(set) var contentKey: SecretBytes?
    private(set) var contentIV: [UInt8] = []

    typealias Verdict = CKCVerification.Verdict

    init(ckc: [UInt8], spc: OpenedExchange) {
        self.ckc = ckc
        self.spc = spc
        inspection = CKCInspection(ckc, payloadKey: spc.payloadKey)
    }

    private var blocks: TLLVSequence? { inspection.blocks }

    /// Returns the block of this type in the CKC: nil if there is none, a failure if it cannot be parsed.
    private func content<Content: TLLVContent>(_: Content.Type) -> Result<Content?, ParseError> {
        Result { () throws(ParseError) in try blocks?.optional(Content.self) }
    }

    // MARK: The message

    /// Table 2-10.
    func checkContainer() -> Verdict {
        if let problem = inspection.problem, problem.stage == .container {
            return .failed(code: problem.code.rawValue, problem.reason)
        }
        return .passed("version 1, \(counted(ckc.count, "byte"))")
    }

    func checkDecryption() -> Verdict {
        if let problem = inspection.problem, inspection.isGarbage {
            return .failed(code: problem.code.rawValue, CKCInspection.garbage)
        }
        return .passed("with R1 and the AR seed of the SPC")
    }

    /// Table 2-2.
    func checkFraming() -> Verdict {
        if let problem = inspection.problem, problem.code.rawValue != ParseError.Code.duplicateTag.rawValue {
            return .failed(code: problem.code.rawValue, problem.reason)
        }
        return .passed("\(counted(blocks?.count ?? 0, "block")), no trailing bytes")
    }

    func checkDuplicates() -> Verdict {
        if let problem = inspection.problem { return .failed(code: problem.code.rawValue, problem.reason) }
        return .passed("every tag occurs once")
    }

    // MARK: The mandatory blocks

    /// Table 2-12.
    mutating func checkContentKey() -> Verdict {
        switch content(EncryptedContentKey.self) {
        case .failure(let error): return .failed(code: error.code.rawValue, error.description)
        case .success(nil): return .failed(code: "missing-encrypted-ck", "the CKC has no encrypted content key block")
        case .success(let block?):
            contentIV = block.iv
            guard let sessionKey = spc.session.sessionKey else {
                return .passed("16 bytes and an IV; the plug-in does not release SK, so the key stays encrypted")
            }
            guard let key = try? AES128.decryptBlockSecret(block.encryptedKey, key: sessionKey) else {
                return .failed(code: "library-failure", "libcrypto failed")
            }
            contentKey = key
            return .passed("16 bytes and an IV")
        }
    }

    func checkR1() -> Verdict {
        switch content(R1.self) {
        case .failure(let error): return .failed(code: error.code.rawValue, error.description)
        case .success(nil): return .failed(code: "missing-r1", "the CKC has no R1 block")
        case .success(let block?):
            return SecretBytes(copying: block.bytes) == spc.r1
                ? .passed("matches the SPC") : .failed(code: "r1-mismatch", "R1 differs from that of the SPC")
        }
    }

    // MARK: The terms

    /// Tables 4-3, 4-4 and 5-1.
    func checkDuration() -> Verdict {
        switch content(ContentKeyDuration.self) {
        case .failure(let error): return .failed(code: error.code.rawValue, error.description)
        case .success(nil): return .passed("none: no limit")
        case .success(let block?):
            guard blocks?[.offlineKey] == nil else {
                return .failed(
                    code: "conflicting-blocks",
                    "the CKC also contains an offline key, which excludes a duration"
                )
            }
            guard spc.payload.request.mediaPlaybackState != nil else {
                return .odd(
                    "\(block.summary); the SPC has no media playback state, so the CKC should not contain a duration"
                )
            }
            return .passed(block.summary)
        }
    }

    /// Table 6-1.
    func checkOfflineKey() -> Verdict {
        switch content(OfflineKey.self) {
        case .failure(let error): return .failed(code: error.deviceCode, error.description)
        case .success(nil): return .passed("none")
        case .success(let block?):
            let terms =
                "version \(block.version): storage \(duration(block.storage)), playback \(duration(block.playback))"
            let feature: Capabilities.Feature = block.version == 1 ? .offlineKey : .offlineKeyVersion2
            guard spc.payload.request.capabilities?.has(feature) == true else {
                return .odd("\(terms); the device does not declare support for it (capability \(feature.rawValue))")
            }
            return .passed(terms)
        }
    }

    /// Tables 3-9 and 3-10.
    func checkSecurityLevel() -> Verdict {
        switch content(RequiredSecurityLevel.self) {
        case .failure(let error): return .failed(code: error.deviceCode, error.description)
        case .success(nil): return .passed("none required")
        case .success(let block?):
            guard block.level.name != nil else {
                return .failed(code: "invalid-value", "\(block.level) is not a security level that devices define")
            }
            if block.level == .main, spc.payload.request.securityLevelReport?.level == .baseline {
                return .failed(
                    code: "security-level-violation",
                    "Main is required, and the device is Baseline (-42811)"
                )
            }
            return .passed(block.level.description)
        }
    }

    /// Tables 3-12 and 3-13.
    func checkHDCP() -> Verdict {
        switch content(HDCPEnforcement.self) {
        case .failure(let error): return .failed(code: error.code.rawValue, error.description)
        case .success(nil): return .passed("none: the device enforces Type 0")
        case .success(let block?):
            guard block.level.name != nil else {
                return .failed(code: "invalid-value", "\(block.level) is not an HDCP level that devices define")
            }
            let canEnforce = spc.payload.request.capabilities?.has(.hdcpEnforcement) == true
            guard block.level != .type1 || canEnforce else {
                return .odd("Type 1; the device does not declare that it can enforce it (capability 0)")
            }
            return .passed(block.level.description)
        }
    }

    // MARK: The returned blocks

    /// The blocks that the SPC requests back and contains, each once.
    private var requested: [TLLV] {
        var seen: Set<TLLVTag> = []
        return spc.payload.tagReturnRequest.tags.filter { seen.insert($0).inserted }.compactMap {
            spc.payload.blocks[$0]
        }
    }

    /// Checks that each requested block is present and unaltered.
    func checkReturnedBlocks() -> Verdict {
        var repadded: [TLLVTag] = []
        for block in requested {
            guard let returned = blocks?[block.tag] else {
                return .failed(code: "returned-tag-missing", "\(block.tag) is missing, but the SPC requests it back")
            }
            guard returned.value == block.value else {
                return .failed(code: "returned-tag-altered", "\(block.tag) was altered")
            }
            if returned.encoded != block.encoded { repadded.append(block.tag) }
        }
        guard repadded.isEmpty else { return .odd("the padding differs from the SPC: \(list(repadded))") }
        return .passed(requested.isEmpty ? "none requested" : "\(requested.count), unaltered")
    }

    /// Checks that the returned blocks are last. The guide requires that, but a device finds blocks by their tags.
    func checkReturnedBlocksAreLast() -> Verdict {
        let tags = Set(requested.map(\.tag))
        let last = (blocks?.suffix(tags.count)).map { Set($0.map(\.tag)) } ?? []
        return last == tags ? .passed("yes") : .odd("the server's own blocks are between or after them")
    }

    // MARK: Padding and other blocks

    /// Checks the padding of the server's own blocks; returned blocks have the device's padding.
    func checkPadding() -> Verdict {
        let own = CKCPayload.ownTags
        let uniform = blocks?.filter { own.contains($0.tag) && $0.hasUniformPadding }.map(\.tag) ?? []
        return uniform.isEmpty
            ? .passed("random") : .odd("all bytes are 0x00 or 0xff, which is not allowed: \(list(uniform))")
    }

    /// Checks for blocks that the SPC does not request.
    func checkOtherBlocks() -> Verdict {
        let known = CKCPayload.ownTags.union(requested.map(\.tag))
        let others = blocks?.filter { !known.contains($0.tag) }.map(\.tag) ?? []
        return others.isEmpty
            ? .passed("none") : .odd("not requested: \(list(others)); a strict device may reject the CKC")
    }

    private func list(_ tags: [TLLVTag]) -> String { tags.map(\.description).joined(separator: ", ") }
}

extension ContentKeyDuration {
    /// The terms on one line.
    fileprivate var summary: String {
        switch keyType {
        case .lease: "\(keyType): \(duration(lease))"
        case .rental, .persistLimited: "\(keyType): \(duration(rental))"
        case .leaseAndRental: "lease: \(duration(lease)), rental: \(duration(rental))"
        default: keyType.description
        }
    }
}

extension ParseError {
    /// The error code of a device, which must not ignore a restriction in a block version that it does not support.
    fileprivate var deviceCode: String {
        code == .unknownTLLVVersion ? "unsupported-block-version" : code.rawValue
    }
}
