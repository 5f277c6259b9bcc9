/// The result of a command that inspects something: tables, notes, and a problem if it failed.
struct Report: Sendable {
    /// The type of the report, for JSON.
    let kind: String
    /// A summary on one line.
    let headline: String
    /// The tables, in order.
    var tables: [FieldTable] = []
    /// Notes about unusual findings that are not errors.
    var notes: [String] = []
    /// The reason why the report is incomplete.
    var problem: Problem?

    /// A problem: its stage, code and reason.
    struct Problem: Sendable {
        /// The stage, as in TestVectors/README.md.
        let stage: String
        /// The stable code.
        let code: String
        /// The description of the problem.
        let reason: String
        /// The advice on how to fix the problem.
        var next: String?
    }

    /// Creates an empty report.
    init(kind: String, headline: String) {
        self.kind = kind
        self.headline = headline
    }
}
