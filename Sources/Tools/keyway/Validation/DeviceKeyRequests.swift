import FPSCrypto
import HLSPlaylist
import StreamValidation
import Synchronization
import ToolSupport
import VirtualDevice

/// Requests keys from a key server with virtual devices, one for each device class.
final class DeviceKeyRequests: Sendable {
    /// The profiles of the devices.
    let profiles: [DeviceProfile]
    private let client: KeyServerClient
    private let devices: [String: FPSDevice]
    private let certificate: CertificateRequest
    private let log = Mutex<[KeyRequestOutcome]>([])
    /// All CKCs received so far.
    private let received = Mutex<Set<[UInt8]>>([])

    /// The outcomes of all requests so far, in the order in which they ended.
    var outcomes: [KeyRequestOutcome] { log.withLock { $0 } }

    /// Creates the devices, without sending requests.
    init(client: KeyServerClient, profiles: [DeviceProfile], dask: DASkRule) {
        (self.client, self.profiles) = (client, profiles)
        certificate = CertificateRequest(client)
        devices = Dictionary(
            profiles.map { profile in
                let device = FPSDevice(profile: profile, dask: dask, clock: SystemDeviceClock(), random: .secure)
                // What a license requires of a display is compared with the playlist, and never prevents decryption.
                device.display = .hdcpType1
                return (profile.name, device)
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Requests a key.
    func license(for request: ValidationKeyRequest) async -> ValidationLicense {
        guard let device = request.deviceClass.flatMap({ devices[$0] }) else {
            return ValidationLicense(failure: "no device is configured")
        }
        guard !request.isPersistent || device.profile.supportsPersistentKeys else {
            return ValidationLicense(failure: "the device does not support persistent keys", isUnsupported: true)
        }
        guard let assetID = request.tag.uri.flatMap(DevicePlayCommand.assetID) else {
            return ValidationLicense(failure: "its URI has no asset ID of 2 to 200 bytes")
        }
        let clock = ContinuousClock()
        let start = clock.now
        var facts: LicenseFacts?
        var stage = KeyRequestOutcome.Stage.certificate
        var isRepeated = false
        do {
            let certificate = try await certificate.value()
            stage = .spc
            let spc = try device.makeSPC(
                certificate: certificate,
                assetID: assetID,
                versions: request.tag.protocolVersions
            )
            stage = .license
            let ckc = try await client.license(spc: spc.spc, persistable: request.isPersistent).ckc
            stage = .ckc
            isRepeated = !received.withLock { $0.insert(ckc).inserted }
            let examination = spc.examine(ckc: ckc)
            // Terms of a CKC that cannot be decrypted are not known.
            if examination.contentKey != nil { facts = LicenseFacts(examination.terms) }
            let key =
                request.isPersistent
                ? try device.loadPersistentKey(try device.makePersistentKey(ckc: ckc, for: spc))
                : try device.process(ckc: ckc, for: spc)
            try key.startPlaying()
            let content = try key.contentKey()
            if let lease = facts?.lease, lease > 0 { facts?.isRenewable = await renews(key, on: device) }
            key.stopPlaying()
            note(request, .done)
            var license = ValidationLicense(key: content.key, iv: content.iv, facts: facts)
            license.duration = clock.now - start
            return license
        } catch {
            note(request, stage, error, isRepeated: isRepeated)
            var license = ValidationLicense(failure: Self.reason(error))
            (license.facts, license.duration) = (facts, clock.now - start)
            return license
        }
    }

    private func note(
        _ request: ValidationKeyRequest,
        _ stage: KeyRequestOutcome.Stage,
        _ error: (any Error)? = nil,
        isRepeated: Bool = false
    ) {
        let outcome = KeyRequestOutcome(
            uri: request.tag.uri ?? "",
            deviceClass: request.deviceClass ?? "",
            isPersistent: request.isPersistent,
            stage: stage,
            error: error,
            isRepeated: isRepeated
        )
        log.withLock { $0.append(outcome) }
    }

    /// Returns whether the server renews the lease of a key.
    private func renews(_ key: DeviceKey, on device: FPSDevice) async -> Bool {
        do {
            let spc = try device.makeSPC(renewing: key)
            let ckc = try await client.license(spc: spc.spc, persistable: false).ckc
            _ = try device.process(ckc: ckc, for: spc)
            return true
        } catch {
            return false
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as CommandFailure: error.what
        case let error as FPSError: "the device refused it: \(error)"
        default: "the request failed"
        }
    }
}

/// The application certificate, which is requested once.
private actor CertificateRequest {
    private let client: KeyServerClient
    private var task: Task<[UInt8], any Error>?

    init(_ client: KeyServerClient) { self.client = client }

    /// Returns the certificate in DER.
    func value() async throws -> [UInt8] {
        if let task { return try await task.value }
        let new = Task { [client] in try await client.certificate().der }
        task = new
        return try await new.value
    }
}

extension LicenseFacts {
    /// Creates the facts from the terms in a CKC.
    init(_ terms: ReceivedLicenseTerms) {
        self.init()
        hdcp =
            switch terms.hdcp {
            case nil: nil
            case .some(.none): HDCPLevel.none
            case .type0: .type0
            case .type1: .type1
            }
        securityLevel = terms.securityLevel
        (lease, rental, isPersistable) = (terms.lease, terms.rental, terms.isPersistable)
    }
}
