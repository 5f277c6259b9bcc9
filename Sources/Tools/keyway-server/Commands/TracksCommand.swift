import ArgumentParser
import DRMSignaling
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `tracks`.
struct TracksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracks",
        abstract: "Add, list, and delete the tracks of a title.",
        subcommands: [Add.self, List.self, Delete.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a track, or replace one.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title that the track belongs to.", valueName: "name"))
        var title: String
        @Option(help: "The name of the track within the title.")
        var name: String
        @Option(
            help: ArgumentHelp(
                """
                The kind of media that the track contains; sd, hd, and uhd are video. Policies are checked against \
                it: the security levels baseline and main cannot apply to audio, nor audio to video. unspecified \
                permits both. (default: the track's name if it is a kind, otherwise unspecified)
                """,
                valueName: "kind"
            )
        )
        var kind: ContentTrack?
        @Option(
            help: ArgumentHelp(
                """
                A stored policy that applies to all keys of the track. It is merged with the title's: the strictest \
                value of each field applies. (default: none)
                """,
                valueName: "name"
            )
        )
        var policy: String?
        @Option(
            help: ArgumentHelp(
                """
                The stream ID of offline keys, 16 bytes in hexadecimal digits. (default: the first 16 bytes of \
                SHA-256 of TITLE/TRACK)
                """,
                valueName: "hex"
            )
        )
        var streamID: HexArgument?
        @Flag(
            help:
                """
                Replace the track of this name, if there is one; its keys stay. Without it, an existing track is an \
                error. With it, omitted options are reset to their defaults.
                """
        )
        var replace = false
        @OptionGroup var output: JSONOption

        func run() async throws {
            let record = try TrackRecord(
                title: title,
                name: name,
                kind: kind ?? ContentTrack(rawValue: name) ?? .unspecified,
                streamID: try streamID?.bytes(16, option: "--stream-id"),
                policyName: policy
            )
            try await store.withStore { store in
                try await ContentDefaults.check(track: record, in: store)
                let outcome = try await store.putTrack(record, replacing: replace) { outcome in
                    .command("tracks add", "track-put", "track \(record.title)/\(record.name) \(outcome)")
                }
                try output.print(record.administrationJSON) {
                    escaped("\(outcome.verb) track \(title)/\(name), \(record.kind.rawValue)")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the tracks of a title with their key URIs.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                guard let titleRecord = try await store.title(name: title) else {
                    throw CommandFailure.input("there is no title \(title)", next: "see `keyway-server titles list`")
                }
                var list = RecordList(output)
                for track in try await store.tracks(title: title) {
                    let periods = try await periods(of: track, titleRecord, store)
                    let line = fields([track.name, track.kind.rawValue, track.policyName.map { "policy \($0)" }])
                    try list.append(
                        track.administrationJSON.adding("periods", .array(periods.map(\.json))),
                        or: [line] + periods.map(\.line)
                    )
                }
                try list.finish()
            }
        }

        /// Returns the key periods of a track with their key URIs, as JSON and as text.
        private func periods(
            of track: TrackRecord,
            _ title: TitleRecord,
            _ store: any KeyServerStore
        ) async throws -> [(json: JSONValue, line: String)] {
            var found: [(json: JSONValue, line: String)] = []
            var last: ContentInfo?
            repeat {
                let page = try await store.keyPeriods(title: title.name, track: track.name, after: last, limit: 500)
                for period in page {
                    let uri = try ContentDefaults.keyURI(
                        title: title,
                        track: track.name,
                        keyID: period.keyID ?? [],
                        validFrom: period.validFrom
                    )
                    let times = [timestamp("from", period.validFrom), timestamp("until", period.validUntil)]
                    let json = period.administrationJSON.adding("keyUri", .string(uri))
                    found.append((json, "  " + fields([uri] + times)))
                }
                last = page.last
            } while last != nil
            return found
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a track that has no keys.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The title.", valueName: "name"))
        var title: String
        @Option(help: "The name of the track.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let audit = AuditRecord.command("tracks delete", "track-delete", "track \(title)/\(name) deleted")
                guard try await store.deleteTrack(title: title, name: name, audit: audit) else {
                    throw CommandFailure.input(
                        "title \(title) has no track \(name)",
                        next: "see `keyway-server tracks list`"
                    )
                }
                try printLine("deleted track \(title)/\(name)")
            }
        }
    }
}
