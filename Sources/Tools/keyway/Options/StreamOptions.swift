import ArgumentParser

/// What has no end, and keys that change.
struct StreamOptions: ParsableArguments {
    @Flag(name: .customLong("live"), help: "Write playlists as segments come, and remove the oldest ones.")
    var isLive = false

    @Flag(name: .customLong("event"), help: "Write playlists as segments come, and remove nothing.")
    var isEvent = false

    @Option(help: .init("How much live playlists name: 10 segments, or 60s; 5.", valueName: "n|seconds"))
    var window: String?

    @Option(
        name: .customLong("target-duration"),
        help: .init("EXT-X-TARGETDURATION, which never changes; by the first segment.", valueName: "s")
    )
    var targetDuration: String?

    @Option(
        name: .customLong("start-date"),
        help: .init("The date of the first frame; time passes with the media then.", valueName: "date")
    )
    var startDate: String?

    @Option(
        name: .customLong("rotate-keys"),
        help: .init("New keys every 10 segments, or 60s.", valueName: "n|seconds")
    )
    var rotation: String?

    @Option(
        name: .customLong("period-keys"),
        help: .init("Keys of periods, a line each: KID:KEY:IV, or class=KID:KEY:IV for each class.", valueName: "file")
    )
    var periodKeys: String?

    @Option(
        name: .customLong("derive-keys"),
        help: .init("A secret that all periods' keys follow from: for tests.", valueName: "hex|@file")
    )
    var derivedKeys: String?

    @Option(
        name: .customLong("key-lead"),
        help: .init("How long before a period its keys are announced; as soon as they are there.", valueName: "s")
    )
    var keyLead: String?

    @Option(
        name: .customLong("key-patience"),
        help: .init("How long a segment waits for its keys; 30.", valueName: "s")
    )
    var keyPatience: String?

    /// The options that are one word, by their names.
    var words: [(String, String?)] {
        [
            ("window", window), ("target-duration", targetDuration), ("start-date", startDate),
            ("rotate-keys", rotation), ("period-keys", periodKeys), ("derive-keys", derivedKeys),
            ("key-lead", keyLead), ("key-patience", keyPatience),
        ]
    }
}
