import ArgumentParser
package import CommandSupport
import Foundation

/// A secret text on the command line, such as a token.
///
///     argument = TEXT | "@" FILE
///
/// Other users of the machine can read a command line while the command runs, so a file is the safer choice.
package struct SecretArgument: ExpressibleByArgument, Sendable {
    private let argument: String

    package init(argument: String) { self.argument = argument }

    /// True if the argument names a file.
    package var isFile: Bool { argument.hasPrefix("@") }

    /// Returns the bytes of the text, or those of the file without a trailing newline.
    package func bytes() throws(CommandFailure) -> [UInt8] {
        isFile ? try InputFile.readLine(String(argument.dropFirst())) : Array(argument.utf8)
    }

    /// Returns the text without white space around it.
    ///
    /// - Parameter option: The option's name, for error messages.
    /// - Throws: A failure whose message does not contain the secret.
    package func text(option: String) throws(CommandFailure) -> String {
        let text = String(validating: try bytes(), as: UTF8.self)?.trimmingCharacters(in: .whitespacesAndNewlines)
        if let text, !text.isEmpty { return text }
        guard isFile else { throw .usage("\(option): the text is empty", next: "give the text, or @FILE") }
        throw .input(
            "\(option): \(argument.dropFirst()) contains no \(text == nil ? "UTF-8 " : "")text",
            next: "write the secret into the file as text"
        )
    }
}

extension SecretArgument: CustomStringConvertible {
    /// A placeholder, so that the secret is not printed.
    package var description: String { "SecretArgument" }
}
