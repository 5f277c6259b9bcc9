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
