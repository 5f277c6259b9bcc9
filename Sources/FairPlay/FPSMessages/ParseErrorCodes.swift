public import ByteCoding

/// The error codes of SPCs, CKCs and TLLVs, in addition to the codes of all parsers.
extension ParseError.Code {
    /// A TLLV's block length, or a container's payload length, is not a multiple of 16 bytes.
    public static let lengthNotMultipleOf16 = Self(rawValue: "length-not-multiple-of-16")
    /// A TLLV's value length exceeds its block length.
    public static let valueLongerThanBlock = Self(rawValue: "value-longer-than-block")
    /// Two TLLVs have the same tag.
    public static let duplicateTag = Self(rawValue: "duplicate-tag")
    /// A TLLV's value does not have the size in its table.
    public static let invalidValueLength = Self(rawValue: "invalid-value-length")
    /// A TLLV has a version that the guide does not describe. In an SPC such a block counts as absent.
    public static let unknownTLLVVersion = Self(rawValue: "unknown-tllv-version")
    /// The message has a version that the guide does not describe.
    public static let unsupportedVersion = Self(rawValue: "unsupported-version")
    /// The SPC has version 3, which only Apple's licensed library can decrypt.
    public static let spcVersion3 = Self(rawValue: "spc-version-3")
    /// A CKC contains both an Offline Key and a Content Key Duration.
    public static let conflictingBlocks = Self(rawValue: "conflicting-blocks")

    /// Returns the code for a missing mandatory TLLV: `missing-` and the name of the tag, such as `missing-asset-id`.
    public static func missing(_ tag: TLLVTag) -> Self { Self(rawValue: "missing-\(tag)") }
}
