import HLSPlaylist
import MediaFormats
import StreamValidation
import TextCoding
import ToolSupport

/// The report as JSON. docs/validate-report.schema.json describes it; both change together.
extension ValidationText {
    /// The version of the JSON report's schema.
    static let schemaVersion = 1

    /// The report as JSON.
    var json: JSONValue {
        let presentation = report.presentation
        return .object([
            "schema": .integer(Self.schemaVersion),
            "revision": .string(judgment.settings.revision.rawValue),
            "profile": .string(judgment.settings.profile.rawValue),
            "partial": .bool(judgment.isPartial),
            "counts": .object(Self.levels { .integer(count($0)) }),
            "verdicts": .object(
                JSONObject(
                    judgment.verdicts.map { verdict in
                        JSONObject.Member(
                            key: verdict.target.rawValue,
                            value: .object(
                                Self.levels { .integer(verdict.counts[$0, default: 0]) }
                            )
                        )
                    }
                )
            ),
            "findings": .array(judgment.findings.map(Self.json)),
            "unusedExceptions": .array(judgment.unusedExceptions.map(Self.json)),
            "notValidated": .array(judgment.skipped.map(Self.json)),
            "variants": .array(presentation.variantLoads.map(Self.json)),
            "playlists": .array(presentation.renditions.map(Self.json)),
            "keys": presentation.keys.isEmpty ? nil : .array(KeySummary.all(presentation).map(\.json)),
        ])
    }

    /// Returns an object with a member for each level, the most serious first.
    private static func levels(_ value: (ValidationRule.Level) -> JSONValue) -> JSONObject {
        JSONObject(
            ValidationRule.Level.allCases.reversed().map { JSONObject.Member(key: $0.rawValue, value: value($0)) }
        )
    }

    private static func json(_ finding: JudgedFinding) -> JSONValue {
        .object([
            "rule": .string(finding.rule.id.rawValue), "level": .string(finding.level.rawValue),
            "number": .string("\(finding.rule.number)"), "counts": .bool(finding.counts),
            "targets": .object(
                JSONObject(
                    finding.levels.sorted { $0.key < $1.key }.map {
                        JSONObject.Member(key: $0.key.rawValue, value: .string($0.value.rawValue))
                    }
                )
            ),
            "message": .string(PlaylistText.message(finding.message)),
            "measured": .string(finding.measured.map { PlaylistText.printable($0) }),
            "limit": .string(finding.limit.map { PlaylistText.printable($0) }),
            "confidence": .string(finding.confidence.rawValue), "count": .integer(finding.count),
            "place": json(finding.place), "last": finding.last.map(json),
            "placeKey": .string(finding.placeKey),
            "advice": .string(finding.advice),
            "suppression": finding.exception.map { exception in
                .object([
                    "kind": .string(exception.kind.rawValue),
                    "reason": .string(PlaylistText.printable(exception.reason)),
                    "expires": .string(exception.expires),
                ])
            },
        ])
    }

    private static func json(_ unused: UnusedException) -> JSONValue {
        let exception = unused.exception
        return .object([
            "kind": .string(exception.kind.rawValue), "rule": .string(exception.rule.rawValue),
            "place": .string(exception.place.map { PlaylistText.printable($0.text) }),
            "reason": .string(PlaylistText.printable(exception.reason)), "expires": .string(exception.expires),
            "cause": .string(unused.cause.rawValue),
        ])
    }

    private static func json(_ check: SkippedCheck) -> JSONValue {
        .object([
            "rule": .string(check.rule?.rawValue), "number": .string("\(check.number)"),
            "requirement": .string(check.summary), "reason": .string(check.reason.rawValue),
            "playlists": check.playlists.isEmpty
                ? nil : .array(check.playlists.map { .string(PlaylistText.printable(PlaylistText.redacted($0))) }),
        ])
    }

    private static func json(_ load: VariantLoad) -> JSONValue {
        let attributes = load.variant.streamInf.attributes
        return .object([
            "line": .integer(load.place.line), "bandwidth": .integer(Int(clamping: attributes.bandwidth)),
            "averageBandwidth": attributes.averageBandwidth.map { .integer(Int(clamping: $0)) },
            "measuredPeak": .integer(Int(rounding: load.rate.peak)),
            "measuredAverage": .integer(Int(rounding: load.rate.average)),
        ])
    }

    private static func json(_ place: ValidationFinding.Place) -> JSONValue {
        .object([
            "playlist": .string(PlaylistText.printable(PlaylistText.redacted(place.playlist))),
            "line": .integer(place.line),
            "sequence": place.sequence.map { .integer(Int(clamping: $0)) },
            "segment": .string(place.segment.map { PlaylistText.printable(PlaylistText.redacted($0)) }),
            "time": place.time.map { .number($0) },
        ])
    }

    private static func json(_ rendition: MeasuredRendition) -> JSONValue {
        let rate = MeasuredBitRate(rendition)
        return .object([
            "playlist": .string(PlaylistText.printable(PlaylistText.redacted(rendition.name))),
            "kind": .string(rendition.kind?.rawValue),
            "isIFrames": .bool(rendition.isIFrames), "isLive": .bool(rendition.isLive),
            "segments": .integer(rendition.segments.count { !$0.isGap }),
            "loadedSegments": .integer(rendition.segments.count { $0.byteCount != nil }),
            "averageBitRate": rate.map { .integer(Int(rounding: $0.average)) },
            "peakBitRate": rate.map { .integer(Int(rounding: $0.peak)) },
            "formats": .array(rendition.formats.map(json)),
            "loudness": LoudnessSummary(rendition)?.json,
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
