public import ByteCoding

/// What can be wrong with an SPC, a CKC or a TLLV, beside the codes that every parser has.
extension ParseError.Code {
    /// A TLLV's block length, or a container's payload length, is not a multiple of 16 bytes.
    public static let lengthNotMultipleOf16 = Self(rawValue: "length-not-multiple-of-16")
    /// A TLLV's value length exceeds its block length.
    public static let valueLongerThanBlock = Self(rawValue: "value-longer-than-block")
    /// Two TLLVs carry the same tag.
    public static let duplicateTag = Self(rawValue: "duplicate-tag")
    /// A TLLV's value has not the size that its table gives.
    public static let invalidValueLength = Self(rawValue: "invalid-value-length")
    /// A TLLV carries a version that the guide does not describe. In an SPC such a block counts as absent.
    public static let unknownTLLVVersion = Self(rawValue: "unknown-tllv-version")
    /// The message's version is none that the guide describes.
    public static let unsupportedVersion = Self(rawValue: "unsupported-version")
    /// An SPC of version 3, which only Apple's licensed library opens.
    public static let spcVersion3 = Self(rawValue: "spc-version-3")
    /// A CKC carries an Offline Key beside a Content Key Duration.
    public static let conflictingBlocks = Self(rawValue: "conflicting-blocks")

    /// A mandatory TLLV is missing: `missing-` and the tag's name, such as `missing-asset-id`.
    public static func missing(_ tag: TLLVTag) -> Self { Self(rawValue: "missing-\(tag)") }
}
