/// Why a command ends without success: what is wrong, what to do about it, and the exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// What went wrong, by exit code.
    enum Kind: Int32 {
        /// The input is not what it should be, or a check has failed.
        case input = 1
        /// The command line is wrong.
        case usage = 2
        /// A file or a connection cannot be read or written.
        case file = 3
    }

    /// By exit code.
    let kind: Kind
    /// What is wrong.
    let what: String
    /// What to do about it.
    let next: String?

    /// One line: what is wrong, and what to do about it.
    var description: String { next.map { "\(what); \($0)" } ?? what }

    /// The input is bad, or a check has failed.
    static func input(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .input, what: what, next: next)
    }

    /// The command line is wrong.
    static func usage(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .usage, what: what, next: next)
    }

    /// A file cannot be read or written.
    static func file(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .file, what: what, next: next)
    }
}
