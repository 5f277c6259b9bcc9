package import DRMSignaling

/// The URLs that a DASH manifest contains for players: `dashif:Laurl` and `dashif:Certurl` (DASH-IF IOP v5, Part 6).
/// Players without a configured license server use them.
package struct LicenseURLs: Hashable, Sendable {
    /// The URLs of the license servers.
    package var servers: [ProtectionSystem: String] = [:]
    /// The URL of the FairPlay certificate.
    package var fairPlayCertificate: String?

    /// Creates an empty set.
    package init() {}

    /// True if there are no URLs.
    package var isEmpty: Bool { servers.isEmpty && fairPlayCertificate == nil }
}

extension PackagingJob {
    /// Checks that the URLs are for systems of the job, and that there is a manifest that can contain them.
    ///
    /// - Throws: ``JobFailure``.
    func checkLicenseURLs() throws(JobFailure) {
        let unused = licenseURLs.servers.keys.filter { !systems.contains($0) }.map(\.name).min()
        if let unused {
            throw JobFailure("license-url", "\(unused) is not one of the systems: add it to systems, or leave it out")
        }
        guard licenseURLs.fairPlayCertificate == nil || systems.contains(.fairPlay) else {
            throw JobFailure("certificate-url", "applies only to FairPlay: add fairplay to systems, or leave it out")
        }
        guard licenseURLs.isEmpty || manifests.contains(.dash) else {
            throw JobFailure(
                licenseURLs.servers.isEmpty ? "certificate-url" : "license-url",
                "applies only to DASH manifests: add dash to manifests, or leave it out"
            )
        }
    }
}
