import ArgumentParser
import DRMSignaling
import KeyServer
import KeyServerModule
import KeyStore
import ToolSupport

/// `channels`.
struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Add, list, pause, resume, and delete schedules of live channels.",
        discussion: """
            A schedule specifies for which tracks of a title the servers create key periods ahead of time. A key \
            period is a content key that is used for a track during a certain time. All periods have the same length \
            and start at multiples of that length since 1970-01-01T00:00:00Z. All servers of the store apply a \
            change of the schedule within a minute; existing periods stay. If a title has a schedule here, \
            `channels` in a server's configuration does not apply to it.

              keyway-server titles add --data data --name news
              keyway-server tracks add --data data --title news --name hd
              keyway-server channels add --data data --title news --track hd --length 10m --ahead 2h
            """,
        subcommands: [Add.self, List.self, Pause.self, Resume.self, Delete.self]
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
        @OptionGroup var periods: KeyPeriodOptions
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
        @OptionGroup var output: JSONOption

        func run() async throws {
            let (length, ahead) = try periods.seconds()
            let record = try ChannelRecord(
                title: title,
                tracks: track,
                length: length,
                ahead: ahead,
                start: start?.seconds,
                isPaused: paused,
                time: systemMilliseconds() / 1_000
            )
            try await store.withStore { store in
                let outcome = try await store.putChannel(record, replacing: replace) { outcome in
                    .command("channels add", "channel-put", "\(record.summary) \(outcome)")
                }
                let stored = try await store.channel(title: title) ?? record
                try output.print(stored.administrationJSON) {
                    escaped("\(outcome.verb) the schedule of channel \(title)")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the schedules.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                for channel in try await store.allChannels() {
                    let line = fields([
                        channel.title, channel.tracks.joined(separator: ", "), "length \(channel.length) s",
                        "ahead \(channel.ahead) s", timestamp("from", channel.start),
                        channel.isPaused ? "paused" : nil,
                    ])
                    try list.append(channel.administrationJSON, or: [line])
                }
                try list.finish()
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
        @OptionGroup var output: JSONOption

        func run() async throws { try await setPaused(true, title, store, output) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create periods again, from the current one on.",
            discussion: "Periods that passed completely while the schedule was paused are not created."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String
        @OptionGroup var output: JSONOption

        func run() async throws { try await setPaused(false, title, store, output) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a schedule. Existing periods stay.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String

        func run() async throws {
            try await store.withStore { store in
                let what = "schedule of channel \(title) deleted"
                let audit = AuditRecord.command("channels delete", "channel-delete", what)
                guard try await store.deleteChannel(title: title, audit: audit) else {
                    throw CommandFailure.input(
                        "channel \(title) has no schedule",
                        next: "see `keyway-server channels list`"
                    )
                }
                try printLine("deleted the schedule of channel \(title)")
            }
        }
    }

    private static func setPaused(
        _ isPaused: Bool,
        _ title: String,
        _ store: StoreOptions,
        _ output: JSONOption
    ) async throws {
        try await store.withStore { store in
            guard let channel = try await store.channel(title: title) else {
                throw CommandFailure.input(
                    "channel \(title) has no schedule",
                    next: "see `keyway-server channels list`"
                )
            }
            let record = try channel.paused(isPaused, time: systemMilliseconds() / 1_000)
            let command = isPaused ? "channels pause" : "channels resume"
            try await store.putChannel(record, replacing: true) { outcome in
                .command(command, "channel-put", "\(record.summary) \(outcome)")
            }
            try output.print(record.administrationJSON) {
                escaped("channel \(title) is \(isPaused ? "paused" : "resumed")")
            }
        }
    }
}
