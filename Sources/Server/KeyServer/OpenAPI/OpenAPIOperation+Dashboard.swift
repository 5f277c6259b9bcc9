import HTTPTypes
import KeyStore

extension OpenAPIOperation {
    /// The operations that only the dashboard uses.
    static let forDashboard: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: "/admin/session",
            id: "beginSession",
            tag: .dashboard,
            summary: "Sign in from a browser: the response sets a session cookie that represents the token.",
            security: .unauthenticated,
            body: [("application/json", schema("SessionValues"))],
            successes: [(200, "Signed in.", [("application/json", schema("Session"))])],
            problems: [.unauthorized, .forbidden, .rateLimited]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/session",
            id: "getSession",
            tag: .dashboard,
            summary: "Get the current session or token and its permissions.",
            security: .administration(.read),
            successes: [(200, "The session or token.", [("application/json", schema("Session"))])]
        ),
        OpenAPIOperation(
            method: .delete,
            path: "/admin/session",
            id: "endSession",
            tag: .dashboard,
            summary: "Sign out. Without a session, this has no effect.",
            security: .administration(.read),
            successes: [(204, "Signed out.", [])]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/activity",
            id: "getActivity",
            tag: .dashboard,
            summary: "Get the recent activity of this server process.",
            security: .administration(.read),
            parameters: [
                Parameter(
                    name: "window",
                    description:
                        "The time window: 5m in steps of a second, 1h in steps of 10 seconds, 24h in steps of a minute.",
                    schema: #"{"type": "string", "enum": ["5m", "1h", "24h"], "default": "5m"}"#
                )
            ],
            successes: [(200, "Counts and latencies.", [("application/json", schema("Activity"))])]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/activity/stream",
            id: "streamActivity",
            tag: .dashboard,
            summary: "Stream the activity of each second: server-sent events named second, with SecondEvent as data.",
            security: .administration(.read),
            successes: [(200, "An event stream that stays open.", [("text/event-stream", schema("SecondEvents"))])],
            problems: [.overloaded]
        ),
        OpenAPIOperation(
            method: .post,
            path: "/admin/policy-trials",
            id: "tryPolicy",
            tag: .dashboard,
            summary: "Evaluate a policy against recent requests. Nothing is stored.",
            security: .administration(.read),
            body: [("application/json", schema("PolicyTrialValues"))],
            successes: [
                (200, "The result of each request, newest first.", [("application/json", schema("PolicyTrial"))])
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: "/admin/inspections",
            id: "inspectMessage",
            tag: .dashboard,
            summary: "Parse an SPC or a CKC. The response contains no secrets.",
            security: .administration(.read),
            body: [("application/json", schema("InspectionValues"))],
            successes: [(200, "The contents of the message.", [("application/json", schema("Inspection"))])]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/health",
            id: "getServerHealth",
            tag: .dashboard,
            summary: "Get the health of the server and the expiry of its certificates.",
            security: .administration(.read),
            successes: [(200, "The health of the server.", [("application/json", schema("Health"))])]
        ),
    ]
}
