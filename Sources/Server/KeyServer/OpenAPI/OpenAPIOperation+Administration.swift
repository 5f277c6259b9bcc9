import HTTPTypes
import KeyStore

extension OpenAPIOperation {
    /// The operations for administration.
    static let forAdministration: [OpenAPIOperation] =
        crudOperations(
            "content",
            "/admin/content",
            "asset",
            "Content",
            values: "ContentKey",
            .content,
            missing: .unknownAsset
        )
        + crudOperations("title", "/admin/titles", "title", "Title", values: "TitleValues", .titles)
        + crudOperations(
            "track",
            "/admin/titles/{title}/tracks",
            "track",
            "TitleTrack",
            values: "TitleTrackValues",
            .titles
        )
        + [
            list(
                "listPeriods",
                "/admin/titles/{title}/tracks/{track}/periods",
                "Content",
                .titles,
                "The track's content keys, ordered by start time.",
                problems: [.notFound]
            ),
            OpenAPIOperation(
                method: .post,
                path: "/admin/titles/{title}/tracks/{track}/periods",
                id: "createPeriods",
                tag: .titles,
                summary: "Create key periods in advance. Existing periods stay unchanged.",
                security: .administration(.content),
                body: [("application/json", schema("PeriodValues"))],
                successes: [
                    (
                        200, "The periods that were created.",
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
        + crudOperations(
            "channel",
            "/admin/channels",
            "title",
            "Channel",
            values: "ChannelValues",
            .channels,
            putMissing: true
        )
        + crudOperations("policy", "/admin/policies", "name", "Policy", values: "Policy", .policies, plural: "policies")
        + certificates + leases + accounts + audit + tokens

    /// Returns the operations that list, put, get and delete one type of record.
    private static func crudOperations(
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
                summary: "Create or replace a \(noun).",
                security: .administration(.content),
                body: [("application/json", schema(values))],
                successes: [(200, "Replaced.", answer), (201, "Created.", answer)],
                problems: [.conflict] + (isNested || putMissing ? [.notFound] : [])
            ),
            OpenAPIOperation(
                method: .get,
                path: one,
                id: "get\(name)",
                tag: tag,
                summary: "Get a \(noun).",
                security: .administration(.read),
                successes: [(200, "The \(noun).", answer)],
                problems: [missing]
            ),
            OpenAPIOperation(
                method: .delete,
                path: one,
                id: "delete\(name)",
                tag: tag,
                summary: "Delete a \(noun). It cannot be deleted while other records refer to it.",
                security: .administration(.content),
                successes: [(204, "Deleted.", [])],
                problems: [missing, .conflict]
            ),
        ]
    }

    /// Returns the operation for a paginated list.
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
            successes: [(200, "A page of the list.", [("application/json", page)])],
            problems: problems
        )
    }

    private static let after = Parameter(
        name: "after",
        description: "The cursor: the `next` value of the previous page.",
        schema: #"{"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9_-]+$"}"#
    )
    private static let limit = Parameter(
        name: "limit",
        description: "The maximum number of items.",
        schema: #"{"type": "integer", "minimum": 1, "maximum": 500, "default": 100}"#
    )

    private static func deleteOperation(
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
            successes: [(204, "Done.", [])],
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
            summary: "Get a certificate bundle. Bundles can be added only on the command line.",
            security: .administration(.read),
            successes: [(200, "The bundle, without secrets.", [("application/json", schema("Certificate"))])],
            problems: [.notFound]
        ),
    ]

    private static let leases: [OpenAPIOperation] = [
        list(
            "listLeases",
            "/admin/leases",
            "Lease",
            .leases,
            "Active streams, by account and client.",
            parameters: [
                Parameter(
                    name: "account",
                    description: "Only leases of this account.",
                    schema: #"{"type": "string", "minLength": 1, "maxLength": 200}"#
                )
            ]
        ),
        deleteOperation(
            "endLease",
            "/admin/leases/{account}/{client}",
            .leases,
            "End a stream: its session gets no more keys. It still counts until the key that the device has expires."
        ),
    ]

    private static let accounts: [OpenAPIOperation] = {
        let account = "/admin/accounts/{account}"
        return [
            list("listDevices", account + "/devices", "Device", .accounts, "The account's devices, ordered by hash."),
            deleteOperation(
                "deleteDevice",
                account + "/devices/{device}",
                .accounts,
                "Delete a device, so that the account can use another one."
            ),
            list(
                "listOfflineLicenses",
                account + "/licenses",
                "OfflineLicense",
                .accounts,
                "The persistent keys of the account's devices, by device and stream ID."
            ),
            deleteOperation(
                "revokeOfflineLicense",
                account + "/licenses/{device}/{stream}",
                .accounts,
                "Revoke a persistent key: the server issues it no more. The device can use it until it expires."
            ),
            list(
                "listAllOfflineLicenses",
                "/admin/licenses",
                "OfflineLicense",
                .accounts,
                "The persistent keys of all accounts, by account, device and stream ID.",
                parameters: [
                    Parameter(
                        name: "playable",
                        description: "Only keys that can still be played, as far as the server can determine.",
                        schema: #"{"type": "boolean"}"#
                    )
                ]
            ),
            list(
                "listRentals",
                account + "/rentals",
                "Rental",
                .accounts,
                "The account's rentals, by subject."
            ),
            deleteOperation(
                "deleteRental",
                account + "/rentals/{subject}",
                .accounts,
                "Delete a rental: the next license starts a new one."
            ),
        ]
    }()

    private static let audit: [OpenAPIOperation] = [
        list(
            "listAudit",
            "/admin/audit",
            "AuditEntry",
            .audit,
            "The audit log, newest entries first.",
            parameters: [
                Parameter(
                    name: "search",
                    description:
                        "Only entries with this text in one of their fields. A page may be short or empty without being the last.",
                    schema: #"{"type": "string", "minLength": 1, "maxLength": \#(AuditSearch.limit)}"#
                )
            ],
            cursor: Parameter(
                name: "before",
                description: "Only entries before this number, such as the `next` value of the previous page.",
                schema: #"{"type": "integer", "minimum": 1, "maximum": 9223372036854775807}"#
            )
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/audit/verify",
            id: "verifyAudit",
            tag: .audit,
            summary: "Verify the hash chains of the whole audit log.",
            security: .administration(.read),
            parameters: [
                Parameter(
                    name: "head",
                    description:
                        "A head noted earlier that the log must contain. The + in it does not need escaping in this query.",
                    schema: #"{"type": "string", "pattern": "^[0-9a-f]{16}:[0-9]{1,18}:[0-9a-f]{64}$"}"#
                )
            ],
            successes: [
                (
                    200, "The result. A broken log also has status 200.",
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
            id: "createToken",
            tag: .tokens,
            summary: "Create a token. Only this response contains it.",
            security: .administration(.administer),
            body: [("application/json", schema("TokenValues"))],
            successes: [(201, "The token.", [("application/json", schema("Token"))])],
            problems: [.conflict]
        ),
        deleteOperation(
            "deleteToken",
            "/admin/tokens/{name}",
            .tokens,
            "Delete a token. It stops working at once.",
            .administer
        ),
    ]
}
