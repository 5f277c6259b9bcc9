public import ByteCoding

// The tag that begins each segment of packed audio.

extension ID3Tag {
    /// Whose frame has the time of the segment's first sample (RFC 8216bis, 3.1.4).
    public static let timestampOwner = "com.apple.streaming.transportStreamTimestamp"
    /// Whose frame describes audio that is encrypted by SAMPLE-AES (Apple, MPEG-2 Stream Encryption Format).
    public static let audioDescriptionOwner = "com.apple.streaming.audioDescription"

    /// Makes the tag of a segment of packed audio.
    ///
    /// - Parameters:
    ///   - timestamp: The presentation time of the first sample, in units of 1/90,000 second; its lowest 33 bits count.
    ///   - audioSetup: What describes the audio, when it is encrypted by SAMPLE-AES.
    public init(timestamp: UInt64, audioSetup: AudioSetupInformation? = nil) {
        let time = timestamp & 0x1_FFFF_FFFF
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
        frames = [Self.privateFrame(owner: Self.timestampOwner, bytes)]
        if let audioSetup { frames.append(Self.privateFrame(owner: Self.audioDescriptionOwner, audioSetup.bytes)) }
    }

    /// The presentation time of the segment's first sample, 33 bits in units of 1/90,000 second; nil when the tag has
    /// none.
    ///
    /// - Throws: `ParseError` `invalid-length` when it has not 8 bytes.
    public func timestamp() throws(ParseError) -> UInt64? {
        guard let content = privateContent(owner: Self.timestampOwner) else { return nil }
        guard content.count == 8 else {
            throw ParseError(
                .invalidLength,
                reading: "timestamp of packed audio",
                offset: 0,
                reason: "\(content.count) bytes, 8 are needed"
            )
        }
        return content.reduce(0) { $0 << 8 | UInt64($1) } & 0x1_FFFF_FFFF
    }

    /// What describes audio that is encrypted by SAMPLE-AES; nil when the tag has nothing of the kind.
    ///
    /// - Throws: `ParseError` when it is damaged.
    public func audioSetup() throws(ParseError) -> AudioSetupInformation? {
        guard let content = privateContent(owner: Self.audioDescriptionOwner) else { return nil }
        var reader = ByteReader(content.span.bytes)
        let setup = try AudioSetupInformation(reading: &reader)
        try reader.finish("audio setup information")
        return setup
    }
}
