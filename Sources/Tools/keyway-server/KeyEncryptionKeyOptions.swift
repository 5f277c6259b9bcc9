import ArgumentParser
import KeyStore
import ToolSupport

/// The options that specify the key-encryption key.
struct KeyEncryptionKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A file with the key-encryption key, mode 0600: 64 hexadecimal digits. While the key is being changed, \
            the file may contain several keys, one per line. Give at most one of --kek-file, --kek-variable, and \
            --kek-command. (default: the file kek in the data folder)
            """,
            valueName: "file"
        )
    )
    var kekFile: InputPath?

    @Option(
        help: ArgumentHelp(
            "The environment variable that contains the key-encryption key, in the format of --kek-file.",
            valueName: "variable"
        )
    )
    var kekVariable: String?

    @Option(
        help: ArgumentHelp(
            """
            A command for /bin/sh that prints the key-encryption key within 30 seconds, in the format of --kek-file.
            """,
            valueName: "command"
        )
    )
    var kekCommand: String?

    func validate() throws {
        guard [kekFile?.path, kekVariable, kekCommand].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("Use only one of --kek-file, --kek-variable, and --kek-command.")
        }
    }

    /// The source of the key.
    var source: KeyEncryptionKeySource {
        if let kekFile {
            .file(kekFile.path)
        } else if let kekVariable {
            .environment(kekVariable)
        } else if let kekCommand {
            .command(kekCommand)
        } else {
            .dataFolder
        }
    }
}
