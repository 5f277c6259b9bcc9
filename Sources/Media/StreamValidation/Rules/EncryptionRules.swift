import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about encryption that need no key.
    static let encryptionRules: [ValidationRule] = [
        .rendition(
            "enc-not-signaled",
            .critical,
            "13.2",
            .media,
            "An EXT-X-KEY applies to every encrypted segment.",
            advice: "Write EXT-X-KEY before the first encrypted segment; METHOD=NONE may stand too early."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where !segment.keys.isEncrypted {
                guard measurement.tracks.contains(where: { $0.encryptedSampleCount > 0 }) else { continue }
                findings.report(.init(rendition, segment), "The samples are encrypted, and no EXT-X-KEY applies.")
            }
        },
        .rendition(
            "enc-signaled-clear",
            .must,
            "13.2",
            .media,
            "A segment to which an EXT-X-KEY applies is encrypted.",
            advice: "Write EXT-X-KEY:METHOD=NONE before clear segments, or encrypt them."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                guard segment.keys.keys.contains(where: { $0.method == .sampleAES || $0.method == .sampleAESCTR })
                else {
                    continue
                }
                let media = measurement.tracks.filter {
                    ($0.format.kind == .video || $0.format.kind == .audio) && $0.sampleCount > 0
                }
                guard !media.isEmpty, media.allSatisfy({ $0.encryptedSampleCount == 0 }) else { continue }
                // Two sample descriptions, one of them clear, are allowed (13.10), and players follow them.
                let isDeclared =
                    measurement.container == .mp4 && segment.initialization.contains { $0.protection != nil }
                findings.report(
                    .init(rendition, segment),
                    "An EXT-X-KEY applies, but no sample is encrypted.",
                    level: measurement.container == .transportStream ? .must : isDeclared ? .advice : .should
                )
            }
        },
        .rendition(
            "enc-scheme",
            .must,
            "13.2",
            .initialization,
            "The encryption scheme of FairPlay in MP4 is cbcs.",
            advice: "Encrypt with cbcs: Apple's devices decrypt no other scheme."
        ) { rendition, findings in
            for (segment, format) in rendition.protectedFormats
            where format.container == .mp4 && segment.keys[.fairPlay] != nil {
                guard let scheme = format.protection?.scheme, scheme != "cbcs" else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The encryption scheme is not cbcs.",
                    measured: scheme,
                    limit: "cbcs"
                )
            }
        },
        .rendition(
            "enc-pattern",
            .must,
            "13.7",
            .initialization,
            "Video is encrypted with the pattern 1:9, and audio without a pattern.",
            advice: "Set crypt_byte_block 1 and skip_byte_block 9 for video, and 0 and 0 for audio."
        ) { rendition, findings in
            for (segment, format) in rendition.protectedFormats {
                guard let protection = format.protection, protection.scheme == "cbcs" else { continue }
                let pattern = (protection.cryptByteBlock, protection.skipByteBlock)
                // 1:0 encrypts all blocks, as 0:0 does.
                let isRight =
                    format.kind == .video ? pattern == (1, 9) : protection.skipByteBlock == 0
                guard !isRight else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The encryption pattern of \(format.kind.rawValue) is wrong.",
                    measured: "\(pattern.0):\(pattern.1)",
                    limit: format.kind == .video ? "1:9" : "0:0",
                    level: format.kind == .video ? .must : .should
                )
            }
        },
        .rendition(
            "enc-iv-size",
            .must,
            "8216bis:4.4.4.4",
            .initialization,
            "Samples with FairPlay have a constant initialization vector.",
            advice: "Write a constant initialization vector of 16 bytes into tenc, and none per sample."
        ) { rendition, findings in
            for (segment, format) in rendition.protectedFormats
            where format.container == .mp4 && segment.keys[.fairPlay] != nil {
                guard let protection = format.protection, protection.scheme == "cbcs" else { continue }
                if protection.perSampleIVSize != 0 {
                    findings.report(
                        .init(rendition, segment),
                        "Each sample has an initialization vector of its own.",
                        measured: "\(protection.perSampleIVSize) bytes",
                        limit: "0 bytes"
                    )
                } else if protection.constantIVSize != 16 {
                    findings.report(
                        .init(rendition, segment),
                        "The constant initialization vector does not have 16 bytes.",
                        measured: "\(protection.constantIVSize) bytes",
                        limit: "16 bytes",
                        level: protection.constantIVSize == 8 ? .should : .must
                    )
                }
            }
        },
        .rendition(
            "enc-senc",
            .critical,
            "8216bis:3.1.2",
            .media,
            "The sizes of samples and of their encrypted parts are consistent (senc, saiz, saio).",
            advice: "Package the segment again: no player can decrypt it."
        ) { rendition, findings in
            for segment in rendition.segments {
                if case .undecryptable(let reason) = segment.outcome {
                    findings.report(.init(rendition, segment), "The encryption of samples is inconsistent: \(reason).")
                } else if segment.measurement?.structure?.hasWrongAuxiliarySizes == true {
                    // Players that read senc are not affected.
                    findings.report(
                        .init(rendition, segment),
                        "The sizes in saiz are not those of the entries in senc.",
                        level: .must
                    )
                }
            }
        },
        ValidationRule(
            "enc-kid-zero",
            .advice,
            "8216bis:4.4.4.4",
            .initialization,
            "The key ID is not all zeros.",
            advice: "Write the key ID of the content key: other DRM systems find their key by it."
        ) { presentation, findings in
            for rendition in presentation.renditions {
                for (segment, format) in rendition.protectedFormats {
                    guard format.protection?.keyID?.bytes.allSatisfy({ $0 == 0 }) == true else { continue }
                    let others = segment.keys.keys.contains { $0.keyFormat != .fairPlay && $0.keyFormat != .identity }
                    findings.report(
                        .init(rendition, segment),
                        "The key ID is all zeros\(others ? ", and other DRM systems are declared" : "").",
                        level: others ? .must : .advice
                    )
                }
            }
        },
        ValidationRule(
            "enc-kid-differs",
            .should,
            "8216bis:4.4.4.4",
            .initialization,
            "All tracks with one key URI have one key ID.",
            advice: "Give each content key a URI of its own."
        ) { presentation, findings in
            var known: [String: (id: KeyID, place: ValidationFinding.Place)] = [:]
            for rendition in presentation.renditions {
                for (segment, format) in rendition.protectedFormats {
                    guard let uri = segment.keys[.fairPlay]?.uri, let id = format.protection?.keyID else { continue }
                    guard let first = known[uri] else {
                        known[uri] = (id, .init(rendition, segment))
                        continue
                    }
                    guard first.id != id else { continue }
                    findings.report(
                        .init(rendition, segment),
                        "The key URI belongs to another key ID than at \(first.place.playlist), line \(first.place.line)."
                    )
                }
            }
        },
        .rendition(
            "enc-rotation",
            .must,
            "8216bis:4.4.4.4",
            .media,
            "Where the key changes, the key ID of the samples changes too, and the other way around.",
            advice: "Change EXT-X-KEY at the same segment as the key of the packager."
        ) { rendition, findings in
            for (before, after) in zip(rendition.measured, rendition.measured.dropFirst()) {
                guard before.segment.keys.isEncrypted, after.segment.keys.isEncrypted,
                    let first = before.measurement.keyIDs.last, let second = after.measurement.keyIDs.first
                else { continue }
                let hasNewURI = before.segment.keys[.fairPlay]?.uri != after.segment.keys[.fairPlay]?.uri
                guard hasNewURI != (first != second) else { continue }
                findings.report(
                    .init(rendition, after.segment),
                    hasNewURI
                        ? "EXT-X-KEY changes, but the samples have the same key ID."
                        : "The key ID of the samples changes, but EXT-X-KEY does not: players go on with the old key."
                )
            }
        },
        .rendition(
            "enc-codec-in-transport-stream",
            .must,
            "8216bis:4.4.4.4",
            .initialization,
            "SAMPLE-AES in transport streams is for H.264, AAC, AC-3 and E-AC-3.",
            advice: "Package HEVC as fragmented MP4 with cbcs."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.container == .transportStream {
                guard segment.keys.keys.contains(where: { $0.method == .sampleAES }),
                    measurement.tracks.contains(where: { $0.format.sampleEntry == "hvc1" })
                else { continue }
                findings.report(
                    .init(rendition, segment),
                    "HEVC in a transport stream cannot be encrypted with SAMPLE-AES."
                )
            }
        },
    ]
}

extension MeasuredRendition {
    /// The formats with protection, each with the first segment that has it.
    var protectedFormats: [(segment: MeasuredSegment, format: TrackFormat)] {
        var known: Set<TrackFormat> = []
        var result: [(segment: MeasuredSegment, format: TrackFormat)] = []
        for (segment, measurement) in measured {
            for track in measurement.tracks where track.format.protection != nil {
                if known.insert(track.format).inserted { result.append((segment, track.format)) }
            }
        }
        return result
    }
}

extension SegmentMeasurement {
    /// The key IDs of the encrypted samples of all tracks.
    fileprivate var keyIDs: [KeyID] { tracks.flatMap(\.keyIDs) }
}
