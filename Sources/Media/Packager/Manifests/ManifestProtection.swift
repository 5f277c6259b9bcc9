import DASHManifest
import DRMSignaling

extension ContentProtection {
    /// Returns the ContentProtection elements of a key: the scheme with the key ID, then one for each system, in the
    /// order of the job.
    ///
    ///     widevine    cenc:pssh
    ///     playready   cenc:pssh, mspr:pro
    ///     common      cenc:pssh
    ///     fairplay    empty: its players read the key ID from the init segment
    ///     identity    no element
    ///
    /// - Throws: `SignalingError`.
    static func all(
        _ protection: TrackProtection,
        _ systems: [ProtectionSystem]
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
            all.append(
                ContentProtection(
                    systemID: systemID.description,
                    name: title(of: system),
                    pssh: system == .fairPlay ? nil : box?.base64,
                    playReadyObject: object.flatMap { try? PlayReadyObject($0) }?.base64
                )
            )
        }
        return all
    }

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
