import NIOCore
import TextCoding

/// An event as browsers read it from a stream (HTML, 9.2.5): a name, and JSON on one line.
enum ServerSentEvent {
    /// The bytes of an event.
    static func encode(_ name: String, _ value: JSONValue) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeString("event: \(name)\ndata: ")
        // JSON has no line break outside of strings, and none unescaped in them.
        buffer.writeBytes(value.encoded)
        buffer.writeString("\n\n")
        return buffer
    }

    /// How a stream begins: in how many milliseconds a browser that lost it may ask again.
    static let opening = ByteBuffer(string: "retry: 2000\n\n")
}
