import FileWriting
import Foundation

/// A socket that receives datagrams, and is closed with the last reference.
final class DatagramSocket: Sendable {
    let descriptor: Int32

    /// Opens a socket at an address, and joins the group if it is that of a multicast group.
    ///
    /// - Throws: ``FileError``.
    init(_ address: NetworkAddress) throws(FileError) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_family = address.host.isEmpty ? AF_INET : AF_UNSPEC
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_DGRAM
        #else
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(address.host.isEmpty ? nil : address.host, String(address.port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard result == 0, let info = list?.pointee else {
            throw FileError(.open, path: address.name, code: EINVAL, reason: String(cString: gai_strerror(result)))
        }
        let index = try Self.interfaceIndex(address)
        if address.isMulticast, info.ai_family == AF_INET6 {
            // A link-local group can only be bound on an interface.
            info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_scope_id = index }
        }
        descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
        guard descriptor >= 0 else { throw Self.failure(address, errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // The system may grant less.
        set(SOL_SOCKET, SO_RCVBUF, Int32(clamping: address.bufferSize))
        // [::] receives IPv4, too, whatever the default of the system.
        if info.ai_family == AF_INET6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        if address.isMulticast {
            // Several programs of a host can receive a group.
            set(SOL_SOCKET, SO_REUSEADDR, 1)
            #if canImport(Darwin)
            set(SOL_SOCKET, SO_REUSEPORT, 1)
            #endif
        }
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else { throw Self.failure(address, errno) }
        guard address.isMulticast, join(info, index) != 0 else { return }
        let code = errno
        let reason = "the multicast group cannot be joined (\(String(cString: strerror(code)))): give the network "
        throw FileError(.open, path: address.name, code: code, reason: reason + "interface, such as ?interface=eth0")
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads a datagram.
    ///
    /// - Returns: The size in bytes; nil if no datagram waits, or after an error of the system (`errno`).
    func receive(_ buffer: inout [UInt8]) -> Int? {
        let size = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return size < 0 ? nil : size
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private func join(_ info: addrinfo, _ index: UInt32) -> Int32 {
        if info.ai_family == AF_INET {
            var request = ip_mreqn()
            request.imr_multiaddr = info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                $0.pointee.sin_addr
            }
            request.imr_ifindex = Int32(bitPattern: index)
            let size = socklen_t(MemoryLayout<ip_mreqn>.size)
            return setsockopt(descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, size)
        }
        var request = ipv6_mreq()
        request.ipv6mr_multiaddr = info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
            $0.pointee.sin6_addr
        }
        request.ipv6mr_interface = .init(index)
        let size = socklen_t(MemoryLayout<ipv6_mreq>.size)
        return setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, &request, size)
    }

    /// Returns the index of the interface of an address; 0 to let the system choose.
    private static func interfaceIndex(_ address: NetworkAddress) throws(FileError) -> UInt32 {
        guard let interface = address.interface else { return 0 }
        let index = if_nametoindex(interface)
        if index > 0 { return index }
        var list: UnsafeMutablePointer<ifaddrs>?
        defer { if let list { freeifaddrs(list) } }
        if getifaddrs(&list) == 0, let wanted = NetworkAddress.bytes(ofHost: interface) {
            var entry = list
            while let current = entry {
                if let own = current.pointee.ifa_addr, bytes(of: own) == wanted {
                    return if_nametoindex(current.pointee.ifa_name)
                }
                entry = current.pointee.ifa_next
            }
        }
        throw FileError(
            .open,
            path: address.name,
            code: ENODEV,
            reason: "this host has no network interface “\(interface)”: give the name or an address of one that it has"
        )
    }

    /// Returns the bytes of an IPv4 or IPv6 address; nil for other addresses.
    private static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
            }
        default: nil
        }
    }

    private static func failure(_ address: NetworkAddress, _ code: Int32) -> FileError {
        let reason: String? =
            switch code {
            case EADDRINUSE: "another program receives at this port: end it, or use another port"
            case EADDRNOTAVAIL:
                "no network interface of this host has this address: give one that it has, or that of a multicast group"
            case EACCES: "ports below 1024 require the permission of the system: use a port from 1024 on"
            case EINVAL, ENODEV: "the address requires a network interface: give it, such as ?interface=eth0"
            case EAFNOSUPPORT: "this host has no IPv6: use an IPv4 address"
            default: nil
            }
        return FileError(.open, path: address.name, code: code, reason: reason)
    }
}
