import ArgumentParser
import DRMSignaling
import Foundation
import Packager
import ToolSupport

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

    @Option(
        name: .customLong("license-url"),
        help: .init(
            "The URL of a license server for players of the DASH manifest (dashif:Laurl), such as "
                + "fairplay=https://keys.example.com/fps/license; the systems are those of --systems. Repeatable. "
                + "(default: players must be configured)",
            valueName: "system=url"
        ),
        transform: LicenseURLArgument.parse
    )
    var licenseURLs: [LicenseURLArgument] = []

    @Option(
        name: .customLong("certificate-url"),
        help: .init(
            "The URL of the FairPlay certificate for players of the DASH manifest (dashif:Certurl). (default: players "
                + "must be configured)",
            valueName: "url"
        ),
        transform: LicenseURLArgument.url
    )
    var certificateURL: String?
}

/// The URL of a system's license server on the command line.
///
///     argument = system "=" url
struct LicenseURLArgument: Hashable, Sendable {
    let system: ProtectionSystem
    let url: String

    /// Parses an argument.
    static func parse(_ text: String) throws(ValidationError) -> LicenseURLArgument {
        // The text may be a URL with a secret query, so no error contains it.
        guard let sign = text.firstIndex(of: "="),
            let systems = try? ProtectionSystem.parse(list: String(text[..<sign])), systems.count == 1,
            let system = systems.first, system != .identity
        else {
            throw ValidationError(
                "expected SYSTEM=URL, such as clearkey=https://keys.example.com/clearkey; the systems are fairplay, "
                    + "widevine, playready, and clearkey"
            )
        }
        return LicenseURLArgument(system: system, url: try url(String(text[text.index(after: sign)...])))
    }

    /// Parses a URL. The error does not contain it. A manifest is public, so a URL with a password is rejected.
    static func url(_ text: String) throws(ValidationError) -> String {
        guard let url = URLArgument.url(text), url.user == nil, url.password == nil else {
            throw ValidationError("expected an http or https URL without user name and password")
        }
        return url.absoluteString
    }
}

extension FairPlayVersions: ExpressibleByArgument {
    /// Parses an argument.
    package init?(argument: String) { self.init(argument) }
}
