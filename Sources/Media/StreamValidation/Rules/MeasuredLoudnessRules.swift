import HLSPlaylist

extension ValidationRule {
    /// The tolerance of a true peak in decibels: it is usually measured before the audio is encoded, which changes peaks.
    private static let peakTolerance = 2.0
    /// Half of the last digit of a meter.
    private static let resolution = 0.05

    /// The rule that compares the declared loudness with the decoded audio. A rendition that was not decoded as a whole proves
    /// no violation.
    static let measuredLoudnessRules: [ValidationRule] = [
        .rendition(
            "loudness-differs",
            .must,
            "2.23",
            .decodedMedia,
            "The declared loudness is that of the sound: within 1 LU for the program loudness in ludt (EBU R 128), within 8 LU for "
                + "dialnorm and prog_ref_level, which may be the level of the dialog only, and within 2 dB for the true peak "
                + "in ludt.",
            advice: "Measure the encoded program by ITU-R BS.1770, and write that value."
        ) { rendition, findings in
            guard let measured = rendition.loudness, let result = measured.result,
                let declared = rendition.declaredLoudness,
                let integrated = result.integrated
            else { return }
            let confidence: ValidationFinding.Confidence = measured.isWhole ? .proved : .estimate
            for value in declared.values {
                let tolerance = value.source.tolerance
                guard abs(value.loudness - integrated) > tolerance + resolution else { continue }
                findings.report(
                    .init(rendition.name),
                    "The loudness that \(value.source.rawValue) declares is not that of the decoded audio.",
                    measured: "\(decibelText(integrated)) LUFS",
                    limit: "\(decibelText(value.loudness)) ± \(Int(rounding: tolerance)) LU",
                    level: measured.isWhole ? nil : .advice,
                    confidence: confidence
                )
                return
            }
            guard let peak = result.truePeak, let stated = declared.truePeak,
                abs(peak - stated) > peakTolerance + resolution
            else { return }
            findings.report(
                .init(rendition.name),
                "The true peak that ludt declares is not that of the decoded audio.",
                measured: "\(decibelText(peak)) dBTP",
                limit: "\(decibelText(stated)) ± \(Int(rounding: peakTolerance)) dB",
                level: measured.isWhole ? .should : .advice,
                confidence: confidence
            )
        }
    ]

    /// Returns a level with one decimal digit, such as -23.0.
    package static func decibelText(_ value: Double) -> String {
        let tenths = Int(rounding: abs(value) * 10)
        return "\(value < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
    }
}

extension DeclaredLoudness.Value.Source {
    /// The difference in LU from the integrated loudness that violates nothing.
    ///
    /// EBU R 128 permits ±1 LU for a program. The other fields may contain the level of the dialog, for which ATSC A/85 permits
    /// ±2 dB. What is measured is the whole program, whose loudness differs by several LU from that of its dialog if it has loud
    /// effects or little dialog. So the tolerance is wide, and only values that were never measured exceed it.
    fileprivate var tolerance: Double {
        switch self {
        case .box: 1
        case .dialogNormalization, .programReferenceLevel: 8
        }
    }
}
