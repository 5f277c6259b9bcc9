import KeyServerModule
import KeyStore

// Resolves the client's name for content to the registered asset, both before and after authorization.

extension LicenseService {
    /// Returns the registered asset ID for a client's name of content, or the name itself if there is no such content.
    /// Only names that can be an ``AssetAlias`` are looked up.
    func registeredAssetID(for name: [UInt8]) async throws -> [UInt8] {
        guard !AssetAlias.readings(of: name).isEmpty else { return name }
        return try await store.lookup(name: name)?.record.info.assetID ?? name
    }
}

extension LicenseService.Attempt {
    /// Checks that the content is the one that was authorized. If the catalog changes in between, a name can have
    /// another meaning.
    ///
    /// - Throws: `asset-id-mismatch`.
    func requireAuthorized(_ assetID: [UInt8]) throws(KSMError) {
        guard let authorizedAssetID, authorizedAssetID != assetID else { return }
        throw KSMError(.policy, .assetIDMismatch, "the SPC's asset ID is not the authorized one")
    }
}
