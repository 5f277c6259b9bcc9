import Glibc
package import Logging

/// How the log is written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case json
    /// For people.
    case text
}

/// Writes each event as one line, with one system call, to a file descriptor: standard error unless told otherwise.
///
/// It logs what it is given. That there are no secrets in a log is the doing of those who log: none of them passes any.
package struct LineLogHandler: LogHandler {
    /// What every line carries.
    package var metadata: Logger.Metadata = [:]
    /// Adds to it, such as from the task.
    package var metadataProvider: Logger.MetadataProvider?
    /// What is less than this is not logged.
    package var logLevel: Logger.Level

    private let label: String
    private let format: LogFormat
    private let file: Int32
    private let clock: @Sendable () -> Int64

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: the logger's.
    ///   - format: what a line looks like.
    ///   - level: the least that is logged.
    ///   - file: an open file descriptor, which is not closed.
    ///   - clock: the time in milliseconds since 1970.
    package init(
        label: String,
        format: LogFormat,
        level: Logger.Level,
        file: Int32 = 2,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.label = label
        self.format = format
        self.file = file
        self.clock = clock
        logLevel = level
    }

    /// A value of the metadata that every line carries.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes the line.
    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let own = event.metadata { all.merge(own) { _, new in new } }
        // The type alone: an error's text may hold anything.
        if let error = event.error { all["errorType"] = "\(type(of: error))" }
        let make = format == .json ? LogLine.json : LogLine.text
        Self.write(make(clock(), event.level, label, event.message.description, all), to: file)
    }

    /// All of it or, when nobody reads, none: a log that cannot be written is no reason to stop serving.
    private static func write(_ line: [UInt8], to file: Int32) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
