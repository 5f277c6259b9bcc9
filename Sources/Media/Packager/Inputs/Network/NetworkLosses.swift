import TextCoding

/// The numbers of packets that an input from the network has lost.
struct NetworkLosses: Equatable, Sendable {
    /// RTP packets that did not arrive.
    var missing = 0
    /// Datagrams that did not fit in the queue.
    var overflowing = 0
    /// Datagrams that are not RTP packets of the sender with a transport stream.
    var invalid = 0
    /// Datagrams that do not consist of whole transport stream packets. They are read nevertheless.
    var irregular = 0
    /// Transport stream packets that are damaged or missing.
    var damaged = 0

    /// The number of packets of the network that were lost.
    var lost: Int { missing + overflowing }
    /// The sum of all numbers.
    var total: Int { lost + invalid + irregular + damaged }

    static func += (sum: inout NetworkLosses, other: NetworkLosses) {
        sum.missing += other.missing
        sum.overflowing += other.overflowing
        sum.invalid += other.invalid
        sum.irregular += other.irregular
        sum.damaged += other.damaged
    }
}

extension NetworkLosses: CustomStringConvertible {
    /// The numbers that are not 0.
    var description: String {
        let parts = [
            missing > 0 ? "\(counted(missing, "RTP packet")) missing" : nil,
            overflowing > 0 ? "\(counted(overflowing, "datagram")) dropped, because the packager is too slow" : nil,
            invalid > 0 ? "\(counted(invalid, "datagram")) not of the RTP stream (payload type 33)" : nil,
            damaged > 0 ? "\(counted(damaged, "transport stream packet")) damaged or missing" : nil,
            irregular > 0
                ? "\(counted(irregular, "datagram")) not of whole transport stream packets (for RTP use rtp://)" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }
}
