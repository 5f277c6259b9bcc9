import TextCoding
import ToolSupport

/// The report of `keyway load`.
struct LoadReport {
    let target: String
    let plan: LoadPlan
    let tally: LoadTally

    /// Returns the report.
    var report: Report {
        let pace: String
        switch plan.pace {
        case .closed:
            pace = "\(counted(plan.connections, "connection")), each with its next request after the previous response"
        case .open(let rate): pace = "\(shortNumber(rate)) requests per second, independent of responses"
        }
        var report = Report(kind: "load", headline: "\(escaped(target)), \(pace)")
        report.tables = [run, latency("Latency", tally.granted, "of licenses, in milliseconds")]
        if tally.refused.count > 0 {
            report.tables.append(latency("Latency of refusals", tally.refused, "in milliseconds"))
        }
        report.tables.append(Self.outcomes(of: tally))
        if let server { report.tables.append(server) }
        report.tables.append(generator)
        report.notes = notes
        return report
    }

    private var run: FieldTable {
        FieldTable(
            title: "Run",
            fields: [
                Field("seconds", .decimal(Self.rounded(tally.seconds), unit: nil)),
                Field("licenses", .number(tally.grantedInTime)),
                Field("licenses per second", .decimal(Self.rounded(tally.throughput), unit: nil)),
            ]
        )
    }

    private func latency(_ title: String, _ latencies: LoadTally.Latencies, _ remark: String) -> FieldTable {
        let percentiles: [Field] = [50, 90, 99, 99.9].map { percentile in
            let value = latencies.milliseconds(at: percentile)
            return Field("p\(shortNumber(percentile))", .decimal(Self.rounded(value, digits: 1000), unit: nil))
        }
        let maximum = Field("max", .decimal(Self.rounded(latencies.maximum, digits: 1000), unit: nil))
        return FieldTable(title: title, remark: remark, fields: percentiles + [maximum])
    }

    /// Returns a table with the count of each outcome.
    static func outcomes(of tally: LoadTally) -> FieldTable {
        let items = tally.outcomes.sorted { $0.key < $1.key }.map { outcome, count in
            [
                Field("status", .number(outcome.status)),
                Field("problem", .text(outcome.problem ?? (outcome == .granted ? "license" : "-"))),
                Field("reason", .text(outcome.reason ?? "-")), Field("count", .number(count)),
            ]
        }
        return FieldTable(
            title: "Outcomes",
            remark: "status, problem, reason, count",
            fields: [Field("responses", .items(items))]
        )
    }

    private var server: FieldTable? {
        tally.serverSeconds.map { seconds in
            let licenses = max(1, Double(tally.grantedInTime))
            return FieldTable(
                title: "Server",
                remark: "processor time",
                fields: [
                    Field(
                        "processors busy",
                        .decimal(Self.rounded(seconds / max(tally.seconds, 0.001), digits: 1000), unit: nil)
                    ),
                    Field("microseconds per license", .decimal(Self.rounded(seconds * 1e6 / licenses), unit: nil)),
                ]
            )
        }
    }

    private var generator: FieldTable {
        FieldTable(
            title: "Generator",
            remark: "this process, of one processor",
            fields: [
                Field(
                    "busy",
                    .decimal(Self.rounded(tally.ownSeconds / max(tally.seconds, 0.001), digits: 1000), unit: nil)
                ),
                Field("unused requests", .number(tally.unused)),
            ]
        )
    }

    private var notes: [String] {
        var notes: [String] = []
        if tally.ranOut {
            notes.append("the prepared SPCs were used up before the end: increase --requests")
        }
        if tally.ownSeconds > 0.8 * tally.seconds, tally.seconds > 0 {
            notes.append("the load generator was busy nearly all the time, so it may be the cause of slow responses")
        }
        return notes
    }

    private static func rounded(_ value: Double, digits: Double = 10) -> Double {
        (value * digits).rounded() / digits
    }
}
