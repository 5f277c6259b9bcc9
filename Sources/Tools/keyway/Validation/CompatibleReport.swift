import HLSPlaylist
import MediaFormats
import StreamValidation
import TextCoding
import ToolSupport

/// A report of `keyway validate` with the members of Apple's validation_data.json of data version 1.x, as far as public readers
/// of that file use them, so that they work without a Mac. Apple does not document the file. What is not known is absent.
struct CompatibleReport {
    let report: ValidationReport
    let judgment: Judgment
    /// The URL or path that was validated.
    let name: String
    /// The version of Keyway.
    let version: String

    /// The document.
    var json: JSONValue {
        let presentation = report.presentation
        let root = presentation.multivariant?.name
        return .object([
            "dataVersion": .string("1.1"), "dataID": .integer(0),
            "validatorName": .string("keyway validate"), "validatorVersion": .string(version),
            "url": .string(Self.safe(name)),
            "playlistKind": .string(presentation.multivariant == nil ? "media" : "multivariant"),
            "mimeType": .string(presentation.http?.contentType.map { PlaylistText.printable($0) }),
            "gzipEncoded": presentation.http.map { .bool($0.contentEncoding != nil) },
            "independentSegments": presentation.playlist.map { .bool($0.isIndependentSegments) },
            "parseFailed": .bool(false),
            "messages": .array(Self.messages(judgment.findings.filter { $0.place.playlist == root })),
            "variants": .array(presentation.renditions.enumerated().map { variant($1, id: $0 + 1) }),
        ])
    }

    /// Returns the findings that count, as messages.
    private static func messages(_ findings: [JudgedFinding]) -> [JSONValue] {
        findings.filter(\.counts).map { finding in
            .object([
                "errorComment": .string(finding.rule.requirement), "errorDetail": .string(finding.sentence),
                "errorDomain": .string(finding.rule.id.rawValue),
                "errorRequirementLevel": .integer(finding.level >= .must ? 1 : 2),
            ])
        }
    }

    private func variant(_ rendition: MeasuredRendition, id: Int) -> JSONValue {
        let attributes = rendition.roles.variants.first?.variant.streamInf.attributes
        let tag = rendition.roles.renditions.first?.tag
        let rate = MeasuredBitRate(rendition)
        let loaded = rendition.segments.filter { $0.byteCount != nil }
        let own = judgment.findings.filter { $0.place.playlist == rendition.name }
        return .object([
            "url": .string(Self.safe(rendition.name)), "dataID": .integer(id), "playlistKind": .string("media"),
            "mimeType": .string(rendition.http?.contentType.map { PlaylistText.printable($0) }),
            "gzipEncoded": rendition.http.map { .bool($0.contentEncoding != nil) },
            "iframeOnly": .bool(rendition.isIFrames), "isRendition": .bool(tag != nil && attributes == nil),
            "hasEndTag": .bool(rendition.playlist.isEnded),
            "hasDiscSequenceTag": .bool(rendition.playlist.discontinuitySequence != nil),
            "independentSegments": .bool(rendition.playlist.isIndependentSegments),
            "parsedSegmentsCount": .integer(rendition.segments.count), "processedSegmentsCount": .integer(loaded.count),
            "measuredMeanBitrate": rate.map { .integer(Int(rounding: $0.average)) },
            "measuredMaxBitrate": rate.map { .integer(Int(rounding: $0.peak)) },
            "playlistMeanBitrate": attributes?.averageBandwidth.map { .integer(Int(clamping: $0)) },
            "playlistMaxBitrate": attributes.map { .integer(Int(clamping: $0.bandwidth)) },
            "playlistCodecs": attributes.map { .string($0.codecs.joined(separator: ",")) },
            "playlistResolutionWidth": attributes?.resolution.map { .integer(Int(clamping: $0.width)) },
            "playlistResolutionHeight": attributes?.resolution.map { .integer(Int(clamping: $0.height)) },
            "playlistTargetDuration": .integer(Int(clamping: rendition.playlist.targetDuration)),
            "videoRangeKey": .string(attributes?.videoRange?.rawValue),
            "playlistName": .string(tag.map { PlaylistText.printable($0.name) }),
            "playlistLanguage": .string(tag?.language.map { PlaylistText.printable($0) }),
            "playlistGroupID": .string(tag.map { PlaylistText.printable($0.groupID) }),
            "playlistChannels": .string(tag?.channels.map { PlaylistText.printable($0) }),
            "messages": .array(Self.messages(own.filter { $0.place.sequence == nil })),
            "discontinuities": .array(Self.discontinuities(rendition, own.filter { $0.place.sequence != nil })),
        ])
    }

    private static func discontinuities(
        _ rendition: MeasuredRendition,
        _ findings: [JudgedFinding]
    ) -> [JSONValue] {
        var runs: [[MeasuredSegment]] = []
        for segment in rendition.segments {
            if segment.isDiscontinuity || runs.isEmpty { runs.append([]) }
            runs[runs.count - 1].append(segment)
        }
        let findings = Dictionary(grouping: findings, by: { $0.place.sequence ?? 0 })
        return runs.map { run in
            let tracks = run.lazy.compactMap(\.measurement).first?.tracks ?? []
            return .object([
                "segments": .array(run.map { segment($0, findings[$0.sequence] ?? []) }),
                "tracks": .array(tracks.map { track($0) }),
            ])
        }
    }

    private static func segment(_ segment: MeasuredSegment, _ findings: [JudgedFinding]) -> JSONValue {
        let track = segment.measurement?.leadingTrack
        return .object([
            "mediaSequence": .integer(Int(clamping: segment.sequence)), "segmentDurationTag": .number(segment.duration),
            "startTime": .number(segment.start), "url": .string(safe(segment.uri)),
            "format": .string(segment.measurement?.container?.rawValue),
            "mimeType": .string(segment.http?.contentType.map { PlaylistText.printable($0) }),
            "segmentByteRangeOffset": segment.byteRange.map { .integer(Int(clamping: $0.lowerBound)) },
            "segmentByteRangeLength": segment.byteRange.map { .integer(Int(clamping: $0.upperBound - $0.lowerBound)) },
            "videoStartsWithIDR": track.flatMap { track in
                track.format.kind == .video && track.firstPicture != .unknown ? .bool(track.firstPicture == .idr) : nil
            },
            "videoFrameRate": track.flatMap { $0.format.kind == .video ? $0.frameRate.map { .number($0) } : nil },
            "messages": .array(messages(findings)),
        ])
    }

    private static func track(_ track: TrackMeasurement) -> JSONValue {
        .object([
            "trackId": .integer(Int(track.id)),
            "trackMediaType": .string(["video": "vide", "audio": "soun"][track.format.kind.rawValue]),
            "trackMediaSubType": .string(track.format.sampleEntry),
            "trackVideoWidth": track.format.size.map { .integer($0.width) },
            "trackVideoHeight": track.format.size.map { .integer($0.height) },
            "trackVideoIsInterlaced": track.format.kind == .video ? .bool(track.hasFields) : nil,
        ])
    }

    private static func safe(_ uri: String) -> String { PlaylistText.printable(PlaylistText.redacted(uri)) }
}
