public import ByteCoding

extension ParseError.Code {
    /// A slice refers to a parameter set that has not been read, or whose sequence parameter set has not been read.
    public static let unknownParameterSet = ParseError.Code(rawValue: "unknown-parameter-set")
    /// The stream uses a codec feature that this library does not support: data partitioning, or layers above the base
    /// layer.
    public static let unsupportedCodecFeature = ParseError.Code(rawValue: "unsupported-codec-feature")
}
