public import ByteCoding

/// The clear payload of a CKC (Table 2-11).
public struct CKCPayload: Sendable {
    /// All blocks, in order.
    public let blocks: TLLVSequence

    /// The content key and its IV.
    public let encryptedContentKey: EncryptedContentKey
    /// R1.
    public let r1: R1
    /// Lease, rental and persistence.
    public let contentKeyDuration: ContentKeyDuration?
    /// The security level that the content requires.
    public let requiredSecurityLevel: RequiredSecurityLevel?
    /// Storage and playback expiry.
    public let offlineKey: OfflineKey?
    /// The HDCP type that the content requires.
    public let hdcpEnforcement: HDCPEnforcement?

    /// The tags of the blocks that a key server itself writes. What else a CKC holds was returned from the SPC.
    public static let ownTags: Set<TLLVTag> = [
        .encryptedContentKey, .r1, .contentKeyDuration, .requiredSecurityLevel, .offlineKey, .hdcpEnforcement,
    ]

    /// The blocks that were returned from the SPC, in order.
    public var returned: [TLLV] { blocks.filter { !Self.ownTags.contains($0.tag) } }

    /// Reads a decrypted payload.
    ///
    /// - Throws: what ``TLLVSequence`` throws; `missing-encrypted-ck`, `missing-r1`; `conflicting-blocks` for an Offline
    ///   Key beside a Content Key Duration; `invalid-value-length`, `invalid-value` and `unknown-tllv-version` for a
    ///   block that does not hold what its table says.
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
                reason: "beside content-key-duration"
            )
        }
        self.blocks = blocks
    }

    /// Puts a payload together: a key server's own blocks in random order, then those returned from the SPC, unaltered.
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
