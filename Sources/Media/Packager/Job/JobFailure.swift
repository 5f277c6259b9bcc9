/// An error in the options of a packaging job: the option, the reason, and how to correct it.
///
/// It never contains a key, an initialization vector, or the text given for one.
public struct JobFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The option's name on the command line and in a job file, such as `clear-lead`; nil if no single option is wrong.
    public let option: String?
    /// The error and how to correct it.
    public let reason: String

    /// Creates a failure.
    package init(_ option: String?, _ reason: String) {
        self.option = option
        self.reason = reason
    }

    /// The option and the reason.
    public var description: String { option.map { "\($0): \(reason)" } ?? reason }
}
