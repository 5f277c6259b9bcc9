import ArgumentParser
import KeyServer
import KeyServerModule
import KeyStore

/// `keys ahead`.
struct KeysAheadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ahead",
        abstract: "Create the key periods of a live channel's track ahead of time.",
        discussion: """
            Creates the current key period and the following ones, all of the same length; each starts at a multiple \
            of that length since 1970-01-01T00:00:00Z. A key period is a content key that is used for a track during \
            a certain time. Existing periods do not change, so the command can be repeated, on any machine that can \
            open the store. A server does the same for the schedules of `keyway-server channels`, and for the tracks \
            in `channels` of its configuration.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("The title.", valueName: "name"))
    var title: String
    @Option(help: ArgumentHelp("The track.", valueName: "name"))
    var track: String
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

    func validate() throws { _ = try plan() }

    func run() async throws {
        let plan = try plan()
        try await store.withStore { store in
            let created = try await KeyPeriodCreator(store: store).make(
                plan,
                at: systemMilliseconds() / 1_000,
                by: AdminActor(command: "keys ahead")
            )
            print("created \(created.count) key periods")
        }
    }

    private func plan() throws -> KeyPeriodPlan {
        let (length, ahead) = (Int64(length.seconds.rawValue), Int64(ahead.seconds.rawValue))
        guard let plan = KeyPeriodPlan(title: title, track: track, length: length, ahead: ahead) else {
            throw ValidationError("--length must be from PT1M to P31D, and --ahead at most 500 periods.")
        }
        return plan
    }
}

/// A duration on the command line, in ISO 8601; zero is accepted.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Seconds

    init?(argument: String) {
        guard let seconds = Seconds(iso8601: argument) else { return nil }
        self.seconds = seconds
    }
}
