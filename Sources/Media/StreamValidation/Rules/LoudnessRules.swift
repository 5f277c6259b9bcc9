import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about the loudness that audio declares. Each rendition violates at most one of them: if the metadata are missing in
    /// every form, that is one fault.
    static let loudnessRules: [ValidationRule] = [
        .loudness(
            .missing,
            "loudness-missing",
            .should,
            "2.18",
            .decryptedMedia,
            "Audio has metadata about its loudness: a ludt box, dialnorm in AC-3 and E-AC-3, or prog_ref_level or loudnessInfo() "
                + "in AAC.",
            advice: "Measure the loudness of the program, and let the encoder or the packager write it.",
            "Neither the container nor the audio frames declare a loudness: programs are played at different volumes."
        ),
        .loudness(
            .boxMissing,
            "loudness-box-missing",
            .should,
            "2.19",
            .initialization,
            "Audio in fragmented MP4, except APAC, has a ludt box.",
            advice: "Write a ludt box with the measured loudness into the user data (udta) of the track.",
            "The audio track in fragmented MP4 has no ludt box."
        ),
        .loudness(
            .boxInAPAC,
            "loudness-box-in-apac",
            .must,
            "2.19",
            .initialization,
            "APAC in fragmented MP4 has no ludt box.",
            advice: "Remove the ludt box: the loudness of APAC is in its stream.",
            "The track with APAC has a ludt box."
        ),
        .loudness(
            .dialogNormalizationMissing,
            "dialnorm-missing",
            .should,
            "2.20",
            .decryptedMedia,
            "AC-3 and E-AC-3 have a dialog normalization value (dialnorm) other than 0, which is reserved.",
            advice: "Measure the level of the dialog, and let the encoder write it.",
            "The dialnorm of the frames is 0, although the track has a ludt box."
        ),
        .loudness(
            .aacLevelMissing,
            "aac-loudness-missing",
            .should,
            "2.21",
            .decryptedMedia,
            "Mono and stereo AAC have prog_ref_level or loudnessInfo() in the stream.",
            advice: "Let the encoder write the program reference level.",
            "The AAC frames declare no loudness, although the track has a ludt box."
        ),
    ]

    private static func loudness(
        _ fault: LoudnessFault,
        _ id: RuleID,
        _ level: Level,
        _ number: String,
        _ need: Need,
        _ summary: String,
        advice: String,
        _ message: String
    ) -> ValidationRule {
        .rendition(id, level, number, need, summary, advice: advice) { rendition, findings in
            guard let declared = rendition.declaredLoudness, LoudnessFault(declared) == fault else { return }
            findings.report(.init(rendition.name), message, measured: declared.format.codecs)
        }
    }
}

/// The fault in how audio declares its loudness. There is at most one, so that one cause is one finding.
enum LoudnessFault: Hashable {
    /// No form of metadata exists.
    case missing
    /// There is no box, and the stream has metadata, or what it has cannot be seen.
    case boxMissing
    /// There is a box that must not be there.
    case boxInAPAC
    /// AC-3 has a box, but no `dialnorm`.
    case dialogNormalizationMissing
    /// AAC has a box, but no metadata in the stream.
    case aacLevelMissing

    /// Returns the fault; nil if the metadata are present or cannot be seen.
    init?(_ declared: DeclaredLoudness) {
        let codec = Codec(declared.format.codecs)
        let isMovie = declared.format.container == .mp4
        guard codec.family != .apac else {
            guard isMovie, declared.box != nil else { return nil }
            self = .boxInAPAC
            return
        }
        switch (isMovie, declared.box != nil, declared.stream.presence) {
        case (_, false, .absent): self = .missing
        case (true, false, _): self = .boxMissing
        case (true, true, .absent): self = codec.family == .aac ? .aacLevelMissing : .dialogNormalizationMissing
        default: return nil
        }
    }
}
