import FPSCrypto
import HLSPlaylist
import Packager
import ToolSupport

/// The settings of live streams and key rotation.
extension PackagingSettings {
    /// Returns the options of a live or event stream; nil for VOD.
    func live() throws -> LiveOptions? {
        let isLive = flags["live"] != nil
        guard isLive || flags["event"] != nil else {
            try refuse(
                ["window", "target-duration", "start-date", "low-latency", "part-duration", "utc-timing"],
                "applies only to live streams: add live or event"
            )
            return nil
        }
        guard !isLive || flags["event"] == nil else {
            throw JobFailure("live", "cannot be combined with event: choose one of the two")
        }
        var options = isLive ? LiveOptions.live : .event
        if let window {
            guard isLive else {
                throw JobFailure("window", "an event playlist keeps all segments: leave it out, or use live")
            }
            switch window.value {
            case .segments(let count): options.window = .segments(count)
            case .duration(let duration): options.window = .seconds(duration.seconds)
            }
        }
        if let targetDuration {
            let value = targetDuration.value
            guard value.hasWholeSeconds, let seconds = UInt64(exactly: value.wholeSeconds) else {
                throw JobFailure("target-duration", "expected whole seconds, such as 6s, not \(value)")
            }
            options.targetDuration = seconds
        }
        if flags["low-latency"] != nil {
            options.partDuration =
                try partDuration.map { try Self.time($0, "part-duration") }
                ?? LiveOptions.defaultPartDuration
        } else {
            try refuse(["part-duration"], "applies only to Low-Latency HLS: add low-latency")
        }
        options.timeServer = utcTiming?.value
        options.startDate = startDate.map { date in
            PlaylistDate(
                seconds: date.value.seconds,
                nanoseconds: date.value.nanoseconds,
                utcOffset: Int16(clamping: date.value.utcOffset)
            )
        }
        return options
    }

    /// Returns the key rotation; nil if keys do not change.
    func keyRotation() throws -> KeyRotation? {
        guard let setting = rotation else {
            try refuse(["key-lead", "key-timeout"], "applies only to key rotation: add rotate-keys")
            return nil
        }
        var rotation = KeyRotation(try Self.periodLength(setting.value))
        rotation.lead = keyLead?.value.seconds
        if let keyTimeout { rotation.timeout = keyTimeout.value.seconds }
        return rotation
    }

    private static func periodLength(_ length: LengthArgument) throws(JobFailure) -> KeyRotation.Length {
        let range = 1...KeyRotation.maximumSeconds
        switch length {
        case .segments(let count) where range.contains(count): return .segments(count)
        case .duration(let duration)
        where duration.hasWholeSeconds && range.contains(Int(clamping: duration.wholeSeconds)):
            return .seconds(Int(clamping: duration.wholeSeconds))
        default:
            let maximum = DurationArgument.seconds(Int64(range.upperBound))
            throw JobFailure(
                "rotate-keys",
                "expected 1 to \(range.upperBound) segments, or whole seconds from 1s to \(maximum)"
            )
        }
    }

    /// Rejects settings without the one that they depend on.
    private func refuse(_ names: [String], _ reason: String) throws(JobFailure) {
        for name in names where PackagingSetting.named(name)?.location(self) != nil {
            throw JobFailure(name, "\(reason), or leave it out")
        }
    }

    /// The name of the option that provides the keys of key periods.
    var keyFile: String? { periodKeys != nil ? "period-keys" : derivedKeys != nil ? "derive-keys" : nil }

    /// True if keys are provided during packaging, and not with the job.
    var fetchesKeys: Bool {
        let hasEnd = flags["live"] == nil && flags["event"] == nil
        return keyFile != nil || rotation != nil || exchange != nil && !hasEnd
    }

    /// Requires exactly one source of the keys of key periods, and returns an empty set of keys.
    func checkFetched(_ job: PackagingJob) throws -> ContentKeys {
        guard sharedKey == nil, classKeys.isEmpty else {
            throw JobFailure("keys", "cannot be combined with key rotation: give period-keys or dev instead")
        }
        guard !isDev || keyFile == nil else {
            throw JobFailure("dev", "generates keys, but keys are given: leave out one of the two")
        }
        guard isDev || keyFile != nil || exchange != nil else {
            throw JobFailure("rotate-keys", "there is no source of keys: give period-keys, derive-keys, speke, or dev")
        }
        guard periodKeys == nil || derivedKeys == nil else {
            throw JobFailure("derive-keys", "cannot be combined with period-keys: leave out one of the two")
        }
        guard job.scheme != nil else {
            throw JobFailure("scheme", "must not be none if keys are given: give a scheme, or leave out the keys")
        }
        return ContentKeys()
    }

    /// Returns the source of key periods that the options specify; nil if a server provides the keys.
    func givenPeriods() throws -> (any ContentKeyPeriods)? {
        if let periodKeys {
            let path = periodKeys.value.path
            return try located(periodKeys.location) {
                try KeyPeriodFile(SecretBytes(copying: try InputFile.readSecret(path)), name: path)
            }
        }
        return try derivedKeys.map { setting in
            try located(setting.location) {
                try DerivedKeyPeriods(secret: try setting.value.secret(16, option: "--derive-keys"))
            }
        }
    }
}
