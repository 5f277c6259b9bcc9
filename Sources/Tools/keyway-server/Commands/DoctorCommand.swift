import ArgumentParser
import Foundation
import KeyServer
import ToolSupport

/// `doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why a server does not start or work: check its configuration, store, keys, and system.",
        discussion: """
            Each step has a mark: ok, warning, FAILED, or skipped. What is wrong first, and what to do, is printed at the \
            end. The command reads the store with a read-only connection, also while a server uses it, and creates, \
            migrates, and changes nothing. Run it as the user of the server, on its machine: it checks this machine's \
            files, ports, and limits. It prints no key, token, or password. docs/doctor.md describes the steps and the \
            JSON.

            Also reads the KEYWAY_… environment variables, as `serve` does.

              keyway-server doctor --config /etc/keyway/keyway.yaml
              keyway-server doctor --data data --dev

            Exit codes: 0 no step failed, 1 a step failed, 2 usage error, 3 the first failure is a file that cannot be \
            read or a connection that fails.
            """
    )

    @Option(help: ArgumentHelp("The configuration file of the server.", valueName: "file"))
    var config: InputPath?
    @Option(
        help: ArgumentHelp("The data folder. Required here or as the setting `data`.", valueName: "folder")
    )
    var data: FolderPath?
    @Flag(help: "Check as for `serve --dev`; also applies without --config.")
    var dev = false
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard config != nil || data != nil else {
            throw ValidationError("Use --config FILE or --data FOLDER.")
        }
    }

    func run() async throws {
        var doctor = ServerDoctor(
            file: config?.path,
            environment: ProcessInfo.processInfo.environment,
            isDevelopment: dev || config == nil
        )
        if let data { doctor.options = [("data", data.path, "--data")] }
        let diagnosis = await doctor.diagnosis()
        try output.print(diagnosis.json, text: { diagnosis.text(Terminal.style) })
        try diagnosis.requireSuccess()
    }
}
