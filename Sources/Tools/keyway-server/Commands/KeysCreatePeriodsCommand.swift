import ArgumentParser
import KeyServer
import KeyServerModule
import KeyStore
import TextCoding
import ToolSupport

/// `keys create-periods`.
struct KeysCreatePeriodsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-periods",
        abstract: "Create the key periods of a live channel's track ahead of time.",
        discussion: """
            Creates the current key period and the following ones, all of the same length; each starts at a multiple \
            of that length since 1970-01-01T00:00:00Z. A key period is a content key that is used for a track during \
            a certain time. Existing periods do not change, so the command can be repeated, on any machine that can \
            open the store. A server does the same for the schedules of `keyway-server channels`, and for the tracks \
            in `channels` of its configuration.

              keyway-server keys create-periods --data data --title news --track hd --length 10m --ahead 2h
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("The title.", valueName: "name"))
    var title: String
    @Option(help: ArgumentHelp("The track.", valueName: "name"))
    var track: String
    @OptionGroup var periods: KeyPeriodOptions
    @OptionGroup var output: JSONOption

    func validate() throws { _ = try plan() }

    func run() async throws {
        let plan = try plan()
        try await store.withStore { store in
            let created = try await KeyPeriodCreator(store: store).make(
                plan,
                at: systemMilliseconds() / 1_000,
                by: AdminActor(command: "keys create-periods")
            )
            try output.print(AdminJSON.list(created.map(\.administrationJSON))) {
                "created \(counted(created.count, "key period"))"
            }
        }
    }

    private func plan() throws -> KeyPeriodPlan {
        let (length, ahead) = try periods.seconds()
        guard let plan = KeyPeriodPlan(title: title, track: track, length: length, ahead: ahead) else {
            throw ValidationError("--ahead: expected at most 500 periods of --length.")
        }
        return plan
    }
}
