extension PackagingJob {
    /// Packages the inputs from their beginnings to their ends. The output folder shows nothing until all of it is there.
    ///
    ///     var job = PackagingJob(inputs: [.init(path: "film.mp4")], output: "site")
    ///     job.scheme = .cbcs
    ///     job.systems = [.fairPlay]
    ///     job.keys = try .random()
    ///     let report = try job.run()
    ///
    /// It blocks its thread until it is done. The keys of ``keys`` have to be given to a key server by the caller, with
    /// the key IDs as they are there.
    ///
    /// - Parameter progress: Called after each segment.
    /// - Returns: What was written; players open ``manifestNames`` in ``output``.
    /// - Throws: ``JobFailure`` when the job contradicts itself or its inputs, ``InputFailure`` when an input cannot be
    ///   packaged, `SignalingError` about keys; errors of files say the path and what to do. All print in one line.
    @discardableResult
    public func run(progress: (PackagingProgress) -> Void = { _ in }) throws -> PackagingReport {
        try PackagingRun(PackagingPlan(self)).run(progress: progress)
    }
}
