import HTTPTypes
import KeyStore

extension OpenAPIOperation {
    /// What administration does.
    static let forAdministration: [OpenAPIOperation] =
        kept("content", "/admin/content", "asset", "Content", values: "ContentKey", .content, missing: .unknownAsset)
        + kept("title", "/admin/titles", "title", "Title", values: "TitleValues", .titles)
        + kept("track", "/admin/titles/{title}/tracks", "track", "TitleTrack", values: "TitleTrackValues", .titles)
        + [
            list(
                "listPeriods",
                "/admin/titles/{title}/tracks/{track}/periods",
                "Content",
                .titles,
                "The track's keys, by the time at which they begin.",
                problems: [.notFound]
            ),
            OpenAPIOperation(
                method: .post,
                path: "/admin/titles/{title}/tracks/{track}/periods",
                id: "makePeriods",
                tag: .titles,
                summary: "Make key periods ahead of the time. Those that are there stay as they are.",
                security: .administration(.content),
                body: [("application/json", schema("PeriodValues"))],
                answers: [
                    (
                        200, "Those that were made.",
                        [
                            (
                                "application/json",
                                #"{"type": "object", "required": ["items"], "additionalProperties": false, "properties": "#
                                    + #"{"items": {"type": "array", "items": "# + schema("Content") + "}}}"
                            )
                        ]
                    )
                ],
                problems: [.notFound, .conflict]
            ),
        ]
        + kept("channel", "/admin/channels", "title", "Channel", values: "ChannelValues", .channels, putMissing: true)
        + kept("policy", "/admin/policies", "name", "Policy", values: "Policy", .policies, plural: "policies")
        + certificates + leases + accounts + audit + tokens

    /// List, put, get and delete of one kind of thing.
    private static func kept(
        _ noun: String,
        _ path: String,
        _ parameter: String,
        _ schemaName: String,
        values: String,
        _ tag: Tag,
        plural: String? = nil,
        missing: ProblemType = .notFound,
        putMissing: Bool = false
    ) -> [OpenAPIOperation] {
        let one = "\(path)/{\(parameter)}"
        let name = noun.prefix(1).uppercased() + noun.dropFirst()
        let isNested = path.contains("{")
        let answer: Content = [("application/json", schema(schemaName))]
        let plural = plural ?? (noun == "content" ? noun : noun + "s")
        return [
            list(
                "list" + plural.prefix(1).uppercased() + plural.dropFirst(),
                path,
                schemaName,
                tag,
                "All \(plural)\(isNested ? " of the title" : ""), by name.",
                problems: isNested ? [.notFound] : []
            ),
            OpenAPIOperation(
                method: .put,
                path: one,
                id: "put\(name)",
                tag: tag,
                summary: "Keep or replace a \(noun).",
                security: .administration(.content),
                body: [("application/json", schema(values))],
                answers: [(200, "It was replaced.", answer), (201, "It is new.", answer)],
                problems: [.conflict] + (isNested || putMissing ? [.notFound] : [])
            ),
            OpenAPIOperation(
                method: .get,
                path: one,
                id: "get\(name)",
                tag: tag,
                summary: "One \(noun).",
                security: .administration(.read),
                answers: [(200, "What is kept.", answer)],
                problems: [missing]
            ),
            OpenAPIOperation(
                method: .delete,
                path: one,
                id: "delete\(name)",
                tag: tag,
                summary: "Forget a \(noun). What is referred to is not forgotten.",
                security: .administration(.content),
                answers: [(204, "It is gone.", [])],
                problems: [missing, .conflict]
            ),
        ]
    }

    /// A list in pages.
    private static func list(
        _ id: String,
        _ path: String,
        _ item: String,
        _ tag: Tag,
        _ summary: String,
        permission: AdminPermission = .read,
        parameters: [Parameter] = [],
        cursor: Parameter = after,
        problems: [ProblemType] = []
    ) -> OpenAPIOperation {
        let page =
            #"{"type": "object", "required": ["items", "next"], "additionalProperties": false, "properties": "#
            + #"{"items": {"type": "array", "items": "# + schema(item) + #"}, "next": "# + schema("Next") + "}}"
        return OpenAPIOperation(
            method: .get,
            path: path,
            id: id,
            tag: tag,
            summary: summary,
            security: .administration(permission),
            parameters: parameters + [cursor, limit],
            answers: [(200, "A page.", [("application/json", page)])],
            problems: problems
        )
    }

    private static let after = Parameter(
        name: "after",
        description: "The `next` of the page before.",
        schema: #"{"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9_-]+$"}"#
    )
    private static let limit = Parameter(
        name: "limit",
        description: "How many items at most.",
        schema: #"{"type": "integer", "minimum": 1, "maximum": 500, "default": 100}"#
    )

    private static func end(
        _ id: String,
        _ path: String,
        _ tag: Tag,
        _ summary: String,
        _ permission: AdminPermission = .support
    ) -> OpenAPIOperation {
        OpenAPIOperation(
            method: .delete,
            path: path,
            id: id,
            tag: tag,
            summary: summary,
            security: .administration(permission),
            answers: [(204, "Done.", [])],
            problems: [.notFound]
        )
    }

    private static let certificates: [OpenAPIOperation] = [
        list(
            "listCertificates",
            "/admin/certificates",
            "Certificate",
            .certificates,
            "All certificate bundles, by name."
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/certificates/{name}",
            id: "getCertificateBundle",
            tag: .certificates,
            summary: "One certificate bundle. They are added on the command line alone.",
            security: .administration(.read),
            answers: [(200, "The bundle, without secrets.", [("application/json", schema("Certificate"))])],
            problems: [.notFound]
        ),
    ]

    private static let leases: [OpenAPIOperation] = [
        list(
            "listLeases",
            "/admin/leases",
            "Lease",
            .leases,
            "Streams that hold a key now, by account and place.",
            parameters: [
                Parameter(
                    name: "account",
                    description: "Only this account's.",
                    schema: #"{"type": "string", "minLength": 1, "maxLength": 200}"#
                )
            ]
        ),
        end(
            "endLease",
            "/admin/leases/{account}/{place}",
            .leases,
            "End a stream: its session gets no more keys. It counts until the key has run out that the device has."
        ),
    ]

    private static let accounts: [OpenAPIOperation] = {
        let account = "/admin/accounts/{account}"
        return [
            list("listDevices", account + "/devices", "Device", .accounts, "The account's devices, by their hash."),
            end(
                "forgetDevice",
                account + "/devices/{device}",
                .accounts,
                "Forget a device, which makes room for another."
            ),
            list(
                "listOfflineLicenses",
                account + "/licenses",
                "OfflineLicense",
                .accounts,
                "Keys that the account's devices keep, by device and stream ID."
            ),
            end(
                "revokeOfflineLicense",
                account + "/licenses/{device}/{stream}",
                .accounts,
                "Revoke a kept key: it is given no more. The device has it until it runs out."
            ),
            list(
                "listAllOfflineLicenses",
                "/admin/licenses",
                "OfflineLicense",
                .accounts,
                "Keys that devices keep, of all accounts, by account, device and stream ID.",
                parameters: [
                    Parameter(
                        name: "playable",
                        description: "Only those that can still be played, as far as is known.",
                        schema: #"{"type": "boolean"}"#
                    )
                ]
            ),
            list("listRentals", account + "/rentals", "Rental", .accounts, "The account's rentals, by what is rented."),
            end(
                "forgetRental",
                account + "/rentals/{subject}",
                .accounts,
                "Forget a rental: the next license begins a new one."
            ),
        ]
    }()

    private static let audit: [OpenAPIOperation] = [
        list(
            "listAudit",
            "/admin/audit",
            "AuditEntry",
            .audit,
            "The audit log, the newest entries first.",
            parameters: [
                Parameter(
                    name: "search",
                    description:
                        "Only entries that have this text in one of their fields. A page may be short, or empty, and not the last.",
                    schema: #"{"type": "string", "minLength": 1, "maxLength": \#(AuditSearch.limit)}"#
                )
            ],
            cursor: Parameter(
                name: "before",
                description: "Only entries before this number, such as `next` of the page before.",
                schema: #"{"type": "integer", "minimum": 1, "maximum": 9223372036854775807}"#
            )
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/audit/verify",
            id: "verifyAudit",
            tag: .audit,
            summary: "Hold the whole audit log against its hash chains.",
            security: .administration(.read),
            parameters: [
                Parameter(
                    name: "head",
                    description:
                        "A head that was noted earlier, and must be met. In a query, + need not be escaped here.",
                    schema: #"{"type": "string", "pattern": "^[0-9a-f]{16}:[0-9]{1,18}:[0-9a-f]{64}$"}"#
                )
            ],
            answers: [
                (
                    200, "Whether it is whole. A broken log is an answer too.",
                    [("application/json", schema("AuditVerification"))]
                )
            ]
        ),
    ]

    private static let tokens: [OpenAPIOperation] = [
        list(
            "listTokens",
            "/admin/tokens",
            "Token",
            .tokens,
            "All tokens for administration, by name.",
            permission: .administer
        ),
        OpenAPIOperation(
            method: .post,
            path: "/admin/tokens",
            id: "makeToken",
            tag: .tokens,
            summary: "Make a token. The answer is the only place where it is ever shown.",
            security: .administration(.administer),
            body: [("application/json", schema("TokenValues"))],
            answers: [(201, "The token.", [("application/json", schema("Token"))])],
            problems: [.conflict]
        ),
        end("deleteToken", "/admin/tokens/{name}", .tokens, "Forget a token. It stops working at once.", .administer),
    ]
}
