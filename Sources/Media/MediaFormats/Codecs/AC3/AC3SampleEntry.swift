public import ByteCoding

extension AC3Syncframe {
    /// Returns the sample rate in hertz for an `fscod` value; 0 for 3.
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
    /// Returns the configuration of an `ac-3` entry, encrypted or not; nil for other formats.
    ///
    /// - Throws: `ParseError` if the configuration is invalid; `missing-box` if there is none.
    public func ac3Configuration() throws(ParseError) -> AC3ConfigurationBox? {
        try configuration(of: "ac-3")
    }

    /// Returns the configuration of an `ec-3` entry, encrypted or not; nil for other formats.
    ///
    /// - Throws: `ParseError` if the configuration is invalid; `missing-box` if there is none.
    public func enhancedAC3Configuration() throws(ParseError) -> EnhancedAC3ConfigurationBox? {
        try configuration(of: "ec-3")
    }

    private func configuration<Kind: Box>(of format: FourCC) throws(ParseError) -> Kind? {
        guard originalFormat == format else { return nil }
        guard let box = boxes.first(Kind.type) else {
            let reason = "the sample entry has no \(Kind.type) box"
            throw ParseError(.missingBox, reading: "\(format) sample entry", offset: 0, reason: reason)
        }
        return try box.parse(as: Kind.self)
    }

    /// Creates an `ac-3` sample entry (ETSI TS 102 366, F.3).
    public static func ac3(_ configuration: AC3ConfigurationBox) -> SampleEntry {
        let fields = AudioSampleFields(
            channelCount: UInt32(configuration.channelCount),
            sampleRate: Double(configuration.sampleRate)
        )
        return SampleEntry(format: "ac-3", fields: .audio(fields), boxes: [RawBox(configuration)])
    }

    /// Creates an `ec-3` sample entry (ETSI TS 102 366, F.5).
    ///
    /// - Parameter sampleRate: the sample rate in hertz; nil means the rate in the configuration, which cannot specify
    ///   half rates.
    public static func ec3(_ configuration: EnhancedAC3ConfigurationBox, sampleRate: UInt32? = nil) -> SampleEntry {
        let fields = AudioSampleFields(
            channelCount: UInt32(configuration.channelCount),
            sampleRate: Double(sampleRate ?? configuration.sampleRate)
        )
        return SampleEntry(format: "ec-3", fields: .audio(fields), boxes: [RawBox(configuration)])
    }
}
