import ArgumentParser

/// The options for live streams and key rotation.
struct StreamOptions: ParsableArguments {
    @Flag(name: .customLong("live"), help: "Write live playlists as segments arrive, and remove the oldest segments.")
    var isLive = false

    @Flag(name: .customLong("event"), help: "Write event playlists as segments arrive, and remove nothing.")
    var isEvent = false

    @Option(
        help: .init(
            "The length of live playlists: a number of segments (10) or a duration (60s). (default: 5)",
            valueName: "n|seconds"
        )
    )
    var window: String?

    @Option(
        name: .customLong("target-duration"),
        help: .init("The EXT-X-TARGETDURATION, which never changes. (default: from the first segment)", valueName: "s")
    )
    var targetDuration: String?

    @Option(
        name: .customLong("start-date"),
        help: .init("The date of the first frame; later dates are computed from media time.", valueName: "date")
    )
    var startDate: String?

    @Option(
        name: .customLong("rotate-keys"),
        help: .init("The key period: a number of segments (10) or a duration (60s).", valueName: "n|seconds")
    )
    var rotation: String?

    @Option(
        name: .customLong("period-keys"),
        help: .init(
            "A file with the keys of key periods, one line per period: KID:KEY:IV, or class=KID:KEY:IV for each class.",
            valueName: "file"
        )
    )
    var periodKeys: String?

    @Option(
        name: .customLong("derive-keys"),
        help: .init("A secret to derive the keys of all key periods from, for tests.", valueName: "hex|@file")
    )
    var derivedKeys: String?

    @Option(
        name: .customLong("key-lead"),
        help: .init(
            "The time before a key period at which its keys are announced. (default: when they are available)",
            valueName: "s"
        )
    )
    var keyLead: String?

    @Option(
        name: .customLong("key-timeout"),
        help: .init("The maximum time that a segment waits for its keys. (default: 30)", valueName: "s")
    )
    var keyTimeout: String?

    /// The options with one value, by name.
    var texts: [(String, String?)] {
        [
            ("window", window), ("target-duration", targetDuration), ("start-date", startDate),
            ("rotate-keys", rotation), ("period-keys", periodKeys), ("derive-keys", derivedKeys),
            ("key-lead", keyLead), ("key-timeout", keyTimeout),
        ]
    }
}
