package import ArgumentParser
import FileWriting

/// The path of a file to read. `-` means standard input where the help of a command mentions it.
package struct InputPath: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init(argument: String) { path = argument }

    package var description: String { path }
    package static var defaultCompletionKind: CompletionKind { .file() }
}

/// The path of a folder to read.
package struct FolderPath: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init(argument: String) { path = argument }

    package var description: String { path }
    package static var defaultCompletionKind: CompletionKind { .directory }
}

/// The path of a file or folder to write. `-` means standard output where the help of a command mentions it.
///
/// Text that looks like a URL is rejected, because it would create folders of that name.
package struct OutputPath: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init?(argument: String) {
        guard Self.refusal(argument) == nil else { return nil }
        path = argument
    }

    package var description: String { path }
    package static var defaultCompletionKind: CompletionKind { .file() }

    /// Returns a path, for options whose value is a string.
    package static func parse(_ text: String) throws -> String {
        if let reason = refusal(text) { throw ValidationError(reason) }
        return text
    }

    /// Returns the reason why a path is rejected; nil if it is accepted.
    package static func refusal(_ path: String) -> String? { URLText.refusal(ofOutput: path) }
}
