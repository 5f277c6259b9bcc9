import StreamValidation
import TextCoding
import ToolSupport

/// The declared and the measured loudness of a playlist, as reports show it.
struct LoudnessSummary {
    private let name: String
    private let declared: DeclaredLoudness?
    private let measured: MeasuredLoudness?

    /// Creates the summary of a playlist; nil if no loudness is declared, and none was to be measured.
    init?(_ rendition: MeasuredRendition) {
        declared = rendition.declaredLoudness
        measured = rendition.loudness
        name = PlaylistText.printable(PlaylistText.redacted(rendition.name))
        guard measured != nil || declared?.values.isEmpty == false || declared?.stream.hasInformation == true else {
            return nil
        }
    }

    /// Returns the summaries of a presentation.
    static func all(_ presentation: MeasuredPresentation) -> [LoudnessSummary] {
        presentation.renditions.compactMap { LoudnessSummary($0) }
    }

    /// The columns of ``cells``.
    static let columns = ["Playlist", "Declared loudness", "Declared peak", "Measured loudness", "Measured peak"]

    /// The values of a row in a table.
    var cells: [String] {
        var values = (declared?.values ?? []).map {
            "\(ValidationRule.decibelText($0.loudness)) (\($0.source.rawValue))"
        }
        if declared?.stream.hasInformation == true { values.append("loudnessInfo()") }
        let result = measured?.result
        let estimate = measured?.isWhole == false ? " (estimate)" : ""
        return [
            name, values.isEmpty ? "-" : values.joined(separator: ", "),
            declared?.truePeak.map { "\(ValidationRule.decibelText($0)) dBTP" } ?? "-",
            result?.integrated.map { "\(ValidationRule.decibelText($0)) LUFS\(estimate)" }
                ?? measured?.failure.map { "not measured: \($0)" } ?? "-",
            result?.truePeak.map { "\(ValidationRule.decibelText($0)) dBTP" } ?? "-",
        ]
    }

    /// The members of the JSON report.
    var json: JSONValue {
        let result = measured?.result
        return .object([
            "declared": .array(
                (declared?.values ?? []).map {
                    .object(["source": .string($0.source.rawValue), "loudness": .number($0.loudness)])
                }
            ),
            "declaredTruePeak": declared?.truePeak.map { .number($0) },
            "integrated": result?.integrated.map { .number($0) }, "truePeak": result?.truePeak.map { .number($0) },
            "isEstimate": result?.integrated == nil ? nil : .bool(measured?.isWhole == false),
            "notMeasured": .string(measured?.failure),
        ])
    }
}
