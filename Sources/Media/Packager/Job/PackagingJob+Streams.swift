import DRMSignaling

extension PackagingJob {
    /// Holds that keys can change as the job wants it.
    ///
    /// - Throws: ``JobFailure``.
    func checkRotation(_ scheme: TrackProtection.Scheme) throws(JobFailure) {
        guard let rotation else { return }
        guard !isSingleFile else {
            throw JobFailure(
                "rotate-keys",
                "a single file has one init segment, which names one key: leave single-file out, or the rotation"
            )
        }
        let fixed = keyURI.map { $0.placeholders.isDisjoint(with: [.kid, .period]) } ?? false
        if fixed, systems.contains(.fairPlay) || systems.contains(.identity) {
            throw JobFailure(
                "key-uri",
                "the keys of all periods would have one URI, and clients would never ask again: put {kid} or {period} into it"
            )
        }
        guard (1...Double(KeyRotation.greatest)).contains(rotation.patience) else {
            throw JobFailure("key-patience", "it is a number of seconds from 1 to \(KeyRotation.greatest)")
        }
        guard let lead = rotation.lead else { return }
        guard live != nil else {
            throw JobFailure("key-lead", "films name all their keys at once: leave it out, or use live or event")
        }
        guard (0...Double(KeyRotation.greatest)).contains(lead) else {
            throw JobFailure("key-lead", "it is a number of seconds from 0 to \(KeyRotation.greatest)")
        }
    }

    /// Holds that a presentation without an end can be kept as the job wants it.
    ///
    /// - Throws: ``JobFailure``.
    func checkLive() throws(JobFailure) {
        guard let live else { return }
        let option = live.isEvent ? "event" : "live"
        guard !isSingleFile else {
            throw JobFailure(
                "single-file",
                "a file that grows for ever cannot be deleted piece by piece: leave it or \(option) out"
            )
        }
        if case .segments(let count) = live.window, !(3...LiveOptions.mostSegments).contains(count) {
            throw JobFailure("window", "it has 3 to \(LiveOptions.mostSegments) segments")
        }
        if case .seconds(let seconds) = live.window, !(1...LiveOptions.greatestWindow).contains(seconds) {
            throw JobFailure("window", "it has 1 to \(Int(LiveOptions.greatestWindow)) seconds")
        }
        if let target = live.targetDuration, Double(target) < segmentDuration.seconds.rounded() || target > 120 {
            throw JobFailure("target-duration", "it is not below the segments' own, and at most 120 seconds")
        }
    }
}
