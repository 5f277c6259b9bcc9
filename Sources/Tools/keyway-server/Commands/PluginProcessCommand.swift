import ArgumentParser
import KeyServer

/// `dask-process`, which the server starts for a DASk plug-in. It is not a command for users.
struct PluginProcessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dask-process",
        abstract: "Run a DASk plug-in for a server, which starts this command itself.",
        shouldDisplay: false
    )

    @Argument(help: ArgumentHelp("The number of sockets for calls.", valueName: "number"))
    var calls: Int

    func validate() throws {
        guard (1...1024).contains(calls) else { throw ValidationError("The number of sockets must be 1 to 1024.") }
    }

    func run() { PluginService.run(calls: calls) }
}
