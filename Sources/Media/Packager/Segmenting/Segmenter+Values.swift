/// What goes into the segmenter, and what comes out.
extension Segmenter {
    /// What a track is to the segmenter.
    public struct Track: Sendable {
        /// Whether segments must begin with a sync sample.
        public var isVideo: Bool
        /// A name for errors.
        public var name: String

        /// Describes a track.
        public init(isVideo: Bool, name: String) {
            self.isVideo = isVideo
            self.name = name
        }
    }

    /// The times of a sample, on the time line of the presentation.
    public struct Timing: Sendable {
        /// When it is decoded.
        public var decode: MediaTime
        /// When it is presented.
        public var presentation: MediaTime
        /// Whether decoding can start with it.
        public var isSync: Bool

        /// Describes a sample.
        public init(decode: MediaTime, presentation: MediaTime, isSync: Bool) {
            self.decode = decode
            self.presentation = presentation
            self.isSync = isSync
        }
    }

    /// What is to be done, in this order.
    public enum Decision: Hashable, Sendable {
        /// The track's next sample in order belongs to its open segment.
        case append(track: Int)
        /// The track's open segment ends here.
        case cut(track: Int)
    }

    /// Why segments cannot be made.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A video track has no sync sample where the leading one is cut.
        case unalignedVideo(track: String, leader: String, cut: MediaTime, next: MediaTime)
        /// The leading track does not begin with a sync sample.
        case noSyncSampleAtStart(track: String)
        /// A track runs so far ahead that more samples would have to wait than is allowed.
        case badInterleaving(track: String, leader: String, waiting: Int)

        /// What to do about it, in one sentence.
        public var description: String {
            switch self {
            case .unalignedVideo(let track, let leader, let cut, let next):
                "the key frames of \(track) and \(leader) part at \(cut.seconds) s: \(leader) has one there, the next of \(track) is at "
                    + "\(next.seconds) s; encode all renditions with the same key frame times"
            case .noSyncSampleAtStart(let track): "\(track) does not begin with a key frame"
            case .badInterleaving(let track, let leader, let waiting):
                "\(track) runs ahead of \(leader) by more than \(waiting) samples; interleave the input, or give it as a file"
            }
        }
    }
}
