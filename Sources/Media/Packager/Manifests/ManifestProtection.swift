import DASHManifest
import DRMSignaling

extension ContentProtection {
    /// Returns the ContentProtection elements of a key: the scheme with the key ID, then one for each system, in the
    /// order of the job.
    ///
    ///     widevine    cenc:pssh
    ///     playready   cenc:pssh, mspr:pro
    ///     common      cenc:pssh
    ///     fairplay    no box: its players read the key ID from the init segment
    ///     identity    no element
    ///
    /// Each also has dashif:Laurl if the job has a URL for the system, and FairPlay dashif:Certurl. A URL for Clear Key is
    /// in an additional element of ``clearKeyID``: players search for it there, and for the box in that of the common
    /// system.
    ///
    /// - Throws: `SignalingError`.
    static func all(
        _ protection: TrackProtection,
        _ systems: [ProtectionSystem],
        _ urls: LicenseURLs = LicenseURLs()
    ) throws(SignalingError) -> [ContentProtection] {
        guard let scheme = protection.scheme.commonEncryption, let keyID = ContentKeyID(protection.keyID) else {
            return []
        }
        var all = [ContentProtection(scheme: scheme.description, keyID: keyID.uuid)]
        for system in systems {
            guard let systemID = system.systemID else { continue }
            let made = try ProtectionSystemSpecificHeader(announcing: [keyID], to: system, scheme: scheme)
            let box = protection.systemData.box(for: keyID, system) ?? made
            // The data of a PlayReady box is the PlayReady Object.
            let object = system == .playReady ? box?.data : nil
            var element = ContentProtection(
                systemID: systemID.description,
                name: title(of: system),
                pssh: system == .fairPlay ? nil : box?.base64,
                playReadyObject: object.flatMap { try? PlayReadyObject($0) }?.base64
            )
            element.robustness = protection.systemData.robustness(for: keyID, system)
            if system == .fairPlay { element.certificateURL = urls.fairPlayCertificate }
            if system != .common { element.licenseURL = urls.servers[system] }
            all.append(element)
            if system == .common, let url = urls.servers[system] {
                var clearKey = ContentProtection(systemID: clearKeyID, name: "ClearKey1.0")
                clearKey.licenseURL = url
                all.append(clearKey)
            }
        }
        return all
    }

    /// The system ID of Clear Key in DASH manifests (DASH-IF, Content Protection identifiers).
    private static let clearKeyID = "e2719d58-a985-b3c9-781a-b030af78d30e"

    /// Returns the names of systems as other packagers write them.
    private static func title(of system: ProtectionSystem) -> String? {
        switch system {
        case .widevine: "Widevine"
        case .playReady: "MSPR 2.0"
        case .fairPlay: "FairPlay"
        case .common: "ClearKey"
        default: nil
        }
    }
}
