import ArgumentParser
import FPSCrypto
import ToolSupport
import VirtualDevice

/// The options that select the virtual device of a player; clear media does not require one.
struct PlayDeviceOptions: ParsableArguments {
    @Option(
        name: .customLong("profile"),
        help: .init("The device profile. (default: \(ProfileArgument.iPhone.value.name))", valueName: "name")
    )
    var chosenProfile: ProfileArgument?

    @OptionGroup var source: DASkOptions

    /// The device profile, chosen or not.
    var profile: ProfileArgument { chosenProfile ?? .iPhone }

    func validate() throws {
        guard source.count <= 1 else {
            throw ValidationError("--credentials, --ask, and --dask cannot be combined: give only one of them.")
        }
    }

    /// True if the options specify a device.
    var isGiven: Bool { source.count > 0 }

    /// Returns the device.
    func device() throws(CommandFailure) -> FPSDevice {
        FPSDevice(profile: profile.value, dask: try source.rule(), clock: SystemDeviceClock(), random: .secure)
    }
}

/// The options for the source of a virtual device's DASk. A command requires exactly one of them.
struct DASkOptions: ParsableArguments {
    @Option(
        name: .customLong("credentials"),
        help: .init("A folder created by keyway credentials new; its ASk (ask.hex) is used.", valueName: "folder")
    )
    var credentialsFolder: FolderPath?

    @Option(
        help: .init("The ASk, 16 bytes; DASk is derived from it by the development function.", valueName: "hex|@file")
    )
    var ask: HexArgument?

    @Option(help: .init("DASk, 16 bytes.", valueName: "hex|@file"))
    var dask: HexArgument?

    /// The number of sources that are given.
    var count: Int { [credentialsFolder != nil, ask != nil, dask != nil].count { $0 } }

    /// Returns the rule by which the device obtains DASk.
    func rule() throws(CommandFailure) -> DASkRule {
        if let dask { return .fixed(try dask.secret(16, option: "--dask")) }
        let stored = credentialsFolder.map { HexArgument(argument: "@\($0)/ask.hex") }
        guard let ask = stored ?? ask else {
            throw .usage("no source of DASk is given", next: "give --credentials, --ask, or --dask")
        }
        return .development(ask: try ask.secret(16, option: "--ask"))
    }
}

/// The profile of a virtual device, by its name.
struct ProfileArgument: ExpressibleByArgument {
    /// The profile.
    let value: DeviceProfile

    static let iPhone = ProfileArgument(value: .iPhone)

    private init(value: DeviceProfile) { self.value = value }

    init?(argument: String) {
        guard let value = DeviceProfile.named(argument) else { return nil }
        self.value = value
    }

    static var allValueStrings: [String] { DeviceProfile.all.map(\.name) }
    var defaultValueDescription: String { value.name }
}
