import FPSCrypto
import FPSMessages
import KeyServerModule
package import KeyStore

/// Rules for content and policies that apply both over HTTP and on the command line.
package enum ContentDefaults {
    /// An invalid policy document.
    package struct PolicyDocumentError: Error, CustomStringConvertible {
        /// The field and the reason why it is invalid.
        package let description: String
        /// The place of the error, as a path such as `persist.storage`; nil for the whole document.
        package let field: String?

        init(description: String, field: String) { (self.description, self.field) = (description, field) }

        init(_ error: PolicyError) { (description, field) = ("\(error)", error.place) }
    }

    /// Returns the default stream ID of content: the first 16 bytes of SHA-256 over the asset ID. Persistent keys need
    /// a stream ID, and Sync reports contain it.
    package static func streamID(forAssetID assetID: [UInt8]) -> [UInt8] { Array(SHA256.hash(assetID).prefix(16)) }

    /// Validates a policy and returns it in canonical form.
    ///
    /// - Throws: ``PolicyDocumentError``; `KeyStoreError` for an invalid name.
    package static func policy(name: String, json: [UInt8]) throws -> PolicyRecord {
        var policy: LicensePolicy
        do {
            policy = try LicensePolicy(json: json)
            guard policy.name == nil || policy.name == name else {
                throw PolicyDocumentError(
                    description: "name: the document has \(policy.name ?? ""), the request \(name)",
                    field: "name"
                )
            }
            policy.name = name
            try policy.validate()
        } catch let error as PolicyError {
            throw PolicyDocumentError(error)
        }
        return try PolicyRecord(name: name, document: policy.json)
    }

    /// Validates a policy under the name in the document or, if there is none, under the given name.
    ///
    /// - Throws: ``PolicyDocumentError``; `KeyStoreError` for an invalid name.
    package static func policy(orNamed name: String, json: [UInt8]) throws -> PolicyRecord {
        do {
            return try policy(name: LicensePolicy(json: json).name ?? name, json: json)
        } catch let error as PolicyError {
            throw PolicyDocumentError(error)
        }
    }

}

extension PolicyError {
    /// The place of the error in the document; nil for the whole document.
    var place: String? { field.isEmpty ? nil : field }
}
