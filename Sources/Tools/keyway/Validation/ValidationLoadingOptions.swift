import ArgumentParser
import Foundation
import StreamValidation
import TextCoding
import ToolSupport

/// The options of `keyway validate` that limit what is loaded from the web.
struct ValidationLoadingOptions: ParsableArguments {
    @Option(
        help: .init(
            "Keep what is loaded from the web in this folder, and load only what changed since the last run. "
                + "(default: none)",
            valueName: "folder"
        )
    )
    var cache: FolderPath?

    @Option(
        name: .customLong("max-rate"),
        help: .init(
            "Load at most this number of bytes per second, such as 5MB/s. (default: no limit)",
            valueName: "rate"
        )
    )
    var maximumRate: RateArgument?

    @Option(
        name: .customLong("max-bytes"),
        help: .init(
            "Load no more segments after this number of bytes, such as 500MB. (default: no limit)",
            valueName: "size"
        )
    )
    var maximumBytes: SizeArgument?

    @Option(help: .init("The number of playlists whose segments are loaded at the same time.", valueName: "number"))
    var concurrency = 4

    @Flag(help: "Show no progress.")
    var quiet = false

    func validate() throws {
        guard (1...64).contains(concurrency) else { throw ValidationError("--concurrency: expected 1 to 64.") }
        guard maximumBytes?.bytes != 0 else { throw ValidationError("--max-bytes: expected at least 1 byte.") }
    }

    /// Opens the cache; nil without one.
    func openCache() throws(CommandFailure) -> ResourceCache? {
        guard let cache else { return nil }
        do { return try ResourceCache(cache.path) } catch {
            throw .file("cannot create the folder \(escaped(cache.path)): \(error.localizedDescription)")
        }
    }

    /// Applies the options to the settings of a validation.
    func apply(to settings: inout StreamValidator.Settings) {
        settings.concurrency = concurrency
        settings.byteLimit = maximumBytes?.bytes
    }
}

/// A number of bytes per second on the command line, such as 5MB/s.
struct RateArgument: ExpressibleByArgument, Sendable {
    /// The number of bytes per second, at least 1.
    let bytesPerSecond: UInt64

    init?(argument: String) {
        guard argument.hasSuffix("/s"), let size = SizeArgument(argument: String(argument.dropLast(2))), size.bytes > 0
        else { return nil }
        bytesPerSecond = size.bytes
    }
}
