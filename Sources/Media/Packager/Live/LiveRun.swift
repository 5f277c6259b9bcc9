import FileWriting

/// Packages what has no end: inputs that may break and come again, keys that change, playlists that go on, also after a run
/// that was killed. All decisions about playlists and files are ``LivePresentation``'s; here is what reads, writes and waits.
package enum LiveRun {
    /// What happens on the way.
    package enum Event: Sendable {
        /// A segment is written, and its playlist names it: its rendition's folder, its media sequence number.
        case segment(folder: String, sequence: UInt64)
        /// A key period begins.
        case period(Int)
        /// The inputs do not go on from what was before, and are taken up again.
        case discontinuity
        /// Something was found that does not stop the work.
        case warning(String)
    }

    /// What a run has done.
    package struct Report: Sendable {
        /// How many segments of all renditions were written.
        package var segments = 0
        /// How many bytes of media were written.
        package var byteCount = 0
        /// How many key periods were used.
        package var periods = 0
        /// How often the inputs did not go on.
        package var discontinuities = 0
    }

    /// Packages until the inputs end, or a signal says so; then playlists say that they have ended.
    ///
    /// - Parameters:
    ///   - job: What is to be done; ``PackagingJob/live`` says how.
    ///   - keys: Where keys come from; nil: the job has them.
    ///   - stop: Ends the run in order.
    ///   - clock: What time it is.
    ///   - report: Told what happens.
    /// - Throws: ``JobFailure``, ``InputFailure``, ``KeyPeriodFailure``, ``FileFailure``, `SignalingError`. What was
    ///   written stays, and another run can go on from there.
    package static func run(
        _ job: PackagingJob,
        keys: (any ContentKeyPeriods)? = nil,
        stop: StopSignal,
        clock: LiveClock = .system,
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws -> Report {
        try job.validate()
        guard let live = job.live else { throw JobFailure("live", "the job has an end") }
        let now = live.startDate.map { LiveClock.media($0) } ?? clock
        let run = { @Sendable () async throws -> Report in
            let session = try LiveSession(job, live, keys, stop: stop, clock: now, report)
            return try await session.run()
        }
        // Older systems cannot keep a task on a thread: there it waits for input on one of those that all tasks share.
        guard #available(iOS 18, macOS 15, tvOS 18, visionOS 2, *) else { return try await run() }
        return try await DedicatedThread.run("live packaging", run)
    }
}
