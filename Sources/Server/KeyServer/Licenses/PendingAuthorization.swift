import FPSMessages
import KeyServerModule
import KeyStore

/// The authorization of a request by an authorizer that needs the contents of the SPC, until it has been granted.
struct PendingAuthorization: Sendable {
    /// The request, without what the SPC contains.
    let request: PlaybackRequest
    /// The authorizer.
    let authorizer: any PlaybackAuthorizer
    /// True if the authorizer gets the asset. The items of a batch are authorized together, without an asset.
    let includesAsset: Bool
    /// The reason why the request is not authorized, once the authorizer has decided.
    private(set) var error: (any Error)?

    /// Creates the authorization of a request that the authorizer has not seen.
    init(_ request: PlaybackRequest, by authorizer: any PlaybackAuthorizer, includesAsset: Bool) {
        self.request = request
        self.authorizer = authorizer
        self.includesAsset = includesAsset
    }

    /// Records that the authorizer has not permitted the request.
    mutating func refuse(_ error: any Error) { self.error = error }
}

extension LicenseService {
    /// Returns an attempt for a request: an authorized one, or for an authorizer that needs the contents of the SPC, one
    /// whose authorization is pending. ``answer(_:)`` completes it after the SPC has been decrypted.
    ///
    /// - Throws: The errors of the authorizer, which are recorded; `KeyStoreError`.
    func attempt(
        _ request: LicenseRequest,
        _ playback: PlaybackRequest,
        by authorizer: any PlaybackAuthorizer
    ) async throws -> LicenseAttempt {
        var playback = playback
        if let name = request.assetID { playback.assetID = try await registeredAssetID(for: name) }
        return try await attempts([request], playback, by: authorizer, includesAsset: true)[0]
    }

    /// Returns attempts for the requests of a batch, which have one authorization.
    ///
    /// - Throws: The errors of the authorizer, which are recorded.
    func attempts(
        _ requests: [LicenseRequest],
        _ playback: PlaybackRequest,
        by authorizer: any PlaybackAuthorizer,
        includesAsset: Bool = false
    ) async throws -> [LicenseAttempt] {
        if authorizer.needsSPC {
            try await precheck(playback, by: authorizer)
            let pending = PendingAuthorization(playback, by: authorizer, includesAsset: includesAsset)
            return requests.map { LicenseAttempt(.spc($0), playback.facts, pending: pending) }
        }
        let authorization = try await authorize(playback, by: authorizer)
        return requests.map {
            LicenseAttempt(
                .spc($0),
                playback.facts,
                authorization: authorization,
                authorizedAssetID: playback.assetID
            )
        }
    }

    /// Requests the pending authorizations of attempts whose SPCs have been decrypted. The authorizer is called once for
    /// the items of a batch, and once more for each other device.
    ///
    /// - Parameter decided: The decisions for the items of the same batch, by what the device reported.
    func authorized(_ attempts: [LicenseAttempt], _ decided: inout AuthorizationDecisions) async -> [LicenseAttempt] {
        var attempts = attempts
        for index in attempts.indices {
            guard let pending = attempts[index].pending, let sender = attempts[index].sender else { continue }
            let device = DeviceInformation(sender.spc.device)
            if decided[device] == nil { decided[device] = await decision(on: pending, sender, device) }
            switch decided[device] {
            case .success(let decision)?: attempts[index].authorize(decision.authorization, for: decision.assetID)
            case .failure(let error)?: attempts[index].refuse(error)
            case nil: break
            }
        }
        return attempts
    }

    private func decision(
        on pending: PendingAuthorization,
        _ sender: SPCSender,
        _ device: DeviceInformation
    ) async -> Result<AuthorizationDecisions.Permission, any Error> {
        do {
            var request = pending.request
            request.device = device
            if pending.includesAsset, request.assetID == nil {
                request.assetID = try await registeredAssetID(for: sender.spc.request.assetID.bytes)
            }
            let authorization = try await recording.measured(.authorize) { [request] in
                try await pending.authorizer.authorize(request)
            }
            return .success((authorization, request.assetID))
        } catch {
            return .failure(error)
        }
    }
}

/// The decisions of an authorizer on the items of a request, by what their devices report.
struct AuthorizationDecisions {
    /// A permission, and the registered asset that it is for; nil if it is for no asset in particular.
    typealias Permission = (authorization: PlaybackAuthorization, assetID: [UInt8]?)

    private var results: [DeviceInformation: Result<Permission, any Error>] = [:]

    subscript(device: DeviceInformation) -> Result<Permission, any Error>? {
        get { results[device] }
        set { results[device] = newValue }
    }
}
