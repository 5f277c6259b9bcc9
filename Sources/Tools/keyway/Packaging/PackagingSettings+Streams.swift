import FPSCrypto
import HLSPlaylist
import Packager

/// What words mean about presentations without an end, and about keys that change.
extension PackagingSettings {
    /// How a presentation without an end is kept; nil: it has one.
    func live() throws -> LiveOptions? {
        let isLive = flags["live"] != nil
        guard isLive || flags["event"] != nil else {
            for option in ["window", "target-duration", "start-date"] where values[option] != nil {
                throw JobFailure(option, "it is for what has no end: add live or event, or leave it out")
            }
            return nil
        }
        guard !isLive || flags["event"] == nil else {
            throw JobFailure("live", "live playlists lose what is old, and events keep it: choose one of the two")
        }
        var options = isLive ? LiveOptions.live : .event
        if let setting = values["window"] {
            guard isLive else { throw JobFailure("window", "an event keeps all: leave it out, or use live") }
            options.window = try .init(parsing: setting.text)
        }
        if let setting = values["target-duration"] {
            guard let seconds = UInt64(setting.text) else {
                throw JobFailure("target-duration", "“\(setting.text)” is no whole number of seconds")
            }
            options.targetDuration = seconds
        }
        if let setting = values["start-date"] {
            guard let date = PlaylistDate(setting.text) else {
                throw JobFailure("start-date", "“\(setting.text)” is no date: write one such as 2026-05-01T20:15:00Z")
            }
            options.startDate = date
        }
        return options
    }

    /// How often keys change; nil: never.
    func rotation() throws -> KeyRotation? {
        guard let setting = values["rotate-keys"] else {
            for option in ["key-lead", "key-patience"] where values[option] != nil {
                throw JobFailure(option, "it is for keys that change: add rotate-keys, or leave it out")
            }
            return nil
        }
        var rotation = try KeyRotation(parsing: setting.text)
        rotation.lead = try seconds("key-lead")?.seconds
        if let patience = try seconds("key-patience") { rotation.patience = patience.seconds }
        return rotation
    }

    /// What has keys of periods: the option.
    var keyFile: String? { ["period-keys", "derive-keys"].first { values[$0] != nil } }

    /// Whether keys come while packaging goes on, and not with the job.
    var fetchesKeys: Bool {
        let hasEnd = flags["live"] == nil && flags["event"] == nil
        return keyFile != nil || values["rotate-keys"] != nil || exchange != nil && !hasEnd
    }

    /// Holds that keys which change come from where others come from; there are none yet.
    func checkFetched(_ job: PackagingJob) throws -> ContentKeys {
        guard sharedKey == nil, classKeys.isEmpty else {
            throw JobFailure("keys", "they are for the whole film, and keys change: give period-keys, or dev")
        }
        guard !isDev || keyFile == nil else {
            throw JobFailure("dev", "it makes keys, and keys are given: leave one of the two out")
        }
        guard isDev || keyFile != nil || exchange != nil else {
            throw JobFailure("rotate-keys", "nobody has the keys: give period-keys, derive-keys, speke or dev")
        }
        guard values["period-keys"] == nil || values["derive-keys"] == nil else {
            throw JobFailure("derive-keys", "keys are given in a file as well: leave one of the two out")
        }
        guard job.scheme != nil else {
            throw JobFailure("scheme", "it is none, and there are keys: name a scheme, or leave the keys out")
        }
        return ContentKeys()
    }

    /// Where the keys of periods come from, as far as options say; nil: from a server.
    func givenPeriods() throws -> (any ContentKeyPeriods)? {
        if let setting = values["period-keys"] {
            return try located(setting.place) {
                try KeyPeriodFile(SecretBytes(copying: try InputFile.readSecret(setting.text)), name: setting.text)
            }
        }
        guard let setting = values["derive-keys"] else { return nil }
        return try located(setting.place) {
            try DerivedKeyPeriods(secret: try HexArgument.secret(setting.text, option: "--derive-keys", count: 16))
        }
    }
}
