/// Why a job cannot be done as it was written: the option, the reason, and what to do.
///
/// It never holds a key, an IV, or the text that was to hold one.
public struct JobFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The option, by its name on the command line and in a job file, such as `clear-lead`; nil when it is about no
    /// single one.
    public let option: String?
    /// What is wrong, and what to do.
    public let reason: String

    /// Describes a failure.
    package init(_ option: String?, _ reason: String) {
        self.option = option
        self.reason = reason
    }

    /// The option and the reason.
    public var description: String { option.map { "\($0): \(reason)" } ?? reason }
}
