import ArgumentParser
import FPSCrypto
import Foundation
import StreamValidation
import ToolSupport
import VirtualDevice

/// The options of `keyway validate` with which encrypted segments are opened. Without one of them, no key is requested.
struct ValidationKeyOptions: ParsableArguments {
    @Option(
        help: .init(
            "The URL of the key server, from which virtual devices request the FairPlay keys; it requires one of "
                + "--credentials, --ask, and --dask. (default: no FairPlay keys)",
            valueName: "url"
        )
    )
    var server: URLArgument?

    @Option(
        help: .init("The playback token that the key server requires. (default: no token)", valueName: "text|@file")
    )
    var token: SecretArgument?

    @OptionGroup var source: DASkOptions

    @Option(
        name: .customLong("device-class"),
        help: .init(
            "Request the keys as this device. Repeatable: the license of each is compared with the playlists. "
                + "(default: \(ProfileArgument.iPhone.value.name))",
            valueName: "name"
        )
    )
    var deviceClasses: [ProfileArgument] = []

    @Flag(help: "Also request persistent keys, because the presentation is for downloads.")
    var offline = false

    @Flag(
        name: .customLong("clear-keys"),
        help: "Load the keys of KEYFORMAT identity (such as those of AES-128) from their URIs."
    )
    var loadsClearKeys = false

    @Option(
        name: .customLong("key-file"),
        help: .init(
            "A file with keys, one per line: KID:KEY or URI=KEY in hexadecimal, optionally followed by a colon and the "
                + "initialization vector. There is no option for a key itself, because other users and logs see the command line.",
            valueName: "file"
        )
    )
    var keyFile: InputPath?

    @Option(
        name: .customLong("key-env"),
        help: .init("An environment variable with keys in the same form as --key-file.", valueName: "name")
    )
    var keyVariable: String?

    @Flag(
        name: .customLong("no-decoder"),
        help: "Do not check decrypted pictures and AAC with ffmpeg, even if it is installed."
    )
    var usesNoDecoder = false

    func validate() throws {
        guard source.count <= 1 else {
            throw ValidationError("--credentials, --ask, and --dask cannot be combined: give only one of them.")
        }
        guard (server != nil) == (source.count == 1) else {
            throw ValidationError("--server and one of --credentials, --ask, and --dask require each other.")
        }
        guard server != nil || (token == nil && deviceClasses.isEmpty && !offline) else {
            throw ValidationError("--token, --device-class, and --offline require --server.")
        }
    }

    /// True if keys are requested.
    var isGiven: Bool { server != nil || loadsClearKeys || keyFile != nil || keyVariable != nil }

    /// Returns the source of the keys; nil if no option for keys is given.
    ///
    /// - Parameter resources: The loader of clear keys.
    func keySource(_ resources: StreamResources) throws(CommandFailure) -> ValidationKeys? {
        guard isGiven else { return nil }
        var keys = ValidationKeys(resources: loadsClearKeys ? resources : nil)
        if let keyFile {
            let bytes = try InputFile.readSecret(keyFile.path, maximum: GivenKeys.maximumSize)
            keys.given = try GivenKeys(parsing: bytes, name: "--key-file")
        }
        if let keyVariable {
            guard let text = ProcessInfo.processInfo.environment[keyVariable] else {
                throw .usage("--key-env: the environment variable \(escaped(keyVariable)) does not exist")
            }
            try keys.given.add(Array(text.utf8), name: "--key-env")
        }
        if let server {
            let classes = deviceClasses.isEmpty ? [ProfileArgument.iPhone] : deviceClasses
            keys.devices = DeviceKeyRequests(
                client: try KeyServerClient(server, token: token),
                profiles: classes.map(\.value),
                dask: try source.rule()
            )
            keys.requestsPersistentKeys = offline
        }
        return keys
    }

    /// The decoder; nil if it is not installed, or not to be used.
    var decoder: FFmpegDecoder? { usesNoDecoder || !isGiven ? nil : FFmpegDecoder.installed }
}
