import ArgumentParser
import FPSCrypto
import ToolSupport
import VirtualDevice

/// The options that select a virtual device and its source of DASk.
struct DeviceOptions: ParsableArguments {
    @Option(help: .init("The device profile.", valueName: "name"))
    var profile = ProfileArgument.iPhone

    @OptionGroup var source: DASkOptions

    @Option(
        help: .init(
            "The seed of random numbers, for tests; load and device watch do not accept it. A server "
                + "refuses a second SPC with the same seed: its RSA block is identical, so it looks like a "
                + "tampered copy. (default: secure random numbers)",
            valueName: "number"
        )
    )
    var seed: UInt64?

    @Option(
        name: .customLong("protocol-versions"),
        help: .init(
            "The protocol versions for the SPC, separated by commas, in place of those that the playlist "
                + "declares (KEYFORMATVERSIONS). (default: those of the playlist; 1 for a command without a "
                + "playlist)",
            valueName: "versions"
        )
    )
    var givenVersions: ProtocolVersionList?

    /// The protocol versions for an SPC without a playlist.
    var versions: ProtocolVersionList { givenVersions ?? ProtocolVersionList([1]) }

    func validate() throws {
        guard source.count == 1 else {
            throw ValidationError("Exactly one of --ask, --dask, and --credentials is required, to provide DASk.")
        }
    }

    /// Returns a device that uses this clock.
    ///
    /// - Parameter request: The options that change the profile.
    func device(
        clock: any DeviceClock = SystemDeviceClock(),
        for request: DeviceRequestOptions? = nil
    ) throws(CommandFailure) -> FPSDevice {
        var profile = profile.value
        request?.apply(to: &profile)
        return FPSDevice(
            profile: profile,
            dask: try source.rule(),
            clock: clock,
            random: seed.map { .seeded($0) } ?? .secure
        )
    }
}
