import MediaFormats

/// Makes samples of the PES packets of one stream.
protocol ElementaryStream: AnyObject {
    /// What it is called in warnings: `PID 256 (H.264)`.
    var label: String { get }

    /// Whether it has shown what it is: its track can be described.
    var isReady: Bool { get }

    /// The earliest presentation time that was seen, on the program's time line in units of 1/90,000 second.
    var firstPresentation: Int64? { get }

    /// Why it is not ready, in words for a warning.
    var absence: String { get }

    /// What was found on the way that does not stop the work.
    var warnings: [String] { get }

    /// How often its parameters have changed since its track was described.
    var changes: Int { get }

    /// How many bytes of samples wait.
    var heldBytes: Int { get }

    /// When the next sample is decoded, on the program's time line; nil when none is complete.
    var nextDecodeTime: Int64? { get }

    /// When the last sample that came is decoded, whether it is complete or not; nil when none waits.
    var lastDecodeTime: Int64? { get }

    /// Takes the next PES packet.
    func take(_ packet: TransportDemuxer.Packet) throws

    /// Takes the end of the stream.
    func finish() throws

    /// Describes the track. To be asked once, when it is ready; samples come afterwards.
    ///
    /// - Parameter origin: Where the presentation begins on the program's time line.
    func makeTrack(origin: Int64, language: String) throws -> MediaTrack

    /// The next sample; nil when none is complete.
    func next() -> MediaSample?
}
