public import ByteCoding

/// The decrypted payload of a CKC (Table 2-11).
public struct CKCPayload: Sendable {
    /// All blocks, in order.
    public let blocks: TLLVSequence

    /// The encrypted content key and the content IV.
    public let encryptedContentKey: EncryptedContentKey
    /// R1.
    public let r1: R1
    /// The lease, rental and persistence; nil if the CKC has no such block.
    public let contentKeyDuration: ContentKeyDuration?
    /// The security level that the content requires; nil if the CKC has no such block.
    public let requiredSecurityLevel: RequiredSecurityLevel?
    /// The storage and playback durations of an offline key; nil if the CKC has no such block.
    public let offlineKey: OfflineKey?
    /// The HDCP type that the content requires; nil if the CKC has no such block.
    public let hdcpEnforcement: HDCPEnforcement?

    /// The tags of the blocks that a key server creates. All other blocks of a CKC are returned from the SPC.
    public static let ownTags: Set<TLLVTag> = [
        .encryptedContentKey, .r1, .contentKeyDuration, .requiredSecurityLevel, .offlineKey, .hdcpEnforcement,
    ]

    /// The blocks that were returned from the SPC, in order.
    public var returned: [TLLV] { blocks.filter { !Self.ownTags.contains($0.tag) } }

    /// Parses a decrypted payload.
    ///
    /// - Throws: the errors of ``TLLVSequence``; `missing-encrypted-ck`, `missing-r1`; `conflicting-blocks` if there is
    ///   both an Offline Key and a Content Key Duration; `invalid-value-length`, `invalid-value` and
    ///   `unknown-tllv-version` for a block whose value does not match its table.
    public init(parsing payload: [UInt8]) throws(ParseError) {
        let blocks = try TLLVSequence(parsing: payload)
        encryptedContentKey = try blocks.mandatory()
        r1 = try blocks.mandatory()
        contentKeyDuration = try blocks.optional()
        requiredSecurityLevel = try blocks.optional()
        offlineKey = try blocks.optional()
        hdcpEnforcement = try blocks.optional()
        if let conflict = blocks[.offlineKey], contentKeyDuration != nil {
            throw ParseError(
                .conflictingBlocks,
                reading: "offline-key",
                offset: conflict.offset,
                reason: "not allowed together with content-key-duration"
            )
        }
        self.blocks = blocks
    }

    /// Assembles a payload: the key server's blocks in random order, then the unmodified blocks returned from the SPC.
    public static func assemble(
        own: [TLLV],
        returned: [TLLV],
        using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: (own + returned).reduce(0) { $0 + $1.encoded.count })
        for block in own.shuffled(using: &random) { writer.write(block.encoded) }
        for block in returned { writer.write(block.encoded) }
        return writer.bytes
    }
}
