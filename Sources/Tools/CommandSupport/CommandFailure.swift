package import FileWriting
import Foundation

/// The error that ends a command: a description of the problem, advice, and the exit code.
package struct CommandFailure: Error, CustomStringConvertible {
    /// The category of a failure, which determines the exit code.
    package enum Kind: Int32, Sendable {
        /// The input is invalid, or a check has failed.
        case input = 1
        /// The command line is wrong.
        case usage = 2
        /// A file cannot be read or written, or a connection fails.
        case file = 3
    }

    /// The category, whose raw value is the exit code.
    package let kind: Kind
    /// The description of the problem.
    package let what: String
    /// The advice on how to fix the problem.
    package let next: String?
    /// The error that led to the failure, for callers that distinguish errors; nil without one.
    package private(set) var cause: (any Error)?

    /// Creates a failure.
    package init(kind: Kind, what: String, next: String? = nil) {
        self.kind = kind
        self.what = what
        self.next = next
    }

    /// The problem and the advice on one line.
    package var description: String { next.map { "\(what); \($0)" } ?? what }

    /// Returns the same failure with the error that led to it.
    package func caused(by error: any Error) -> CommandFailure {
        var failure = self
        failure.cause = error
        return failure
    }

    /// Returns a failure for invalid input or a failed check.
    package static func input(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .input, what: what, next: next)
    }

    /// Returns a failure for an invalid command line.
    package static func usage(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .usage, what: what, next: next)
    }

    /// Returns a failure for a file or a connection that cannot be read or written.
    package static func file(_ what: String, next: String? = nil) -> CommandFailure {
        CommandFailure(kind: .file, what: what, next: next)
    }
}

extension CommandFailure {
    /// Creates a failure for an output that cannot be written.
    package init(_ failure: FileError) {
        let next =
            switch failure.code {
            case EEXIST: "give another name, or delete the existing file first"
            case ENOSPC, EDQUOT: "free space on the disk"
            default: "check the path and its permissions"
            }
        self = .file("\(failure)", next: next)
    }
}

/// An error of a library that all commands report in the same way.
package protocol CommandFailureConvertible: Error {
    /// The failure.
    var commandFailure: CommandFailure { get }
}
