/// The error that ends a command: a description of the problem, advice, and the exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// The category of a failure, which determines the exit code.
    enum Kind: Int32 {
        /// The input is invalid, or a check has failed.
        case input = 1
        /// The command line is wrong.
        case usage = 2
        /// A file cannot be read or written, or a connection fails.
        case file = 3
    }

    /// The category, whose raw value is the exit code.
    let kind: Kind
    /// The description of the problem.
    let what: String
    /// The advice on how to fix the problem.
    let next: String?

    /// The problem and the advice on one line.
    var description: String { next.map { "\(what); \($0)" } ?? what }

    /// Returns a failure for invalid input or a failed check.
    static func input(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .input, what: what, next: next)
    }

    /// Returns a failure for an invalid command line.
    static func usage(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .usage, what: what, next: next)
    }

    /// Returns a failure for a file or a connection that cannot be read or written.
    static func file(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .file, what: what, next: next)
    }
}
