import ArgumentParser
import ToolSupport

/// The `keyway` command.
@main
struct Keyway: CommandRoot {
    static let configuration = CommandConfiguration(
        commandName: "keyway",
        abstract: "FairPlay Streaming on Linux: package media, and inspect and check SPCs, CKCs, and playlists.",
        discussion: """
            Give input files by name. Where the help of a command mentions it, - is standard input: for SPCs, CKCs, \
            certificates, policies, and playlists, and for the media of package and mediafilesegmenter. SPCs and CKCs \
            are read in binary or base64, and written in binary. The output contains no secrets unless --reveal is \
            given.

            Command-line arguments are visible to all users of the machine in its process list. Options shown as \
            <…|@file> can read the value from a file: write @ and the file's path. Keys of 16 bytes (<hex|@file>) are \
            in hexadecimal or binary in the file; tokens (<text|@file>) are text.

            Exit codes:
              0  success
              1  the input is invalid, or a check has failed
              2  the command line is invalid
              3  a file cannot be read or written, or a connection fails
            """,
        version: KeywayVersion.current,
        subcommands: [
            SPCCommand.self, CKCCommand.self, PolicyCommand.self, CertificateCommand.self, CredentialsCommand.self,
            DeviceCommand.self, PlayCommand.self, DownloadCommand.self, OfflineCommand.self, PlaylistCommand.self,
            ValidateCommand.self, PackageCommand.self,
            MediaFileSegmenterCommand.self, DecryptCommand.self, MediaCommand.self, LoadCommand.self,
            TokenCommand.self, ExplainCommand.self, DoctorCommand.self,
        ]
    )

    static func main() async { await runAndExit() }
}
