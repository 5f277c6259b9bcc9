import ArgumentParser
import CommandSupport
import HTTPListening
import StreamOrigin

/// The origin's executable.
@main
struct KeywayOrigin: CommandRoot {
    /// The program's version, which `--version` prints and the metrics report.
    static let version = KeywayVersion.current

    static let configuration = CommandConfiguration(
        commandName: "keyway-origin",
        abstract: "An origin for HTTP Live Streaming with low latency.",
        discussion: """
            It serves the folder that `keyway package --live` writes, and answers the requests of Low-Latency HLS: \
            blocking playlist reloads, parts, preload hints, and delta updates. It handles no keys.

              keyway-origin serve /srv/live --listen 0.0.0.0:8443 --tls-certificate cert.pem --tls-key key.pem

            Exit codes: 0 success, 1 invalid input or a failed check, 2 usage error, 3 unusable file or connection.
            """,
        version: version,
        subcommands: [OriginServeCommand.self]
    )

    static func main() async { await runAndExit() }

    static func failure(for error: any Error) -> CommandFailure? {
        switch error {
        case let error as OriginError: .file(error.description)
        case let failure as ListenFailure: .file(failure.description)
        case let error as UploadTokenError: .file(error.description)
        default: nil
        }
    }
}
