import DRMSignaling

extension PackagingJob {
    /// Checks the options of key rotation.
    ///
    /// - Throws: ``JobFailure``.
    func checkRotation(_ scheme: TrackProtection.Scheme) throws(JobFailure) {
        guard let rotation else { return }
        guard !isSingleFile else {
            throw JobFailure(
                "rotate-keys",
                "a single file has one init segment, which specifies one key: remove single-file or rotate-keys"
            )
        }
        let fixed = keyURI.map { $0.placeholders.isDisjoint(with: [.kid, .period]) } ?? false
        if fixed, systems.contains(.fairPlay) || systems.contains(.identity) {
            throw JobFailure(
                "key-uri",
                "the keys of all periods have the same URI, so clients would not request new keys: add {kid} or "
                    + "{period}"
            )
        }
        guard (1...Double(KeyRotation.maximumSeconds)).contains(rotation.timeout) else {
            throw JobFailure("key-timeout", "must be from 1 to \(KeyRotation.maximumSeconds) seconds")
        }
        guard let lead = rotation.lead else { return }
        guard live != nil else {
            throw JobFailure(
                "key-lead",
                "a VOD presentation lists all of its keys at once: remove this option, or use live or event"
            )
        }
        guard (0...Double(KeyRotation.maximumSeconds)).contains(lead) else {
            throw JobFailure("key-lead", "must be from 0 to \(KeyRotation.maximumSeconds) seconds")
        }
    }

    /// Checks the options of a live presentation.
    ///
    /// - Throws: ``JobFailure``.
    func checkLive() throws(JobFailure) {
        guard let live else { return }
        let option = live.isEvent ? "event" : "live"
        guard !isSingleFile else {
            throw JobFailure(
                "single-file",
                "expired segments cannot be deleted from a single file: remove single-file or \(option)"
            )
        }
        if case .segments(let count) = live.window, !(3...LiveOptions.maximumSegments).contains(count) {
            throw JobFailure("window", "must be 3 to \(LiveOptions.maximumSegments) segments")
        }
        if case .seconds(let seconds) = live.window, !(1...LiveOptions.maximumWindow).contains(seconds) {
            throw JobFailure("window", "must be 1 to \(Int(LiveOptions.maximumWindow)) seconds")
        }
        if let target = live.targetDuration, Double(target) < segmentDuration.seconds.rounded() || target > 120 {
            throw JobFailure("target-duration", "must be at least the segment duration and at most 120 seconds")
        }
        guard live.timeServer == nil || manifests.contains(.dash) else {
            throw JobFailure("utc-timing", "applies only to DASH manifests: add dash to manifests, or leave it out")
        }
        try checkParts(live)
    }

    private func checkParts(_ live: LiveOptions) throws(JobFailure) {
        guard let duration = live.partDuration?.seconds else { return }
        guard LiveOptions.partDurations.contains(duration), duration <= segmentDuration.seconds else {
            throw JobFailure("part-duration", "must be from 0.1 to 2 seconds, and at most the segment duration")
        }
        guard container == .fmp4 else {
            throw JobFailure("low-latency", "parts are chunks of fragmented MP4: use the container fmp4")
        }
        guard scheme != .aes128 else {
            throw JobFailure(
                "low-latency",
                "aes-128 encrypts segments as a whole, so their parts cannot be published: use the scheme cbcs"
            )
        }
        guard manifests.contains(.hls) else {
            throw JobFailure("low-latency", "parts are listed in HLS playlists: add hls to the manifests")
        }
    }
}
