/// A license policy by name. The store does not interpret the document.
package struct PolicyRecord: Sendable, Equatable {
    /// The primary key: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// The policy as canonical JSON, 1 to 65,536 bytes.
    package let document: [UInt8]

    /// Creates a record.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if the name or the size is out of bounds.
    package init(name: String, document: [UInt8]) throws(KeyStoreError) {
        try requireName(name, in: "policy")
        try requireCount(document, RecordLimits.policyDocument, "document", in: "policy \(name)")
        self.name = name
        self.document = document
    }
}

extension KeyStoreError {
    /// The error for a record that refers to a policy that does not exist.
    package static func noPolicy(_ name: String, _ place: String) -> KeyStoreError {
        KeyStoreError(.missingReference, place: place, reason: "there is no policy \(name)")
    }

    /// The error for deleting a policy that other records refer to.
    package static func policyInUse(_ name: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "policy \(name)", reason: "content, a title or a track refers to it")
    }
}
