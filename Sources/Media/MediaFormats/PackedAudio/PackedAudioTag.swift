public import ByteCoding

// The ID3 tag at the start of each segment of packed audio.

extension ID3Tag {
    /// The owner of the private frame with the timestamp of the segment's first sample (RFC 8216bis, 3.1.4).
    public static let timestampOwner = "com.apple.streaming.transportStreamTimestamp"
    /// The owner of the private frame that describes audio with SAMPLE-AES (Apple, MPEG-2 Stream Encryption Format).
    public static let audioDescriptionOwner = "com.apple.streaming.audioDescription"

    /// Creates the tag of a segment of packed audio.
    ///
    /// - Parameters:
    ///   - timestamp: the presentation time of the first sample, in units of 1/90,000 second; only the lower 33 bits
    ///     are used.
    ///   - audioSetup: the audio setup information if the audio is encrypted with SAMPLE-AES.
    public init(timestamp: UInt64, audioSetup: AudioSetupInformation? = nil) {
        let time = timestamp & 0x1_FFFF_FFFF
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
        frames = [Self.privateFrame(owner: Self.timestampOwner, bytes)]
        if let audioSetup { frames.append(Self.privateFrame(owner: Self.audioDescriptionOwner, audioSetup.bytes)) }
    }

    /// Returns the presentation time of the segment's first sample, 33 bits in units of 1/90,000 second; nil if the tag
    /// has none.
    ///
    /// - Throws: `ParseError` with the code `invalid-length` if the timestamp does not have 8 bytes.
    public func timestamp() throws(ParseError) -> UInt64? {
        guard let content = privateContent(owner: Self.timestampOwner) else { return nil }
        guard content.count == 8 else {
            throw ParseError(
                .invalidLength,
                reading: "timestamp of packed audio",
                offset: 0,
                reason: "the timestamp has \(content.count) bytes, must have 8"
            )
        }
        return content.reduce(0) { $0 << 8 | UInt64($1) } & 0x1_FFFF_FFFF
    }

    /// Returns the audio setup information of audio with SAMPLE-AES; nil if the tag has none.
    ///
    /// - Throws: `ParseError` if the setup information is invalid.
    public func audioSetup() throws(ParseError) -> AudioSetupInformation? {
        guard let content = privateContent(owner: Self.audioDescriptionOwner) else { return nil }
        var reader = ByteReader(content.span.bytes)
        let setup = try AudioSetupInformation(reading: &reader)
        try reader.finish("audio setup information")
        return setup
    }
}
