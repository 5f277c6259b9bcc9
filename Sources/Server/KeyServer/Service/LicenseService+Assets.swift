import KeyServerModule
import KeyStore

// From what a client calls content to the registered asset: before who decides is asked, and after.

extension LicenseService {
    /// The asset ID of the content that a client's name for it means; the name itself where there is none. Only a name that may
    /// be an ``AssetAlias`` is looked up.
    func registeredAssetID(for name: [UInt8]) async throws -> [UInt8] {
        guard !AssetAlias.readings(of: name).isEmpty else { return name }
        return try await store.lookup(name: name)?.record.info.assetID ?? name
    }
}

extension LicenseService.Question {
    /// Holds that the content is what the authorizer was asked about. A catalog that changes in between may give a name
    /// another meaning.
    ///
    /// - Throws: `asset-id-mismatch`.
    func requireAuthorized(_ assetID: [UInt8]) throws(KSMError) {
        guard let authorizedAssetID, authorizedAssetID != assetID else { return }
        throw KSMError(.policy, .assetIDMismatch, "the SPC names another asset than was authorized")
    }
}
