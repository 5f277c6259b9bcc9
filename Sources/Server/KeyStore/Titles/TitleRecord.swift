import FPSCrypto

/// A title: what somebody watches, with a track for each key that it needs.
package struct TitleRecord: Sendable, Equatable {
    /// The row's identity: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// The title ID of Offline Key TLLVs and Sync messages, 16 bytes.
    package let titleID: [UInt8]
    /// A policy for all of the title's keys; nil when it has none.
    package let policyName: String?
    /// What the title's key URIs look like, 1 to 1,000 bytes; nil means `skd://{kid}`. The store does not look into it.
    package let keyURITemplate: String?
    /// When the title was first stored, in Unix seconds. Replacing the record keeps it.
    package var created: Int64
    /// When the record was last written, in Unix seconds.
    package let updated: Int64

    /// Makes a record that is first stored at `time`, in Unix seconds.
    ///
    /// - Parameter titleID: 16 bytes; nil for ``defaultTitleID(name:)``.
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field is out of bounds.
    package init(
        name: String,
        titleID: [UInt8]? = nil,
        policyName: String? = nil,
        keyURITemplate: String? = nil,
        time: Int64
    ) throws(KeyStoreError) {
        try self.init(
            name: name,
            titleID: titleID ?? Self.defaultTitleID(name: name),
            policyName: policyName,
            keyURITemplate: keyURITemplate,
            created: time,
            updated: time
        )
    }

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field is out of bounds.
    package init(
        name: String,
        titleID: [UInt8],
        policyName: String?,
        keyURITemplate: String?,
        created: Int64,
        updated: Int64
    ) throws(KeyStoreError) {
        try requireName(name, in: "title")
        let place = "title \(name)"
        try requireCount(titleID, 16...16, "title ID", in: place)
        if let policyName { try requireName(policyName, in: "\(place), policy") }
        try requireCount(keyURITemplate.map { Array($0.utf8) }, RecordLimits.keyURITemplate, "key URI", in: place)
        self.name = name
        self.titleID = titleID
        self.policyName = policyName
        self.keyURITemplate = keyURITemplate
        self.created = created
        self.updated = updated
    }

    /// The title ID of a title that is given no other: the first 16 bytes of SHA-256 over its name.
    package static func defaultTitleID(name: String) -> [UInt8] { Array(SHA256.hash(Array(name.utf8)).prefix(16)) }

    /// The row in words, for errors.
    package var place: String { "title \(name)" }
}
