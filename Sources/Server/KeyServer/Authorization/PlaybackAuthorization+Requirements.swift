import FPSCrypto
package import KeyStore

extension PlaybackAuthorization {
    /// Holds the authorization against what an opened SPC asks for. Everything that the authorization names must fit.
    ///
    /// - Parameters:
    ///   - assetID: the SPC's asset ID.
    ///   - title: the title that the asset belongs to; nil when it belongs to none.
    ///   - deviceHash: stands for the SPC's device; nil when the SPC names none.
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

    /// The part that can be held against a request before its SPC is opened.
    func require(assetID: [UInt8]) throws(ProblemDocument) {
        guard let assets else { return }
        guard assets.contains(where: { $0.utf8.elementsEqual(assetID) }) else {
            throw ProblemDocument(.tokenAsset, reason: "assets")
        }
    }

    /// Holds times and the named asset against a request: what a token and a webhook's answer have in common.
    ///
    /// A `notAfter` that has passed is an end like any other. Let through, it would leave durations of zero, which a
    /// device takes for no limit.
    func require(fits request: PlaybackRequest, skew: Int64) throws(ProblemDocument) {
        guard request.now < expires + skew else { throw ProblemDocument(.tokenExpired) }
        if let notAfter, request.now >= notAfter { throw ProblemDocument(.tokenExpired, reason: "notAfter") }
        if let assetID = request.assetID { try require(assetID: assetID) }
    }
}

extension TokenBindingClaim {
    /// Names a token by its issuer and its `jti`: both with their lengths before them, so that no two pairs are one.
    init(issuer: String, tokenID: String, expires: Int64) {
        var message: [UInt8] = []
        for text in [issuer, tokenID] {
            message += withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Array($0) }
            message += text.utf8
        }
        self.init(token: SHA256.hash(message), expires: expires)
    }
}
