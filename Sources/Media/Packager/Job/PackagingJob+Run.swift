extension PackagingJob {
    /// Packages the inputs from start to end. No file appears in the output folder until all of them are complete.
    ///
    ///     var job = PackagingJob(inputs: [.init(path: "film.mp4")], output: "site")
    ///     job.scheme = .cbcs
    ///     job.systems = [.fairPlay]
    ///     job.keys = try .random()
    ///     let report = try job.run()
    ///
    /// The call blocks its thread until packaging is finished. The caller must store ``keys`` on a key server under the
    /// same key IDs.
    ///
    /// - Parameter progress: Called after each segment.
    /// - Returns: A summary of what was written; players open ``manifestNames`` in ``output``.
    /// - Throws: ``JobFailure`` if the job's options contradict one another or the inputs; ``InputFailure`` if an input
    ///   cannot be packaged; ``OmissionFailure`` if a part of an input cannot be packaged; `SignalingError` for keys; file errors with the path and how to correct them. Every error
    ///   prints as a single line.
    @discardableResult
    public func run(progress: (PackagingProgress) -> Void = { _ in }) throws -> PackagingReport {
        try PackagingRun(PackagingPlan(self)).run(progress: progress)
    }
}
