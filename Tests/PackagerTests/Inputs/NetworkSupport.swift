import FileWriting
import Foundation

@testable import Packager

/// Receivers at ports of this host.
enum NetworkFixture {
    private static var randomPort: UInt16 { .random(in: 20_000...30_000) }

    /// Opens a receiver at a port that is free.
    static func open(
        _ transport: String,
        _ stop: StopSignal,
        limit: Int = DatagramReceiver.defaultLimit
    ) throws -> DatagramReceiver {
        var last: FileError?
        for _ in 0..<100 {
            let address = try NetworkAddress(parsing: "\(transport)://127.0.0.1:\(randomPort)")
            do { return try DatagramReceiver(address, stop: stop, limit: limit) } catch { last = error }
        }
        throw last ?? FileError(.open, path: "test", code: EADDRINUSE)
    }

    /// Returns the failure of a closure that opens an input at a port; nil if there is none. The port is free.
    static func failure(_ open: (UInt16) throws -> any MediaInput) throws -> InputFailure? {
        for _ in 0..<100 {
            do {
                _ = try open(randomPort)
                return nil
            } catch let failure as InputFailure {
                return failure
            } catch let error as FileError where error.code == EADDRINUSE {
                continue
            }
        }
        return nil
    }

    /// Reads an input to its end, and returns the number of its samples.
    static func samples(_ input: any MediaInput) throws -> Int {
        var count = 0
        while let event = try input.next() {
            if case .sample = event { count += 1 }
        }
        return count
    }
}

/// Sends datagrams to a port of this host.
final class NetworkSender {
    private let descriptor: Int32
    private let isRTP: Bool
    private var address = sockaddr_in()

    init(_ target: NetworkAddress) {
        isRTP = target.transport == .rtp
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_DGRAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = target.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    }

    deinit { close(descriptor) }

    /// Sends a stream, seven packets in each datagram. It must fit in the buffer of the system.
    ///
    /// - Parameter round: For RTP, a number of its own for each stream.
    func send(_ bytes: [UInt8], round: Int = 0) {
        for (number, start) in stride(from: 0, to: bytes.count, by: 7 * 188).enumerated() {
            let payload = Array(bytes[start..<min(bytes.count, start + 7 * 188)])
            send(datagram: isRTP ? RTPFixture.packet(10_000 * round + number, payload) : payload)
        }
    }

    /// Sends a datagram.
    func send(datagram: [UInt8]) {
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                datagram.withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, 0, target, size) }
            }
        }
    }
}
