import FPSCrypto
import FPSMessages
import KeyServerModule
package import KeyStore

/// What holds for content and policies however they come in, by HTTP or by the command line.
package enum ContentDefaults {
    /// A policy document that is not right.
    package struct PolicyMistake: Error, CustomStringConvertible {
        /// The field and what is wrong with it.
        package let description: String
    }

    /// The stream ID of content that was given none: the first 16 bytes of SHA-256 over the asset ID. Offline keys need
    /// one, and a Sync report can be told by it.
    package static func streamID(forAssetID assetID: [UInt8]) -> [UInt8] { Array(SHA256.hash(assetID).prefix(16)) }

    /// Holds a policy against the rules and brings it into canonical form.
    ///
    /// - Throws: ``PolicyMistake``; `KeyStoreError` for a name that is none.
    package static func policy(name: String, json: [UInt8]) throws -> PolicyRecord {
        var policy: LicensePolicy
        do {
            policy = try LicensePolicy(json: json)
            guard policy.name == nil || policy.name == name else {
                throw PolicyMistake(description: "The document calls itself \(policy.name ?? ""), the request \(name).")
            }
            policy.name = name
            try policy.validate()
        } catch let error as PolicyError {
            throw PolicyMistake(description: "\(error)")
        }
        return try PolicyRecord(name: name, document: policy.json)
    }

    /// Holds a policy against the rules, under its own name or, if it has none, this one.
    ///
    /// - Throws: ``PolicyMistake``; `KeyStoreError` for a name that is none.
    package static func policy(orNamed name: String, json: [UInt8]) throws -> PolicyRecord {
        do {
            return try policy(name: LicensePolicy(json: json).name ?? name, json: json)
        } catch let error as PolicyError {
            throw PolicyMistake(description: "\(error)")
        }
    }

}
