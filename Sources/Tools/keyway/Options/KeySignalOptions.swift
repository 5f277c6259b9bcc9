import ArgumentParser
import Packager

/// The options that control how keys are signaled.
struct KeySignalOptions: ParsableArguments {
    @Option(
        name: .customLong("keyformat-versions"),
        help: .init(
            "The FPS versions that the key server supports, for KEYFORMATVERSIONS of FairPlay keys: 1, or 1/2. "
                + "Devices use the newest version that they support. (default: 1)",
            valueName: "1|1/2"
        )
    )
    var keyFormatVersions: FairPlayVersions?
}

extension FairPlayVersions: ExpressibleByArgument {
    /// Parses an argument.
    package init?(argument: String) { self.init(argument) }
}
