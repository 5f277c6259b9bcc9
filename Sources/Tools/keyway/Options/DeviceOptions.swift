import ArgumentParser
import FPSCrypto
import VirtualDevice

/// Which virtual device it is, and how it gets DASk.
struct DeviceOptions: ParsableArguments {
    @Option(help: .init("What kind of device: \(Self.names).", valueName: "name"))
    var profile = "iphone"

    @Option(help: .init("ASk, 16 bytes: DASk by the development rule.", valueName: "hex|@file"))
    var ask: String?

    @Option(help: .init("DASk itself, 16 bytes.", valueName: "hex|@file"))
    var dask: String?

    @Option(
        name: .customLong("credentials"),
        help: .init("A folder made by keyway credentials new: ASk is taken from it.", valueName: "dir")
    )
    var credentialsFolder: String?

    @Option(
        help: .init(
            "Make random numbers from this seed, for tests. Made again later, the SPC is refused as a changed copy: its RSA block is the same.",
            valueName: "number"
        )
    )
    var seed: UInt64?

    @Option(
        name: .customLong("versions"),
        help: .init("The protocol versions of the playlist (KEYFORMATVERSIONS), with commas.", valueName: "list")
    )
    var versionList = "1"

    private static var names: String { DeviceProfile.all.map(\.name).joined(separator: ", ") }

    func validate() throws {
        guard [ask, dask, credentialsFolder].compactMap({ $0 }).count == 1 else {
            throw ValidationError("Give one of --ask, --dask and --credentials: they say how the device gets DASk.")
        }
        guard DeviceProfile.named(profile) != nil else {
            throw ValidationError("There is no profile '\(profile)'; there are \(Self.names).")
        }
        guard ProtocolVersionList.versions(versionList) != nil else {
            throw ValidationError("--versions is a list such as 1,2.")
        }
    }

    /// The protocol versions of the playlist.
    var versions: [UInt32] { ProtocolVersionList.versions(versionList) ?? [] }

    /// A device with this clock.
    func device(clock: any DeviceClock = SystemDeviceClock()) throws(CommandFailure) -> FPSDevice {
        guard let profile = DeviceProfile.named(profile) else { throw .usage("there is no profile \(self.profile)") }
        return FPSDevice(
            profile: profile,
            dask: try rule(),
            clock: clock,
            random: seed.map { .seeded($0) } ?? .secure
        )
    }

    /// How the device gets DASk.
    func rule() throws(CommandFailure) -> DASkRule {
        if let dask { return .fixed(try HexArgument.secret(dask, option: "--dask", count: 16)) }
        let text = credentialsFolder.map { "@\($0)/ask.hex" } ?? ask ?? ""
        return .development(ask: try HexArgument.secret(text, option: "--ask", count: 16))
    }
}

/// Protocol versions, with commas or slashes between them.
enum ProtocolVersionList {
    /// The numbers; nil if the list is empty or holds something else.
    static func versions(_ text: String) -> [UInt32]? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "/" }
        let numbers = parts.compactMap { UInt32($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}
