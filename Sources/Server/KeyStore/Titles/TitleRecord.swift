import FPSCrypto

/// A title: a work that viewers watch, such as a movie, an episode or a live channel. Its tracks are stored as
/// ``TrackRecord``, for example one for audio, one for HD video and one for UHD video.
package struct TitleRecord: Sendable, Equatable {
    /// The primary key: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// The title ID of Offline Key TLLVs and Sync messages, 16 bytes.
    package let titleID: [UInt8]
    /// The name of a policy that applies to all keys of the title; nil if the title has no policy.
    package let policyName: String?
    /// The template from which the URIs of the title's keys are created, 1 to 1,000 bytes; nil means `skd://{kid}`, where
    /// `{kid}` is replaced with the key ID. The store does not interpret the template.
    package let keyURITemplate: String?
    /// The time when the title was first stored, in Unix seconds. Replacing the record preserves it.
    package var created: Int64
    /// The time when the record was last written, in Unix seconds.
    package let updated: Int64

    /// Creates a record that is first stored at `time`, in Unix seconds.
    ///
    /// - Parameter titleID: 16 bytes, or nil for ``defaultTitleID(name:)``.
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field violates its constraints.
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

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field violates its constraints.
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

    /// Returns the default title ID: the first 16 bytes of the SHA-256 of the title's name.
    package static func defaultTitleID(name: String) -> [UInt8] { Array(SHA256.hash(Array(name.utf8)).prefix(16)) }

    /// The description of the row for error messages.
    package var place: String { "title \(name)" }
}
