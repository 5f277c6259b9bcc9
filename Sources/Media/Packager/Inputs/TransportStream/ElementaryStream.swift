import MediaFormats

/// Creates samples from the PES packets of one stream.
protocol ElementaryStream: AnyObject {
    /// The name of the stream in warnings: `PID 256 (H.264)`.
    var label: String { get }

    /// True if the stream has been identified, so that its track can be described.
    var isReady: Bool { get }

    /// The earliest presentation time so far, on the program's timeline in units of 1/90,000 second.
    var firstPresentation: Int64? { get }

    /// The reason why the stream is not ready, for a warning.
    var notReadyReason: String { get }

    /// Problems that do not stop packaging.
    var warnings: [String] { get }

    /// The number of configuration changes since the track was described.
    var changes: Int { get }

    /// The total size of the buffered samples in bytes.
    var bufferedBytes: Int { get }

    /// The decode time of the next sample, on the program's timeline; nil if no sample is complete.
    var nextDecodeTime: Int64? { get }

    /// The decode time of the last buffered sample, complete or not; nil if none is buffered.
    var lastDecodeTime: Int64? { get }

    /// Consumes the next PES packet.
    func consume(_ packet: TransportDemuxer.Packet) throws

    /// Consumes the end of the stream.
    func finish() throws

    /// Creates the track. Must be called once, when the stream is ready and before the first sample is requested.
    ///
    /// - Parameter origin: The start of the presentation on the program's timeline.
    func makeTrack(origin: Int64, language: String) throws -> MediaTrack

    /// Returns the next sample; nil if none is complete.
    func next() -> MediaSample?
}
