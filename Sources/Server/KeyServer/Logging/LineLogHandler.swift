import Glibc
package import Logging

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case json
    /// Text for people.
    case text
}

/// A log handler that writes each event as one line, with one system call, to a file descriptor: standard error by
/// default.
///
/// It does not redact anything. The code that logs must not pass secrets.
package struct LineLogHandler: LogHandler {
    /// The metadata of every line.
    package var metadata: Logger.Metadata = [:]
    /// The provider of additional metadata, for example from the task.
    package var metadataProvider: Logger.MetadataProvider?
    /// The minimum level of events to log.
    package var logLevel: Logger.Level

    private let label: String
    private let format: LogFormat
    private let file: Int32
    private let clock: @Sendable () -> Int64

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: The label of the logger.
    ///   - format: The format of log lines.
    ///   - level: The minimum level of events to log.
    ///   - file: An open file descriptor, which is not closed.
    ///   - clock: Returns the time, in milliseconds since 1970.
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

    /// A metadata value of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event as one line.
    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let own = event.metadata { all.merge(own) { _, new in new } }
        // Only the type, because an error's text may contain secrets.
        if let error = event.error { all["errorType"] = "\(type(of: error))" }
        let make = format == .json ? LogLine.json : LogLine.text
        Self.write(make(clock(), event.level, label, event.message.description, all), to: file)
    }

    /// Writes a whole line. It stops without an error if the line cannot be written, so that a broken log does not stop
    /// the server.
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
