package import AVFoundation
import FPSCrypto
package import Foundation
package import KeywayTesting
import Locking
package import VirtualDevice

/// The virtual device as the FairPlay device of AVFoundation's classes: real SPCs, real CKCs, persistable keys.
package final class VirtualFairPlayDevice: FairPlayDevice, CustomReflectable {
    /// Nothing: reflection ends the process at the properties of the device that cannot be copied.
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The device, whose display a test can change.
    package let device: FPSDevice
    private let profile: DeviceProfile
    private let clock: any DeviceClock

    private struct State {
        /// The origin of each persistable key: the messages about it need the certificate and, with a random
        /// identifier, the device.
        var origins: [Data: Origin] = [:]
        var failures: [Int] = []
    }
    private let state = Lock(State())

    struct Origin: Sendable {
        var device: FPSDevice
        var certificate: [UInt8]
    }

    /// Creates a device that a server accepts, with the server's time.
    package init(_ profile: DeviceProfile = .iPhone, server: TestKeyServer) {
        (self.profile, clock) = (profile, server.clock.deviceClock)
        device = server.makeDevice(profile)
    }

    /// Lets the next SPC fail with a number of the guide.
    package func failNextSPC(with number: Int) { state.withLock { $0.failures.append(number) } }

    // MARK: FairPlayDevice

    package func canPersist(on route: OutputRoute) -> Bool { profile.supportsPersistentKeys && route == .local }

    package func beginSession() -> UInt64 { device.beginSession().id }

    package func makeSPC(_ parameters: SPCParameters) throws(NSError) -> any FairPlayRequest {
        let failure = state.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
        if let failure { throw status(failure) }
        // A device with another secret has another identifier.
        let device = parameters.randomDeviceSeed.map { seed in
            let secret = SecretBytes(copying: Array(seed) + Array(seed))
            return FPSDevice(
                profile: profile,
                dask: .development(ask: TestKeyServer.ask),
                secret: secret,
                clock: clock
            )
        }
        return try makeSPC(parameters, on: device ?? self.device)
    }

    private func makeSPC(_ parameters: SPCParameters, on device: FPSDevice) throws(NSError) -> any FairPlayRequest {
        // Rule 16: an empty identifier counts as a missing one (-42673).
        let assetID = parameters.contentIdentifier.flatMap { $0.isEmpty ? nil : Array($0) }
        let output: DeviceProfile.Output? =
            switch parameters.route {
            case .local: nil
            case .airPlay: .airPlay
            case .digitalAVAdapter: .digitalAVAdapter
            }
        let request = try translating { () throws(FPSError) in
            try device.makeSPC(
                certificate: Array(parameters.certificate),
                assetID: assetID,
                versions: parameters.versions.map { UInt32(clamping: $0) },
                options: .init(session: .init(id: parameters.session), output: output)
            )
        }
        return Request(request, device, parameters)
    }

    package func makeSPC(renewing key: any FairPlayKey) throws(NSError) -> any FairPlayRequest {
        guard let key = key as? Key else { throw status(-42676) }
        do throws(FPSError) {
            let request = try key.device.makeSPC(renewing: key.key)
            return Request(request, key.device, key.parameters, renewing: key)
        } catch {
            // A key that does not play yet has nothing to renew: a new key.
            guard error == .notPlaying, let parameters = key.parameters else { throw status(error) }
            return try makeSPC(parameters, on: key.device)
        }
    }

    package func open(ckc: Data, for request: any FairPlayRequest) throws(NSError) -> any FairPlayKey {
        guard let request = request as? Request else { throw status(-42668) }
        let key = try translating { () throws(FPSError) in
            try request.device.process(ckc: Array(ckc), for: request.request)
        }
        return request.renewing ?? Key(self, key, request.device, parameters: request.parameters)
    }

    package func persistableKey(ckc: Data, for request: any FairPlayRequest) throws(NSError) -> Data {
        guard let request = request as? Request else { throw status(-42668) }
        let key = try translating { () throws(FPSError) in
            try request.device.makePersistentKey(ckc: Array(ckc), for: request.request)
        }
        let certificate = Array(request.parameters?.certificate ?? Data())
        note(Data(key), Origin(device: request.device, certificate: certificate))
        return Data(key)
    }

    package func load(persistable: Data, session: UInt64) throws(NSError) -> any FairPlayKey {
        let origin = origin(persistable)
        let device = origin?.device ?? device
        let key = try translating { () throws(FPSError) in
            try device.loadPersistentKey(Array(persistable), session: .init(id: session))
        }
        return Key(self, key, device, origin: origin)
    }

    package func secureToken(of persistable: Data) throws(NSError) -> Data {
        let origin = origin(persistable)
        let device = origin?.device ?? device
        return try translating { () throws(FPSError) in
            // Rule 62: the number is from the field, and its meaning inferred.
            guard try device.facts(of: Array(persistable)).hasDualExpiry else { throw Self.noOfflineKey }
            return Data(try device.makeSyncSPC(for: Array(persistable), certificate: origin?.certificate))
        }
    }

    private static let noOfflineKey = FPSError.invalidPersistentKey.because("no Offline Key TLLV")

    package func invalidate(_ subject: InvalidationSubject, versions: [Int], challenge: UInt64) throws(NSError) -> Data
    {
        let versions = versions.map { UInt32(clamping: $0) }
        return try translating { () throws(FPSError) in
            switch subject {
            case .key(let data):
                let origin = origin(data)
                return Data(
                    try (origin?.device ?? device).invalidate(
                        .title(Array(data)),
                        certificate: origin?.certificate,
                        challenge: challenge,
                        versions: versions
                    )
                )
            case .all(let certificate):
                return Data(
                    try device.invalidate(
                        .all(assetID: Array("all".utf8)),
                        certificate: Array(certificate),
                        challenge: challenge,
                        versions: versions
                    )
                )
            }
        }
    }

    package func expiredSessionReport(of key: any FairPlayKey) -> Data? {
        // A server does not track the playback of persistable keys.
        guard let key = key as? Key, key.parameters != nil else { return nil }
        return (try? key.device.makeSPC(renewing: key.key, state: .halted)).map { Data($0.spc) }
    }

    // MARK: Persistable keys

    func note(_ persistable: Data, _ origin: Origin) { state.withLock { $0.origins[persistable] = origin } }
    private func origin(_ persistable: Data) -> Origin? { state.withLock { $0.origins[persistable] } }

    private final class Request: FairPlayRequest, CustomReflectable {
        var customMirror: Mirror { Mirror(self, children: [:]) }
        let request: KeyRequest
        let device: FPSDevice
        let parameters: SPCParameters?
        let renewing: Key?
        var spc: Data { Data(request.spc) }

        init(_ request: KeyRequest, _ device: FPSDevice, _ parameters: SPCParameters?, renewing: Key? = nil) {
            (self.request, self.device, self.parameters, self.renewing) = (request, device, parameters, renewing)
        }
    }
}

/// Returns a number of the guide as AVFoundation's underlying error.
func status(_ number: Int) -> NSError { NSError(domain: NSOSStatusErrorDomain, code: number) }

/// Returns the number of an error. Where the guide defines none, it is that of the nearest meaning; -50 (a wrong
/// parameter) is invented.
func status(_ error: FPSError) -> NSError {
    if error.reason == "no Offline Key TLLV" { return status(-46250) }
    if let code = error.code { return status(Int(code)) }
    switch error {
    case .persistenceNotAllowed: return status(-42668)
    case .outputRestricted: return status(-42811)
    case .rentalExpired: return status(-42800)
    default: return status(-50)
    }
}

func translating<Value>(_ body: () throws(FPSError) -> Value) throws(NSError) -> Value {
    do throws(FPSError) { return try body() } catch { throw status(error) }
}
