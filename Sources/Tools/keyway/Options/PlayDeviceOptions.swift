import ArgumentParser
import VirtualDevice

/// Which virtual device plays; none is needed for clear media.
struct PlayDeviceOptions: ParsableArguments {
    @Option(help: .init("What kind of device, as in keyway device.", valueName: "name"))
    var profile = "iphone"

    @Option(
        name: .customLong("credentials"),
        help: .init("A folder made by keyway credentials new: ASk is taken from it.", valueName: "dir")
    )
    var credentialsFolder: String?

    @Option(help: .init("ASk, 16 bytes: DASk by the development rule.", valueName: "hex|@file"))
    var ask: String?

    @Option(help: .init("DASk itself, 16 bytes.", valueName: "hex|@file"))
    var dask: String?

    /// Whether there is a device.
    var isGiven: Bool { credentialsFolder != nil || ask != nil || dask != nil }

    /// The device.
    func device() throws -> FPSDevice { try options().device() }

    /// How it gets DASk.
    func rule() throws -> DASkRule { try options().rule() }

    private func options() throws -> DeviceOptions {
        let given = [("--credentials", credentialsFolder), ("--ask", ask), ("--dask", dask)]
        let words = given.flatMap { name, value in value.map { [name, $0] } ?? [] }
        return try DeviceOptions.parse(["--profile", profile] + words)
    }
}
