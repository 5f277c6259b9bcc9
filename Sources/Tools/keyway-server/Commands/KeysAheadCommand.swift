import ArgumentParser
import KeyServer
import KeyServerModule
import KeyStore

/// `keys ahead`.
struct KeysAheadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ahead",
        abstract: "Make the key periods of a live channel's track ahead of the time.",
        discussion: """
            Periods of one length, the present one and those behind it. Periods that are there stay as they are, so that it \
            may be run again and again, on any machine that has the store. A server does the same by itself for \
            the schedules of `keyway-server channels`, and for the tracks in `channels` of its configuration.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("The title.", valueName: "name"))
    var title: String
    @Option(help: ArgumentHelp("The track.", valueName: "name"))
    var track: String
    @Option(help: ArgumentHelp("How long a period is, in ISO 8601, such as PT10M.", valueName: "duration"))
    var length: DurationArgument
    @Option(help: ArgumentHelp("How far ahead there are to be periods, such as PT2H.", valueName: "duration"))
    var ahead: DurationArgument

    func validate() throws { _ = try plan() }

    func run() async throws {
        let plan = try plan()
        try await store.withStore { store in
            let made = try await KeyPeriodMaker(store: store).make(
                plan,
                at: systemMilliseconds() / 1_000,
                by: AdminActor(command: "keys ahead")
            )
            print("\(made.count) key periods made")
        }
    }

    private func plan() throws -> KeyPeriodPlan {
        let (length, ahead) = (Int64(length.seconds.rawValue), Int64(ahead.seconds.rawValue))
        guard let plan = KeyPeriodPlan(title: title, track: track, length: length, ahead: ahead) else {
            throw ValidationError("--length is from PT1M to P31D, and --ahead at most 500 periods.")
        }
        return plan
    }
}

/// A duration on the command line, ISO 8601.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Seconds

    init?(argument: String) {
        guard let seconds = Seconds(iso8601: argument) else { return nil }
        self.seconds = seconds
    }
}
