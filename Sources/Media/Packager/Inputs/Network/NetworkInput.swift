/// A transport stream from the network. What cannot be read after the start ends the input with a warning, so that a
/// channel goes on with what arrives next.
final class NetworkInput: MediaInput {
    private let stream: TransportStreamInput
    /// The failure that ended the input; nil if it was or is read to its end.
    private(set) var failure: InputFailure?

    /// Reads the beginning of a stream until all streams are identified.
    ///
    /// - Throws: ``InputFailure`` if the data is not a transport stream, is encrypted, or has no stream that can be
    ///   packaged.
    init(_ source: any ByteSource) throws {
        stream = try TransportStreamInput(source, toleratesScrambledPackets: true)
    }

    var name: String { stream.name }
    var tracks: [MediaTrack] { stream.tracks }
    var warnings: [String] { stream.warnings }
    var omissions: [Omission] { stream.omissions }
    var byteCount: Int? { nil }
    var position: Int { stream.position }
    /// The number of packets that are damaged or missing.
    var damage: Int { stream.damage }

    func next() throws -> InputEvent? {
        guard failure == nil else { return nil }
        do {
            return try stream.next()
        } catch let failure as InputFailure {
            self.failure = failure
            return nil
        }
    }
}
