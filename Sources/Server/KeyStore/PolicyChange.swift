/// A change of a policy, as the store keeps it.
package struct PolicyChange: Sendable, Equatable {
    /// The way a policy changed.
    package enum Kind: String, Sendable, CaseIterable {
        /// The policy did not exist before.
        case created
        /// The policy got another document.
        case replaced
        /// The policy was deleted.
        case deleted
    }

    /// The name of the policy.
    package let policy: String
    /// The number of the change among those of the policy, from 1.
    package let number: Int64
    /// The time of the change, in Unix milliseconds.
    package let milliseconds: Int64
    /// The name of the token or the system's user who made the change; nil if it is unknown.
    package let actor: String?
    /// The way the policy changed.
    package let kind: Kind
    /// The document before the change; nil if there was none.
    package let document: [UInt8]?

    /// Creates a change.
    package init(
        policy: String,
        number: Int64,
        milliseconds: Int64,
        actor: String?,
        kind: Kind,
        document: [UInt8]?
    ) {
        self.policy = policy
        self.number = number
        self.milliseconds = milliseconds
        self.actor = actor
        self.kind = kind
        self.document = document
    }

    /// Creates the change that a write makes, with the time and the actor of its audit record; nil if the document stays
    /// the same. The store assigns the number.
    package init?(from previous: [UInt8]?, to next: PolicyRecord, audit: AuditRecordProvider?) {
        guard previous != next.document else { return nil }
        let record = audit?(previous == nil ? .created : .replaced)
        self.init(
            policy: next.name,
            number: 0,
            milliseconds: record?.milliseconds ?? 0,
            actor: record?.actor,
            kind: previous == nil ? .created : .replaced,
            document: previous
        )
    }

    /// Creates the change that a deletion makes.
    package init(deleting policy: String, _ document: [UInt8], audit: AuditRecord?) {
        self.init(
            policy: policy,
            number: 0,
            milliseconds: audit?.milliseconds ?? 0,
            actor: audit?.actor,
            kind: .deleted,
            document: document
        )
    }

    /// The number of changes of one policy that a store keeps. The oldest are deleted first.
    package static let kept: Int64 = 200
}

/// The records that refer to a policy.
package struct PolicyUses: Sendable {
    /// The names of titles.
    package let titles: ListPage<String>
    /// The tracks, each with the name of its title.
    package let tracks: ListPage<TrackName>
    /// The asset IDs of content.
    package let assets: ListPage<[UInt8]>

    /// The name of a track with that of its title.
    package struct TrackName: Sendable, Equatable {
        /// The name of the title.
        package let title: String
        /// The name of the track within the title.
        package let name: String

        /// Creates a name.
        package init(title: String, name: String) {
            self.title = title
            self.name = name
        }
    }

    /// Creates the result.
    package init(titles: ListPage<String>, tracks: ListPage<TrackName>, assets: ListPage<[UInt8]>) {
        self.titles = titles
        self.tracks = tracks
        self.assets = assets
    }
}
