import FPSCrypto
import HLSPlaylist
import Packager
import ToolSupport

/// The parsing of settings for live streams and key rotation.
extension PackagingSettings {
    /// Returns the options of a live or event stream; nil for VOD.
    func live() throws -> LiveOptions? {
        let isLive = flags["live"] != nil
        guard isLive || flags["event"] != nil else {
            for option in ["window", "target-duration", "start-date"] where values[option] != nil {
                throw JobFailure(option, "applies only to live streams: add live or event, or leave it out")
            }
            return nil
        }
        guard !isLive || flags["event"] == nil else {
            throw JobFailure("live", "cannot be combined with event: choose one of the two")
        }
        var options = isLive ? LiveOptions.live : .event
        if let setting = values["window"] {
            guard isLive else {
                throw JobFailure("window", "an event playlist keeps all segments: leave it out, or use live")
            }
            options.window = try .init(parsing: setting.text)
        }
        if let setting = values["target-duration"] {
            guard let seconds = UInt64(setting.text) else {
                throw JobFailure("target-duration", "“\(setting.text)” is not a whole number of seconds")
            }
            options.targetDuration = seconds
        }
        if let setting = values["start-date"] {
            guard let date = PlaylistDate(setting.text) else {
                throw JobFailure(
                    "start-date",
                    "“\(setting.text)” is not a date: expected one such as 2026-05-01T20:15:00Z"
                )
            }
            options.startDate = date
        }
        return options
    }

    /// Returns the key rotation; nil if keys do not change.
    func rotation() throws -> KeyRotation? {
        guard let setting = values["rotate-keys"] else {
            for option in ["key-lead", "key-timeout"] where values[option] != nil {
                throw JobFailure(option, "applies only to key rotation: add rotate-keys, or leave it out")
            }
            return nil
        }
        var rotation = try KeyRotation(parsing: setting.text)
        rotation.lead = try seconds("key-lead")?.seconds
        if let timeout = try seconds("key-timeout") { rotation.timeout = timeout.seconds }
        return rotation
    }

    /// The name of the option that provides the keys of key periods.
    var keyFile: String? { ["period-keys", "derive-keys"].first { values[$0] != nil } }

    /// True if keys are provided during packaging, and not with the job.
    var fetchesKeys: Bool {
        let hasEnd = flags["live"] == nil && flags["event"] == nil
        return keyFile != nil || values["rotate-keys"] != nil || exchange != nil && !hasEnd
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
        guard values["period-keys"] == nil || values["derive-keys"] == nil else {
            throw JobFailure("derive-keys", "cannot be combined with period-keys: leave out one of the two")
        }
        guard job.scheme != nil else {
            throw JobFailure("scheme", "must not be none if keys are given: give a scheme, or leave out the keys")
        }
        return ContentKeys()
    }

    /// Returns the source of key periods that the options specify; nil if a server provides the keys.
    func givenPeriods() throws -> (any ContentKeyPeriods)? {
        if let setting = values["period-keys"] {
            return try located(setting.location) {
                try KeyPeriodFile(SecretBytes(copying: try InputFile.readSecret(setting.text)), name: setting.text)
            }
        }
        guard let setting = values["derive-keys"] else { return nil }
        return try located(setting.location) {
            try DerivedKeyPeriods(secret: try HexArgument(argument: setting.text).secret(16, option: "--derive-keys"))
        }
    }
}
