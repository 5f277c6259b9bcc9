import NIOCore
import TextCoding

/// A server-sent event (HTML, 9.2.5) with a name and JSON data on one line.
enum ServerSentEvent {
    /// Returns the bytes of an event.
    static func encode(_ name: String, _ value: JSONValue) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeString("event: \(name)\ndata: ")
        // The encoded JSON contains no line breaks: there is no whitespace between values, and strings escape them.
        buffer.writeBytes(value.encoded)
        buffer.writeString("\n\n")
        return buffer
    }

    /// The start of a stream: the reconnection time of browsers, in milliseconds.
    static let opening = ByteBuffer(string: "retry: 2000\n\n")
}
