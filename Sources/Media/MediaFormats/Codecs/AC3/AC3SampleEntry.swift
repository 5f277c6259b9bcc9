public import ByteCoding

extension AC3Syncframe {
    /// Samples a second by `fscod`; 0 for 3.
    static func sampleRate(_ frequencyCode: UInt8) -> UInt32 {
        switch frequencyCode {
        case 0: 48000
        case 1: 44100
        case 2: 32000
        default: 0
        }
    }
}

extension SampleEntry {
    /// The configuration of an `ac-3` entry, encrypted or not; nil for other formats.
    ///
    /// - Throws: `ParseError` when it is damaged; `missing-box` when there is none.
    public func ac3Configuration() throws(ParseError) -> AC3ConfigurationBox? {
        try configuration(of: "ac-3")
    }

    /// The configuration of an `ec-3` entry, encrypted or not; nil for other formats.
    ///
    /// - Throws: `ParseError` when it is damaged; `missing-box` when there is none.
    public func enhancedAC3Configuration() throws(ParseError) -> EnhancedAC3ConfigurationBox? {
        try configuration(of: "ec-3")
    }

    private func configuration<Kind: Box>(of format: FourCC) throws(ParseError) -> Kind? {
        guard originalFormat == format else { return nil }
        guard let box = boxes.first(Kind.type) else {
            let reason = "it has no \(Kind.type) box"
            throw ParseError(.missingBox, reading: "\(format) sample entry", offset: 0, reason: reason)
        }
        return try box.parse(as: Kind.self)
    }

    /// An `ac-3` entry for a stream (ETSI TS 102 366, F.3).
    public static func ac3(_ configuration: AC3ConfigurationBox) -> SampleEntry {
        let fields = AudioSampleFields(
            channelCount: UInt32(configuration.channelCount),
            sampleRate: Double(configuration.sampleRate)
        )
        return SampleEntry(format: "ac-3", fields: .audio(fields), boxes: [RawBox(configuration)])
    }

    /// An `ec-3` entry for a stream (ETSI TS 102 366, F.5).
    ///
    /// - Parameter sampleRate: Samples a second; nil: what the configuration says. That does not know half rates.
    public static func ec3(_ configuration: EnhancedAC3ConfigurationBox, sampleRate: UInt32? = nil) -> SampleEntry {
        let fields = AudioSampleFields(
            channelCount: UInt32(configuration.channelCount),
            sampleRate: Double(sampleRate ?? configuration.sampleRate)
        )
        return SampleEntry(format: "ec-3", fields: .audio(fields), boxes: [RawBox(configuration)])
    }
}
