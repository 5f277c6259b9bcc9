import Hummingbird
import KeyStore
import TextCoding

/// A limit of this process, with its use.
package struct LimitUse: Sendable, Equatable {
    /// The name, such as `connections`.
    let name: String
    /// The subject of the limit, such as a listener or a class of requests; nil for the whole process.
    var subject: String?
    /// The maximum value; 0 means unlimited.
    let maximum: Int
    /// The present value; nil if it is not counted, because the limit applies to each of many clients.
    var used: Int?
    /// The number of times that a client reached the limit since the process started; nil if it is not counted.
    var reached: Int?
}

/// The route that shows the limits of this process.
///
///     GET /admin/limits
struct LimitRoutes: Sendable {
    let limits: @Sendable () -> [LimitUse]

    var endpoints: [AdminEndpoint] { [AdminEndpoint(.get, "/admin/limits", .read) { try show($0) }] }

    private func show(_ request: AdminRequest) throws -> Response {
        try request.requireNoQuery()
        let items = limits().map { limit in
            JSONValue.fields([
                ("name", .string(limit.name)),
                ("subject", limit.subject.map { .string($0) }),
                ("maximum", .integer(limit.maximum)),
                ("used", limit.used.map { .integer($0) }),
                ("reached", limit.reached.map { .integer($0) }),
            ])
        }
        return AdminJSON.list(items).response()
    }
}

extension KeyServerParts {
    /// The limits of the process, with their use.
    var limitUses: [LimitUse] {
        let connections = ServerMetrics.Listener.allCases.filter { self.connections[$0] != nil }.flatMap { listener in
            [
                LimitUse(
                    name: "connections",
                    subject: listener.rawValue,
                    maximum: configuration.limits.connections,
                    used: self.connections[listener]?.count,
                    reached: metrics.refusedConnectionCount(by: .server, listener)
                ),
                LimitUse(
                    name: "connectionsPerAddress",
                    subject: listener.rawValue,
                    maximum: configuration.limits.connectionsPerAddress,
                    reached: metrics.refusedConnectionCount(by: .address, listener)
                ),
            ]
        }
        let rates = RequestClass.allCases.flatMap { requestClass in
            RateLimiter.Scope.allCases.map { scope in
                let pair = configuration.limits.rates[requestClass]
                return LimitUse(
                    name: scope == .account ? "requestsPerMinuteOfAccount" : "requestsPerMinuteOfAddress",
                    subject: requestClass.rawValue,
                    maximum: (scope == .account ? pair.account : pair.address).perMinute,
                    reached: metrics.rateLimitedCount(by: scope, requestClass)
                )
            }
        }
        let others = [
            LimitUse(
                name: "requestsInProgress",
                maximum: pool.room,
                used: pool.unfinished,
                reached: metrics.licenseCount(.failed, reason: ProblemType.overloaded.name)
            ),
            LimitUse(name: "eventStreams", maximum: EventBroadcaster.capacity, used: events.count),
        ]
        let unrecorded = ServerMetrics.RefusalLimit.allCases.map { limit in
            LimitUse(
                name: "recordedRefusalsPerMinute",
                subject: limit.rawValue,
                maximum: limit == .address ? RefusalBudget.address.perMinute : RefusalBudget.all.perMinute,
                reached: metrics.unrecordedCount(by: limit)
            )
        }
        return connections + rates + others + unrecorded
    }
}
