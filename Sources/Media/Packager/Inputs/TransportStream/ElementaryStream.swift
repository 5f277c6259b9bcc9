import MediaFormats

/// Parses the PES packets of one stream into frames, and divides these into sections: one for each part of the input.
///
/// Parsing continues across parts, so that no frame is lost at a splice: the frames that have been parsed wait in a queue
/// until it is decided to which part they belong.
protocol ElementaryStream: AnyObject {
    /// The name of the stream in warnings: `PID 256 (H.264)`.
    var label: String { get }

    /// True for video, which can only be divided where decoding can start.
    var isVideo: Bool { get }

    /// The name of its configuration in messages.
    var configurationName: String { get }

    /// The reason why the stream has no section that can be described, for a warning.
    var notReadyReason: String { get }

    /// Problems that do not stop packaging, and that do not belong to a section.
    var warnings: [String] { get }

    /// The first waiting frame, as the number of program map tables that applied when it started; nil if no frame waits.
    var pendingMapCount: Int? { get }

    /// The size of the waiting frames in bytes, and their duration in units of 1/90,000 second.
    var pendingSize: (bytes: Int, duration: Int64) { get }

    /// Consumes the next PES packet.
    func consume(_ packet: TransportDemuxer.Packet) throws

    /// Consumes the end of the stream.
    func finish() throws

    /// Returns whether decoding can start at the first waiting frame.
    ///
    /// - Parameter allowsRecovery: Whether a recovery point suffices even if the stream has IDR pictures.
    func canStart(allowsRecovery: Bool) -> Bool

    /// Returns whether the first waiting frame starts another configuration than that of a section.
    func hasOtherConfiguration(than part: Int) -> Bool

    /// Returns the difference between the timestamp of the first waiting frame and the time at which a section expects
    /// it, in units of 1/90,000 second; nil if either is unknown.
    func difference(in part: Int) -> Int64?

    /// Returns whether this difference is a jump, not a gap or a small overlap.
    func isJump(in part: Int) -> Bool

    /// Returns the presentation time of the first waiting frame on the timeline of a part; nil if it is unknown.
    func presentation(in part: Int) -> Int64?

    /// Moves the first waiting frame to the section of a part, which is created if necessary.
    func accept(in part: Int, _ clock: ProgramClock)

    /// Moves frames from a section back to the queue: those presented from a time on that have not been returned. Video
    /// is divided where decoding can start.
    func takeBack(from part: Int, since time: Int64)

    /// Returns the section of a part; nil if there is none.
    func section(_ part: Int) -> (any StreamSection)?

    /// Removes the section of a part.
    func remove(_ part: Int)
}

/// The frames of a stream in one part, which become samples.
protocol StreamSection: AnyObject {
    /// The earliest presentation time so far, on the part's timeline in units of 1/90,000 second; nil if the section
    /// cannot be described yet.
    var firstPresentation: Int64? { get }

    /// The presentation time at which the frame after the last one is expected; nil before the first frame.
    var end: Int64? { get }

    /// The total size of the buffered samples in bytes.
    var bufferedBytes: Int { get }

    /// True if no sample is buffered.
    var isEmpty: Bool { get }

    /// The decode time of the last buffered sample; nil if none is buffered.
    var lastDecodeTime: Int64? { get }

    /// The presentation time of the next sample if a part could start with it.
    var nextStart: Int64? { get }

    /// Problems that do not stop packaging.
    var warnings: [String] { get }

    /// Creates the track. Must be called once, before the first sample is requested.
    ///
    /// - Parameter origin: The start of the part on its timeline.
    func makeTrack(origin: Int64, language: String) throws -> MediaTrack

    /// Returns the decode time of the next sample; nil if none is complete.
    ///
    /// - Parameter isClosed: Whether no more frames follow in the section.
    func nextDecodeTime(isClosed: Bool) -> Int64?

    /// Returns the next sample; nil if none is complete.
    func next(isClosed: Bool) -> MediaSample?
}
