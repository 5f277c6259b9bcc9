import KeyServer

/// `dask-process NUMBER`, which the server starts for a DASk plug-in, with the number of sockets for calls.
///
/// It is not a command for users, so it is not one of the subcommands, which help, man pages and completion list.
enum PluginProcessCommand {
    /// Runs the command and ends this process, if the arguments are those of the command.
    static func runIfRequested() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, arguments.first == "dask-process", let calls = arguments.last.flatMap({ Int($0) }),
            (1...PluginProcessSettings.maximumCalls).contains(calls)
        else { return }
        PluginService.run(calls: calls)
    }
}
