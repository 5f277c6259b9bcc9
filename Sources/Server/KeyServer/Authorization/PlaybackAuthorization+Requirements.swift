import FPSCrypto
package import KeyStore

extension PlaybackAuthorization {
    /// Checks that the authorization permits the contents of a decrypted SPC.
    ///
    /// - Parameters:
    ///   - assetID: The SPC's asset ID.
    ///   - title: The title of the asset; nil if it has none.
    ///   - deviceHash: The hash of the SPC's device; nil if the SPC has no device ID.
    /// - Throws: ``ProblemType/tokenAsset``, ``ProblemType/tokenDevice``.
    package func require(assetID: [UInt8], title: String?, deviceHash: DeviceHash?) throws(ProblemDocument) {
        try require(assetID: assetID)
        if let allowed = self.title, allowed != title {
            throw ProblemDocument(.tokenAsset, detail: "The token is for another title.", reason: "title")
        }
        if let device, !SecretBytes.constantTimeEquals(device, deviceHash?.bytes ?? []) {
            throw ProblemDocument(.tokenDevice)
        }
    }

    /// Checks the asset, which is possible before the SPC is decrypted.
    func require(assetID: [UInt8]) throws(ProblemDocument) {
        guard let assets else { return }
        guard assets.contains(where: { $0.utf8.elementsEqual(assetID) }) else {
            throw ProblemDocument(.tokenAsset, reason: "assets")
        }
    }

    /// Checks times and asset of a request, for both tokens and webhook responses.
    ///
    /// If `notAfter` has passed, the authorization has expired. Otherwise it would result in durations of zero, which
    /// mean no limit for a device.
    func require(fits request: PlaybackRequest, skew: Int64) throws(ProblemDocument) {
        guard request.now < expires + skew else { throw ProblemDocument(.tokenExpired) }
        if let notAfter, request.now >= notAfter { throw ProblemDocument(.tokenExpired, reason: "notAfter") }
        if let assetID = request.assetID { try require(assetID: assetID) }
    }
}

extension TokenBindingClaim {
    /// Creates a claim for a token, identified by its issuer and its `jti`. Both are prefixed with their lengths, so
    /// that different pairs have different hashes.
    init(issuer: String, tokenID: String, expires: Int64) {
        var message: [UInt8] = []
        for text in [issuer, tokenID] {
            message += withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Array($0) }
            message += text.utf8
        }
        self.init(token: SHA256.hash(message), expires: expires)
    }
}
