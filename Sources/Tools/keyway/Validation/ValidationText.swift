import HLSPlaylist
import MediaFormats
import StreamValidation
import TextCoding
import ToolSupport

/// A report of `keyway validate` as text and as JSON.
struct ValidationText {
    let report: ValidationReport
    let findings: [ReportedFinding]

    init(_ report: ValidationReport, findings: [ReportedFinding]) { (self.report, self.findings) = (report, findings) }

    // MARK: Text

    /// Returns the table of playlists, the findings grouped by rule, and the counts, without a newline at the end.
    ///
    /// - Parameter places: The maximum number of places of each rule; nil for all.
    func text(_ style: Style, places: Int?) -> String {
        var lines = Grid.lines([Self.columns] + rows) + [""]
        var position = 0
        while position < findings.count {
            let first = findings[position]
            let group = findings[position...].prefix { $0.rule == first.rule && $0.level == first.level }
            position += group.count
            lines.append(
                style.colored(first.level.rawValue, first.level) + "  \(style.bold("\(first.rule)"))  \(first.number)"
            )
            if !first.summary.isEmpty { lines.append("  \(first.summary)") }
            for finding in group.prefix(places ?? .max) { lines += Self.lines(finding) }
            let rest = group.count - min(places ?? .max, group.count)
            if rest > 0 { lines.append("  and \(rest) more; give --all to show them") }
            if let advice = first.advice { lines.append("  What to do: \(advice)") }
            lines.append("")
        }
        return (lines + [summary]).joined(separator: "\n")
    }

    private static func lines(_ finding: ReportedFinding) -> [String] {
        var text = "  \(finding.place.text): \(finding.sentence)"
        if finding.isEstimate { text += " (An estimate: not all segments were loaded.)" }
        guard finding.count > 1, let last = finding.last?.sequence else { return [text] }
        return [text, "    and \(counted(finding.count - 1, "further segment")), the last one \(last)"]
    }

    static let columns = ["playlist", "kind", "segments", "codecs", "size", "encryption", "average", "peak"]

    /// The rows of the table of playlists, in the order of ``columns``.
    var rows: [[String]] {
        report.presentation.renditions.map { rendition in
            let formats = rendition.formats
            let rate = MeasuredBitRate(rendition)
            let done = rendition.segments.count { $0.byteCount != nil }
            let total = rendition.segments.count { !$0.isGap }
            let unique = { (values: [String]) -> String in
                var known: Set<String> = []
                let list = values.filter { known.insert($0).inserted }
                return list.isEmpty ? "-" : list.joined(separator: ",")
            }
            let kind = (rendition.kind?.rawValue ?? "-") + (rendition.isIFrames ? ", I-frames" : "")
            return [
                PlaylistText.printable(PlaylistText.redacted(rendition.name)), kind, "\(done)/\(total)",
                unique(formats.map(\.codecs)), unique(formats.compactMap(\.size).map { "\($0.width)x\($0.height)" }),
                Self.encryption(rendition), rate.map { ValidationRule.rateText($0.average) } ?? "-",
                rate.map { ValidationRule.rateText($0.peak) } ?? "-",
            ]
        }
    }

    private static func encryption(_ rendition: MeasuredRendition) -> String {
        if rendition.segments.contains(where: { if case .sealed = $0.outcome { true } else { false } }) {
            return "AES-128"
        }
        let schemes = Set(rendition.formats.compactMap { $0.protection?.scheme }).sorted()
        return schemes.isEmpty ? "clear" : schemes.joined(separator: ",")
    }

    /// The counts of findings, playlists and segments on one line.
    var summary: String {
        let segments = report.presentation.renditions.flatMap(\.segments)
        let loaded = segments.count { $0.byteCount != nil }
        let total = segments.count { !$0.isGap }
        let place =
            "\(counted(report.presentation.renditions.count, "playlist")), \(loaded) of \(counted(total, "segment"))"
        guard !findings.isEmpty else { return "no findings in \(place)" }
        let counts = ValidationRule.Level.allCases.reversed().compactMap { level -> String? in
            let count = findings.count { $0.level == level }
            return count > 0 ? "\(count) \(level.rawValue)" : nil
        }
        return "\(counts.joined(separator: ", ")) in \(place)"
    }

    // MARK: JSON

    /// The version of the JSON report's schema.
    static let schemaVersion = 1

    /// The report as JSON.
    var json: JSONValue {
        .object([
            "schema": .integer(Self.schemaVersion),
            "findings": .array(findings.map(Self.json)),
            "playlists": .array(report.presentation.renditions.map(Self.json)),
            "counts": .object(
                JSONObject(
                    ValidationRule.Level.allCases.reversed().map { level in
                        JSONObject.Member(
                            key: level.rawValue,
                            value: .integer(findings.count { $0.level == level })
                        )
                    }
                )
            ),
        ])
    }

    private static func json(_ finding: ReportedFinding) -> JSONValue {
        .object([
            "rule": .string(finding.rule.rawValue), "level": .string(finding.level.rawValue),
            "number": .string(finding.number), "message": .string(PlaylistText.message(finding.message)),
            "measured": .string(finding.measured), "limit": .string(finding.limit),
            "confidence": .string(finding.isEstimate ? "estimate" : "proved"), "count": .integer(finding.count),
            "place": json(finding.place), "last": finding.last.map(json), "advice": .string(finding.advice),
        ])
    }

    private static func json(_ place: ValidationFinding.Place) -> JSONValue {
        .object([
            "playlist": .string(PlaylistText.redacted(place.playlist)), "line": .integer(place.line),
            "sequence": place.sequence.map { .integer(Int(clamping: $0)) },
            "segment": .string(place.segment.map(PlaylistText.redacted)),
            "time": place.time.map { .number($0) },
        ])
    }

    private static func json(_ rendition: MeasuredRendition) -> JSONValue {
        let rate = MeasuredBitRate(rendition)
        return .object([
            "playlist": .string(PlaylistText.redacted(rendition.name)), "kind": .string(rendition.kind?.rawValue),
            "isIFrames": .bool(rendition.isIFrames), "isLive": .bool(rendition.isLive),
            "segments": .integer(rendition.segments.count { !$0.isGap }),
            "loadedSegments": .integer(rendition.segments.count { $0.byteCount != nil }),
            "averageBitRate": rate.map { .integer(Int(rounding: $0.average)) },
            "peakBitRate": rate.map { .integer(Int(rounding: $0.peak)) },
            "formats": .array(rendition.formats.map(json)),
        ])
    }

    private static func json(_ format: TrackFormat) -> JSONValue {
        .object([
            "kind": .string(format.kind.rawValue), "container": .string(format.container.rawValue),
            "codecs": .string(format.codecs), "width": format.size.map { .integer($0.width) },
            "height": format.size.map { .integer($0.height) }, "videoRange": .string(format.dynamicRange?.rawValue),
            "sampleRate": format.sampleRate.map { .integer(Int($0)) }, "channels": .string(format.channels),
            "scheme": .string(format.protection?.scheme),
            "keyID": .string(format.protection?.keyID.map { Hexadecimal.encode($0.bytes) }),
        ])
    }
}

extension Style {
    /// Returns text in the color of a level.
    func colored(_ text: String, _ level: ValidationRule.Level) -> String {
        switch level {
        case .critical, .must: red(text)
        case .should: yellow(text)
        case .advice: dim(text)
        }
    }
}
