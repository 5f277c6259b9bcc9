import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about the clock references (PCR) of transport streams. Apple's players do not depend on them, but other receivers of
    /// the same segments do.
    static let transportRules: [ValidationRule] = [
        .rendition(
            "clock-reference-missing",
            .should,
            "8216bis:3.1.1",
            .media,
            "A transport stream has clock references (PCR), at most 100 ms apart.",
            advice: "Let the packager write a PCR with each picture (ISO/IEC 13818-1, 2.7.2)."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                guard let clock = measurement.clock, measurement.tracks.contains(where: { $0.sampleCount > 0 }) else {
                    continue
                }
                if clock.count == 0 {
                    findings.report(.init(rendition, segment), "The segment has no clock reference.")
                } else if clock.longestInterval > 0.25 {
                    // Encoders write one with each frame, and frames of audio or of slow video are farther apart than 100 ms.
                    findings.report(
                        .init(rendition, segment),
                        "Clock references are too far apart.",
                        measured: secondsText(clock.longestInterval),
                        limit: "0.1 s",
                        level: .advice
                    )
                }
            }
        },
        .rendition(
            "clock-reference-late",
            .should,
            "8216bis:3.1.1",
            .media,
            "The data of a transport stream arrive before they must be decoded, by the clock references (PCR).",
            advice:
                "Let the packager subtract the delay of the decoder's buffer from the decode times, or mux audio and video "
                + "closer together."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                // The packets of an audio frame or a picture come one after the other.
                guard let clock = measurement.clock, clock.latestArrival > 0.1 else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The clock is ahead of a timestamp: receivers that follow it drop the data.",
                    measured: secondsText(clock.latestArrival),
                    limit: "0 s"
                )
            }
        },
    ]
}
