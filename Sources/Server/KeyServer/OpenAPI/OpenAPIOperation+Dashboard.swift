import HTTPTypes
import KeyStore

extension OpenAPIOperation {
    /// What the dashboard asks for, besides administration.
    static let forDashboard: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: "/admin/session",
            id: "beginSession",
            tag: .dashboard,
            summary: "Sign a browser in: the answer sets the cookie that stands for the token.",
            security: .anybody,
            body: [("application/json", schema("SessionValues"))],
            answers: [(200, "Signed in.", [("application/json", schema("Session"))])],
            problems: [.unauthorized, .forbidden, .rateLimited]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/session",
            id: "getSession",
            tag: .dashboard,
            summary: "Who asks, and what they may do.",
            security: .administration(.read),
            answers: [(200, "Whose token or session it is.", [("application/json", schema("Session"))])]
        ),
        OpenAPIOperation(
            method: .delete,
            path: "/admin/session",
            id: "endSession",
            tag: .dashboard,
            summary: "Sign out. Without a session nothing happens.",
            security: .administration(.read),
            answers: [(204, "Signed out.", [])]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/activity",
            id: "getActivity",
            tag: .dashboard,
            summary: "What this server process has been asked lately.",
            security: .administration(.read),
            parameters: [
                Parameter(
                    name: "window",
                    description:
                        "How far back: five minutes by the second, an hour by ten seconds, a day by the minute.",
                    schema: #"{"type": "string", "enum": ["5m", "1h", "24h"], "default": "5m"}"#
                )
            ],
            answers: [(200, "Counts and times.", [("application/json", schema("Activity"))])]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/activity/stream",
            id: "streamActivity",
            tag: .dashboard,
            summary: "The same by the second: server-sent events named second, with SecondEvent as data.",
            security: .administration(.read),
            answers: [(200, "A stream that does not end soon.", [("text/event-stream", schema("SecondEvents"))])],
            problems: [.overloaded]
        ),
        OpenAPIOperation(
            method: .post,
            path: "/admin/policy-trials",
            id: "tryPolicy",
            tag: .dashboard,
            summary: "What a policy would decide for requests that came lately. Nothing is stored.",
            security: .administration(.read),
            body: [("application/json", schema("PolicyTrialValues"))],
            answers: [(200, "Request by request, the newest first.", [("application/json", schema("PolicyTrial"))])]
        ),
        OpenAPIOperation(
            method: .post,
            path: "/admin/inspections",
            id: "inspectMessage",
            tag: .dashboard,
            summary: "Take an SPC or a CKC apart. Nothing secret is shown.",
            security: .administration(.read),
            body: [("application/json", schema("InspectionValues"))],
            answers: [(200, "What is in it.", [("application/json", schema("Inspection"))])]
        ),
        OpenAPIOperation(
            method: .get,
            path: "/admin/health",
            id: "getServerHealth",
            tag: .dashboard,
            summary: "Whether the server is well, and until when its certificates last.",
            security: .administration(.read),
            answers: [(200, "How it is.", [("application/json", schema("Health"))])]
        ),
    ]
}
