import HLSPlaylist
import TextCoding

extension ValidationRule {
    /// Rules about playlists that belong together.
    static let alignmentRules: [ValidationRule] = [
        ValidationRule(
            "starts-differ",
            .must,
            "8.7",
            .media,
            "The media of all playlists of video on demand start at one time.",
            advice: "Package audio and video together, from one source."
        ) { presentation, findings in
            let renditions = presentation.renditions.filter {
                !$0.isLive && !$0.isIFrames && ($0.kind == .video || $0.kind == .audio)
            }
            guard let first = renditions.first(where: { $0.firstStart != nil }), let origin = first.firstStart else {
                return
            }
            for rendition in renditions where rendition.name != first.name {
                guard let track = rendition.segments.first?.measurement?.leadingTrack,
                    let start = track.startSeconds(near: origin)
                else { continue }
                let difference = start - origin.seconds
                guard abs(difference) > 0.5 else { continue }
                findings.report(
                    .init(rendition.name),
                    "The media start at another time than those of the first playlist.",
                    measured: secondsText(difference),
                    limit: "± 0.500 s",
                    level: abs(difference) > Double(rendition.playlist.targetDuration) ? .must : .should
                )
            }
        },
        ValidationRule(
            "failover-differs",
            .should,
            "10.2",
            .media,
            "Variants that only differ in their URI or their pathway have the same media.",
            advice:
                "Publish the same segments on both servers: players change from one to the other in the middle. Apple's "
                + "validator only looks whether there is such a pair."
        ) { presentation, findings in
            var known: [(variant: StreamInfTag, rendition: MeasuredRendition)] = []
            for rendition in presentation.variants {
                for (variant, _) in rendition.roles.variants {
                    let attributes = variant.streamInf.withoutPathway
                    guard let other = known.first(where: { $0.variant == attributes })?.rendition else {
                        known.append((attributes, rendition))
                        continue
                    }
                    guard other.name != rendition.name, let difference = rendition.difference(to: other) else {
                        continue
                    }
                    findings.report(
                        .init(rendition.name),
                        "The variant is not the same as its failover: \(difference)."
                    )
                }
            }
        },
    ]
}

extension StreamInfTag {
    /// The attributes that two variants for failover share.
    fileprivate var withoutPathway: StreamInfTag {
        var tag = self
        tag.attributes.pathwayID = nil
        tag.attributes.stableVariantID = nil
        tag.attributes.video = nil
        (tag.audio, tag.subtitles, tag.closedCaptions) = (nil, nil, nil)
        return tag
    }
}

extension MeasuredRendition {
    /// The timestamp at which the first segment starts.
    fileprivate var firstStart: MediaTime? { segments.first?.measurement?.leadingTrack?.start }

    /// Returns a description of the difference to another playlist of the same content; nil if they are equal.
    fileprivate func difference(to other: MeasuredRendition) -> String? {
        if isLive || other.isLive { return nil }
        if segments.count != other.segments.count {
            return "it has \(counted(segments.count, "segment")), and the other one \(other.segments.count)"
        }
        for (own, second) in zip(segments, other.segments) {
            if abs(own.duration - second.duration) > 0.001 {
                return
                    "segment \(own.sequence) lasts \(ValidationRule.secondsText(own.duration)), and that of the other "
                    + "one \(ValidationRule.secondsText(second.duration))"
            }
            if let size = own.byteCount, let count = second.byteCount, size != count {
                return "segment \(own.sequence) has \(size) bytes, and that of the other one \(count)"
            }
        }
        return nil
    }
}
