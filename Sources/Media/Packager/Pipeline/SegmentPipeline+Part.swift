extension SegmentPipeline {
    /// A part: its timeline is continuous, and the configurations of its tracks do not change.
    struct Part {
        /// The number, from 0.
        var number: Int
        /// The plan with the tracks of the part. A rendition without a track keeps its earlier one.
        var plan: PackagingPlan
        /// The renditions as in ``SegmentPipeline/renditions``, with their tracks in the part; nil for a rendition
        /// without a track.
        var renditions: [PackagingPlan.Rendition?]
        /// The index of the leading rendition, whose segment boundaries the others follow.
        var leader: Int
        /// The reason why it started, for messages: `the timestamps jump`; nil for the first part.
        var reason: String?
        /// The tracks that have no rendition, each with the reason and what to do.
        var lost: [InputFailure] = []
        /// The end of the previous part in the timeline that continues: the part was started because a segment would
        /// have become too long, and frames up to the next key frame are lost. Nil for other parts.
        var continuedFrom: RationalTime?

        /// Creates the first part.
        init(first plan: PackagingPlan) {
            number = 0
            self.plan = plan
            let sampled = plan.sampledRenditions.map { plan.renditions[$0] }
            renditions = sampled
            leader = sampled.firstIndex { $0.media.kind == .video } ?? 0
        }

        /// Creates a later part.
        init(
            number: Int,
            plan: PackagingPlan,
            renditions: [PackagingPlan.Rendition?],
            reason: String,
            lost: [InputFailure]
        ) {
            self.number = number
            self.plan = plan
            self.renditions = renditions
            let isVideo: (PackagingPlan.Rendition?) -> Bool = { $0?.media.kind == .video }
            leader = renditions.firstIndex(where: isVideo) ?? renditions.firstIndex { $0 != nil } ?? 0
            self.reason = reason
            self.lost = lost
        }
    }
}
