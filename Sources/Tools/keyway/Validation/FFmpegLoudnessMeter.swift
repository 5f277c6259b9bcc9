import StreamValidation

/// An ffmpeg process that decodes audio and measures it with its filter `ebur128`. It gets the stream in parts on its standard
/// input.
struct FFmpegLoudnessMeter: LoudnessMeter {
    /// The time after which a process that does not process a part is ended, in seconds.
    private static let timeout = 60

    /// The path of the executable; nil if it is not installed.
    let path: String?

    func measure(
        _ format: LoudnessStreamFormat,
        nextPart: @Sendable () async -> [UInt8]?
    ) async -> LoudnessMeterResult? {
        guard let path,
            let process = FFmpegProcess(
                path: path,
                arguments: Self.arguments(format),
                timeout: Self.timeout,
                errors: .end
            )
        else { return nil }
        while let part = await nextPart() {
            guard await process.write(part) else { break }
        }
        return await process.finish().flatMap { Self.result(errors: $0.errors) }
    }

    /// Returns the arguments. Dynamic range compression is off, and the level of the dialog is not applied: the sound is measured
    /// as it was encoded.
    static func arguments(_ format: LoudnessStreamFormat) -> [String] {
        let demuxer =
            switch format {
            case .mp4: "mp4"
            case .transportStream: "mpegts"
            case .aac, .ac3, .eac3: format.rawValue
            }
        return [
            "-hide_banner", "-nostats", "-loglevel", "info", "-threads", "1", "-drc_scale", "0", "-f", demuxer,
            "-protocol_whitelist", "pipe", "-i", "pipe:0", "-map", "0:a:0", "-vn", "-sn", "-dn", "-af",
            "ebur128=peak=true:framelog=verbose", "-f", "null", "-",
        ]
    }

    /// Reads the summary of the filter; nil without one.
    ///
    ///     [Parsed_ebur128_0 @ 0x5571] Summary:
    ///
    ///       Integrated loudness:
    ///         I:         -23.0 LUFS
    ///         Threshold: -33.1 LUFS
    ///       ...
    ///       True peak:
    ///         Peak:       -1.2 dBFS
    static func result(errors: String) -> LoudnessMeterResult? {
        let lines = errors.split(whereSeparator: \.isNewline)
        guard let start = lines.lastIndex(where: { $0.hasPrefix("[Parsed_ebur128_") && $0.hasSuffix("Summary:") })
        else {
            return nil
        }
        func value(_ name: String, _ unit: String) -> Double? {
            for line in lines[start...] {
                let words = line.split(separator: " ")
                guard words.count == 3, words[0] == name, words[2] == unit else { continue }
                return Double(words[1]).flatMap { $0.isFinite ? $0 : nil }
            }
            return nil
        }
        guard let integrated = value("I:", "LUFS") else { return nil }
        // The filter starts with -70, the threshold below which blocks do not count.
        return LoudnessMeterResult(integrated: integrated > -70 ? integrated : nil, truePeak: value("Peak:", "dBFS"))
    }
}
