/// The input and output of the segmenter.
extension Segmenter {
    /// A track of the segmenter.
    public struct Track: Sendable {
        /// True if the track is video: its segments start with sync samples, at exactly the cuts of the leading track.
        public var isVideo: Bool
        /// True if segments must start with a sync sample: video, and audio whose frames depend on others.
        public var startsWithSync: Bool
        /// The name for errors.
        public var name: String

        /// Creates a track.
        public init(isVideo: Bool, startsWithSync: Bool = false, name: String) {
            self.isVideo = isVideo
            self.startsWithSync = isVideo || startsWithSync
            self.name = name
        }
    }

    /// The times of a sample on the presentation timeline.
    public struct Timing: Sendable {
        /// The decode time.
        public var decode: RationalTime
        /// The presentation time.
        public var presentation: RationalTime
        /// True if decoding can start with it.
        public var isSync: Bool
        /// The sample, which the segmenter keeps while it waits; nil if only the times matter.
        package var sample: MediaSample?

        /// Creates the times of a sample.
        public init(decode: RationalTime, presentation: RationalTime, isSync: Bool) {
            self.decode = decode
            self.presentation = presentation
            self.isSync = isSync
        }
    }

    /// An action to perform; actions are performed in order.
    public enum Decision: Sendable {
        /// Append the track's next sample to its current segment.
        case append(track: Int, Timing)
        /// End the track's current segment. The time is the presentation time of the track's next sample; nil at the end of
        /// the track.
        case cut(track: Int, next: RationalTime?)
    }

    /// An error that prevents segmenting.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A video track has no sync sample at a cut of the leading track.
        case unalignedVideo(track: String, leader: String, cut: RationalTime, next: RationalTime)
        /// The leading track does not start with a sync sample.
        case noSyncSampleAtStart(track: String)
        /// A track is so far ahead that the maximum number of waiting samples is exceeded.
        case badInterleaving(track: String, leader: String, waiting: Int)

        /// The error and how to correct it, in one sentence.
        public var description: String {
            switch self {
            case .unalignedVideo(let track, let leader, let cut, let next):
                "the key frames of \(track) and \(leader) are not aligned at \(cut.seconds) s: \(leader) has a key "
                    + "frame there, but the next one of \(track) is at \(next.seconds) s; encode all renditions with "
                    + "the same key frame times"
            case .noSyncSampleAtStart(let track): "\(track) does not start with a key frame"
            case .badInterleaving(let track, let leader, let waiting):
                "\(track) is ahead of \(leader) by more than \(waiting) samples; interleave the input, or use a file "
                    + "instead of a pipe"
            }
        }
    }
}
