import ArgumentParser
import Foundation
import KeyServer
import ToolSupport

/// `health`.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check that a running server responds.",
        discussion: """
            Prints nothing if the server is healthy. For the health check of a container, which needs no other HTTP \
            client: without --ready, the check requests GET /healthz, otherwise GET /readyz. With TLS, the URL must \
            contain a host name of the server's certificate.

            Exit codes: 0 the server is healthy, 1 it responded with a status other than 200, 2 usage error, 3 it \
            did not respond within 5 seconds.
            """
    )

    @Option(
        help: ArgumentHelp("The URL of the key server. (default: http://127.0.0.1:8080)", valueName: "url")
    )
    var server: URLArgument?
    @Flag(help: "Check that the server can issue licenses now, rather than that it responds.")
    var ready = false

    func run() async throws {
        let url = server?.base ?? "http://127.0.0.1:8080"
        do {
            try await HealthProbe().check(ready ? .readiness : .liveness, server: url, timeout: .seconds(5))
        } catch {
            let place = server.map { "\($0)" } ?? url
            switch error {
            case .unreachable:
                throw CommandFailure.file(
                    "\(place): \(error)",
                    next: "check --server and the server's setting `listen`"
                )
            case .unhealthy:
                throw CommandFailure.input(
                    "\(place): \(error)",
                    next: "see \"Liveness and readiness\" in docs/operations.md"
                )
            }
        }
    }
}
