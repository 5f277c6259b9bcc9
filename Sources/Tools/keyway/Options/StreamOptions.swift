import ArgumentParser
import ToolSupport

/// The options for live streams and key rotation.
struct StreamOptions: ParsableArguments {
    @Flag(
        name: .customLong("live"),
        help: .init(
            "Write live playlists as segments arrive. The oldest segments are removed from the "
                + "playlists (--window), and their files are deleted when clients no longer need them."
        )
    )
    var isLive = false

    @Flag(
        name: .customLong("event"),
        help: .init(
            "Write event playlists as segments arrive, and keep all segments; it cannot be combined "
                + "with --live."
        )
    )
    var isEvent = false

    @Option(
        help: .init(
            "The length of live playlists: a number of segments (10), at least 3, or a duration (60s). "
                + "(default: \(PackagingDefault.window))",
            valueName: "length"
        )
    )
    var window: LengthArgument?

    @Option(
        name: .customLong("target-duration"),
        help: .init(
            "The EXT-X-TARGETDURATION of live and event playlists, in whole seconds (6s), at most 2m; it "
                + "never changes. (default: from the first segment)",
            valueName: "duration"
        )
    )
    var targetDuration: DurationArgument?

    @Flag(
        name: .customLong("low-latency"),
        help: .init(
            "List parts of segments before the segments are complete (Low-Latency HLS, and DASH with "
                + "--manifests hls,dash), for live and event streams in fmp4; serve the folder with keyway-origin."
        )
    )
    var isLowLatency = false

    @Option(
        name: .customLong("part-duration"),
        help: .init(
            "The maximum duration of parts with --low-latency, from 100ms to 2s. (default: "
                + "\(PackagingDefault.partDuration))",
            valueName: "duration"
        )
    )
    var partDuration: DurationArgument?

    @Option(
        name: .customLong("utc-timing"),
        help: .init(
            "The URL of a time server for players of the DASH manifest, which answers with the time as "
                + "2026-05-01T20:15:00.000Z (UTCTiming). (default: players use their own clocks)",
            valueName: "url"
        ),
        transform: LicenseURLArgument.url
    )
    var utcTiming: String?

    @Option(
        name: .customLong("start-date"),
        help: .init(
            "The date of the first frame of a live or event stream, such as 2026-05-01T20:15:00Z; "
                + "later dates are computed from media time. (default: the time at which the stream starts)",
            valueName: "time"
        )
    )
    var startDate: TimeArgument?

    @Option(
        name: .customLong("rotate-keys"),
        help: .init(
            "The length of a key period: a number of segments (10), or a duration in whole seconds "
                + "(60s). Keys come from --dev, --speke, --period-keys, or --derive-keys. (default: keys do not "
                + "change)",
            valueName: "length"
        )
    )
    var rotation: LengthArgument?

    @Option(
        name: .customLong("period-keys"),
        help: .init(
            "A file with the keys of key periods, one line per period: KID:KEY:IV, or "
                + "class=KID:KEY:IV for each class.",
            valueName: "file"
        )
    )
    var periodKeys: InputPath?

    @Option(
        name: .customLong("derive-keys"),
        help: .init(
            "A secret of 16 bytes to derive the keys of all key periods from, for tests; it cannot be "
                + "combined with --period-keys.",
            valueName: "hex|@file"
        )
    )
    var derivedKeys: HexArgument?

    @Option(
        name: .customLong("key-lead"),
        help: .init(
            "The time before a key period at which its keys are announced, at most 1d. (default: when "
                + "they are available)",
            valueName: "duration"
        )
    )
    var keyLead: DurationArgument?

    @Option(
        name: .customLong("key-timeout"),
        help: .init(
            "The maximum time that a segment waits for its keys, from 1s to 1d; then the run fails. "
                + "(default: \(PackagingDefault.keyTimeout))",
            valueName: "duration"
        )
    )
    var keyTimeout: DurationArgument?

    @Option(
        name: .customLong("work-folder"),
        help: .init(
            "The folder for the files of an upload, from which another run continues. (default: a folder for the "
                + "URL in $XDG_STATE_HOME/keyway or ~/.local/state/keyway)",
            valueName: "folder"
        ),
        transform: PackagingValue.workFolder
    )
    var workFolder: String?

    @Option(
        name: .customLong("upload-token"),
        help: .init("The bearer token for uploads.", valueName: "token|@file")
    )
    var uploadToken: SecretArgument?

    @Option(
        name: .customLong("upload-timeout"),
        help: .init(
            "The time for which a failed upload is repeated, before the run ends with an error. (default: "
                + "\(PackagingDefault.uploadTimeout))",
            valueName: "duration"
        )
    )
    var uploadTimeout: DurationArgument?
}
