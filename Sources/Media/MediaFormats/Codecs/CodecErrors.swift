public import ByteCoding

extension ParseError.Code {
    /// A slice names a parameter set that has not been seen, or that refers to one that has not.
    public static let unknownParameterSet = ParseError.Code(rawValue: "unknown-parameter-set")
    /// A part of a codec that this library does not read: data partitioning, layers above the base layer.
    public static let unsupportedCodecFeature = ParseError.Code(rawValue: "unsupported-codec-feature")
}
