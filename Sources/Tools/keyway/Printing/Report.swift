/// What a command that looks into something found: tables, what is odd, and where it had to stop.
struct Report: Sendable {
    /// What was looked into; for JSON.
    let kind: String
    /// One line that says it all.
    let headline: String
    /// The tables, in order.
    var tables: [FieldTable] = []
    /// What is odd about it, but not wrong.
    var notes: [String] = []
    /// Why the rest is not there.
    var problem: Problem?

    /// Where it stopped and why.
    struct Problem: Sendable {
        /// The stage, as in TestVectors/README.md.
        let stage: String
        /// The stable code.
        let code: String
        /// In words.
        let reason: String
        /// What to do about it.
        var next: String?
    }

    /// Makes a report that holds nothing yet.
    init(kind: String, headline: String) {
        self.kind = kind
        self.headline = headline
    }
}
