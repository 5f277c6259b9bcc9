import ArgumentParser
import DRMSignaling
import KeyServer
import KeyServerModule
import KeyStore
import TextCoding

/// `channels`.
struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Add, list, pause, resume, and remove schedules of live channels.",
        discussion: """
            A schedule specifies for which tracks of a title the servers create key periods ahead of time. A key \
            period is a content key that is used for a track during a certain time. All periods have the same length \
            and start at multiples of that length since 1970-01-01T00:00:00Z. All servers of the store apply a \
            change of the schedule within a minute; existing periods stay. If a title has a schedule here, \
            `channels` in a server's configuration does not apply to it.
            """,
        subcommands: [Add.self, List.self, Pause.self, Resume.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a schedule, or replace one.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title, which must exist.", valueName: "name"))
        var title: String
        @Option(
            help: ArgumentHelp(
                "A track of the title, which must exist; repeatable, 1 to 100 tracks.",
                valueName: "name"
            )
        )
        var track: [String]
        @Option(
            help: ArgumentHelp(
                "The length of a period, an ISO 8601 duration from PT1M to P31D, such as PT10M.",
                valueName: "duration"
            )
        )
        var length: DurationArgument
        @Option(
            help: ArgumentHelp(
                "How far ahead periods are created, an ISO 8601 duration such as PT2H; at most 500 periods.",
                valueName: "duration"
            )
        )
        var ahead: DurationArgument
        @Option(
            help: ArgumentHelp(
                """
                Create no period that ends before this time: ISO 8601 with a time zone, or Unix seconds. (default: \
                now)
                """,
                valueName: "time"
            )
        )
        var start: TimeArgument?
        @Flag(help: "Create no periods until the schedule is resumed. (default: not paused)")
        var paused = false
        @Flag(
            help:
                """
                Replace the schedule of this title, if there is one. Without it, an existing schedule is an error. \
                With it, omitted options are reset to their defaults: the new schedule is paused only with --paused.
                """
        )
        var replace = false

        func run() async throws {
            let record = try ChannelRecord(
                title: title,
                tracks: track,
                length: Int64(length.seconds.rawValue),
                ahead: Int64(ahead.seconds.rawValue),
                start: start?.seconds,
                isPaused: paused,
                time: systemMilliseconds() / 1_000
            )
            try await store.withStore { store in
                let outcome = try await store.putChannel(record, replacing: replace) { outcome in
                    .command("channels add", "channel-put", "\(record.summary) \(outcome)")
                }
                print("\(outcome == .created ? "added" : "replaced") the schedule of channel \(title)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the schedules.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.withStore { store in
                for channel in try await store.allChannels() {
                    let fields: [String?] = [
                        channel.title, channel.tracks.joined(separator: ", "), "length \(channel.length) s",
                        "ahead \(channel.ahead) s", channel.start.map { "from \(Timestamp.text(seconds: $0))" },
                        channel.isPaused ? "paused" : nil,
                    ]
                    print(fields.compactMap { $0 }.joined(separator: "  "))
                }
            }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop creating periods until the schedule is resumed."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String

        func run() async throws { try await setPaused(true, title, store) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create periods again, from the current one on.",
            discussion: "Periods that passed completely while the schedule was paused are not created."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String

        func run() async throws { try await setPaused(false, title, store) }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a schedule. Existing periods stay.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String

        func run() async throws {
            try await store.withStore { store in
                let what = "schedule of channel \(title) deleted"
                let audit = AuditRecord.command("channels remove", "channel-delete", what)
                guard try await store.deleteChannel(title: title, audit: audit) else {
                    throw CommandFailure("channel \(title) has no schedule")
                }
                print("removed the schedule of channel \(title)")
            }
        }
    }

    private static func setPaused(_ isPaused: Bool, _ title: String, _ store: StoreOptions) async throws {
        try await store.withStore { store in
            guard let channel = try await store.channel(title: title) else {
                throw CommandFailure("channel \(title) has no schedule")
            }
            let record = try channel.paused(isPaused, time: systemMilliseconds() / 1_000)
            let command = isPaused ? "channels pause" : "channels resume"
            try await store.putChannel(record, replacing: true) { outcome in
                .command(command, "channel-put", "\(record.summary) \(outcome)")
            }
            print("channel \(title) is \(isPaused ? "paused" : "resumed")")
        }
    }
}
