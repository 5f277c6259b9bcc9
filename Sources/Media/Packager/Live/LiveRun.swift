import FileWriting

/// Packages a live presentation: inputs that may disconnect and reconnect, keys that rotate, and playlists that
/// continue even after a run was killed. ``LivePresentation`` decides about playlists and files; this code reads,
/// writes and waits.
package enum LiveRun {
    /// An event of a run.
    package enum Event: Sendable {
        /// A segment was written and listed in its playlist: the rendition's folder, the media sequence number.
        case segment(folder: String, sequence: UInt64)
        /// A part of a segment that is not complete was written and listed: the rendition's folder, the media sequence
        /// number, the index of the part.
        case part(folder: String, sequence: UInt64, index: Int)
        /// A key period started; its number.
        case period(Int)
        /// The inputs have a discontinuity.
        case discontinuity
        /// A problem that does not stop packaging.
        case warning(String)
    }

    /// A summary of a run.
    package struct Report: Sendable {
        /// The number of segments written, of all renditions.
        package var segments = 0
        /// The number of bytes of media written.
        package var byteCount = 0
        /// The number of key periods used.
        package var periods = 0
        /// The number of discontinuities of the inputs.
        package var discontinuities = 0
        /// The number of tracks that appeared at a discontinuity and have no rendition; they are lost.
        package var lostTracks = 0
        /// The number of segments of the leading rendition that were skipped because they exceed the Target Duration.
        package var lostSegments = 0
        /// The number of packets of inputs from the network that were lost.
        package var lostPackets = 0
        /// The number of transport stream packets from the network that are damaged or missing.
        package var damagedPackets = 0
    }

    /// Packages until the inputs end or a stop is requested; then marks the playlists as complete.
    ///
    /// - Parameters:
    ///   - job: The job, with its live options in ``PackagingJob/live``.
    ///   - keys: The source of key periods; nil to use the keys of the job.
    ///   - stop: A signal that stops the run gracefully.
    ///   - clock: The clock.
    ///   - publisher: Maintains a copy of the files; nil for none.
    ///   - report: Called with each event.
    /// - Throws: ``JobFailure``, ``InputFailure``, ``KeyPeriodFailure``, ``FileError``, `SignalingError`. The files
    ///   written so far are kept, and another run can continue from there.
    package static func run(
        _ job: PackagingJob,
        keys: (any ContentKeyPeriods)? = nil,
        stop: StopSignal,
        clock: LiveClock = .system,
        publisher: (any LivePublisher)? = nil,
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws -> Report {
        try job.validate()
        guard let live = job.live else {
            throw JobFailure("live", "the job is not a live presentation: use live or event")
        }
        let now = live.startDate.map { LiveClock.media($0) } ?? clock
        let run = { @Sendable () async throws -> Report in
            let session = try LiveSession(job, live, keys, stop: stop, clock: now, publisher: publisher, report)
            return try await session.run()
        }
        // Older systems have no task executors, so the task waits for input on the cooperative thread pool.
        guard #available(iOS 18, macOS 15, tvOS 18, visionOS 2, *) else { return try await run() }
        return try await DedicatedThread.run("live packaging", run)
    }
}
