import ArgumentParser
import VirtualDevice

/// The options that select the virtual device of a player; clear media does not require one.
struct PlayDeviceOptions: ParsableArguments {
    @Option(help: .init("The device profile: \(DeviceOptions.names).", valueName: "name"))
    var profile = "iphone"

    @Option(
        name: .customLong("credentials"),
        help: .init(
            "A folder created by keyway credentials new; its ASk (ask.hex) is used. With --server, "
                + "exactly one of --credentials, --ask, and --dask is required.",
            valueName: "dir"
        )
    )
    var credentialsFolder: String?

    @Option(
        help: .init(
            "The ASk, 16 bytes; DASk is derived from it by the development function.",
            valueName: "hex|@file"
        )
    )
    var ask: String?

    @Option(help: .init("DASk, 16 bytes.", valueName: "hex|@file"))
    var dask: String?

    /// True if the options specify a device.
    var isGiven: Bool { credentialsFolder != nil || ask != nil || dask != nil }

    /// Returns the device.
    func device() throws -> FPSDevice { try options().device() }

    /// Returns the rule by which the device obtains DASk.
    func rule() throws -> DASkRule { try options().rule() }

    private func options() throws -> DeviceOptions {
        let given = [("--credentials", credentialsFolder), ("--ask", ask), ("--dask", dask)]
        let arguments = given.flatMap { name, value in value.map { [name, $0] } ?? [] }
        return try DeviceOptions.parse(["--profile", profile] + arguments)
    }
}
