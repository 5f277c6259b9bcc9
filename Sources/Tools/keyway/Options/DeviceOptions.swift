import ArgumentParser
import FPSCrypto
import VirtualDevice

/// The options that select a virtual device and its source of DASk.
struct DeviceOptions: ParsableArguments {
    @Option(help: .init("The device profile: \(Self.names).", valueName: "name"))
    var profile = "iphone"

    @Option(
        help: .init(
            "The ASk, 16 bytes; DASk is derived from it by the development function. Exactly one "
                + "of --ask, --dask, and --credentials is required.",
            valueName: "hex|@file"
        )
    )
    var ask: String?

    @Option(help: .init("DASk, 16 bytes.", valueName: "hex|@file"))
    var dask: String?

    @Option(
        name: .customLong("credentials"),
        help: .init("A folder created by keyway credentials new; its ASk (ask.hex) is used.", valueName: "dir")
    )
    var credentialsFolder: String?

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
        name: .customLong("versions"),
        help: .init(
            "The protocol versions for the SPC, separated by commas, as an app reads them from "
                + "KEYFORMATVERSIONS in the playlist. Only this option is used; no playlist is read for "
                + "them.",
            valueName: "list"
        )
    )
    var versionList = "1"

    static var names: String { DeviceProfile.all.map(\.name).joined(separator: ", ") }

    func validate() throws {
        guard [ask, dask, credentialsFolder].compactMap({ $0 }).count == 1 else {
            throw ValidationError("Exactly one of --ask, --dask, and --credentials is required, to provide DASk.")
        }
        guard DeviceProfile.named(profile) != nil else {
            throw ValidationError("--profile: '\(profile)' is unknown; expected one of \(Self.names).")
        }
        guard ProtocolVersionList.versions(versionList) != nil else {
            throw ValidationError("--versions: expected a list of numbers such as 1,2.")
        }
    }

    /// The protocol versions in the playlist.
    var versions: [UInt32] { ProtocolVersionList.versions(versionList) ?? [] }

    /// Returns a device that uses this clock.
    func device(clock: any DeviceClock = SystemDeviceClock()) throws(CommandFailure) -> FPSDevice {
        guard let profile = DeviceProfile.named(profile) else {
            throw .usage("--profile: '\(self.profile)' is unknown", next: "give one of \(Self.names)")
        }
        return FPSDevice(
            profile: profile,
            dask: try rule(),
            clock: clock,
            random: seed.map { .seeded($0) } ?? .secure
        )
    }

    /// Returns the rule by which the device obtains DASk.
    func rule() throws(CommandFailure) -> DASkRule {
        if let dask { return .fixed(try HexArgument.secret(dask, option: "--dask", count: 16)) }
        let text = credentialsFolder.map { "@\($0)/ask.hex" } ?? ask ?? ""
        return .development(ask: try HexArgument.secret(text, option: "--ask", count: 16))
    }
}

/// A parser for lists of protocol versions, separated by commas or slashes.
enum ProtocolVersionList {
    /// Returns the numbers; nil if the list is empty or contains anything else.
    static func versions(_ text: String) -> [UInt32]? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "/" }
        let numbers = parts.compactMap { UInt32($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}
