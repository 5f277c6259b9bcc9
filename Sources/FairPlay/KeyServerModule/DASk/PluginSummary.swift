import CKeywayDASk
import Foundation

/// The functions, the threading mode and the capabilities of a DASk plug-in.
public struct PluginSummary: Sendable, Hashable {
    /// A function of the interface, or a group of functions that belong together.
    public enum Function: String, Sendable, CaseIterable {
        /// `derive_dask`.
        case deriveDASk = "derive_dask"
        /// `key_payload`.
        case keyPayload = "key_payload"
        /// `open_spc`, `seal_ckc` and `release_spc`.
        case wholeSPC = "open_spc"
    }

    /// A capability beyond the guide, which a plug-in declares.
    public struct Capability: Sendable, Hashable, CustomStringConvertible {
        /// The name: 1 to 64 lowercase ASCII letters, digits and hyphens.
        public let name: String
        /// The version of the capability.
        public let version: UInt32

        /// Creates a capability.
        public init(name: String, version: UInt32) {
            self.name = name
            self.version = version
        }

        /// SPCs of version 3 for `open_spc`.
        public static let spcVersion3 = Self(name: KEYWAY_DASK_CAPABILITY_SPC, version: 3)
        /// SHA-256 certificate hashes from `open_spc`.
        public static let sha256CertificateHash = Self(name: KEYWAY_DASK_CAPABILITY_SHA256, version: 1)

        /// True if Keyway uses the capability. Others are ignored.
        public var isKnown: Bool { self == .spcVersion3 || self == .sha256CertificateHash }

        /// The name and the version, for example `spc 3`.
        public var description: String { "\(name) \(version)" }

        /// Whether the characters and the length of a name are valid.
        package static func isValid(name: some Collection<UInt8>) -> Bool {
            (1...64).contains(name.count)
                && name.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                }
        }
    }

    /// The reason why the declarations of a plug-in are invalid.
    package struct Problem: Error {
        package let reason: String
    }

    /// The functions, in the order of the interface.
    public let functions: [Function]
    /// True if calls must not overlap.
    public let isSerial: Bool
    /// The capabilities, in the plug-in's order, including unknown ones.
    public let capabilities: [Capability]

    /// Creates a summary, and checks that the functions can open at least one version of SPCs.
    package init(functions: [Function], isSerial: Bool, capabilities: [Capability]) throws(Problem) {
        self.functions = functions
        self.isSerial = isSerial
        self.capabilities = capabilities
        let opening = functions.filter { $0 != .wholeSPC }
        guard opening.count < 2 else {
            throw Problem(reason: "the plug-in must provide either derive_dask or key_payload, but not both")
        }
        guard !opening.isEmpty || opensVersion3 else {
            throw Problem(
                reason: functions.isEmpty
                    ? "the plug-in must provide one of derive_dask, key_payload and open_spc"
                    : "the plug-in provides open_spc, but does not declare the capability \(Capability.spcVersion3)"
            )
        }
    }

    /// True if the plug-in opens SPCs of version 3.
    public var opensVersion3: Bool { functions.contains(.wholeSPC) && capabilities.contains(.spcVersion3) }

    /// The valid sizes of a certificate hash from `open_spc`, in bytes.
    package var certificateHashSizes: Set<Int> { capabilities.contains(.sha256CertificateHash) ? [20, 32] : [20] }
}

extension PluginSummary {
    /// Reads what a plug-in has declared.
    init(_ plugin: keyway_dask_plugin) throws(Problem) {
        let whole = [plugin.open_spc != nil, plugin.seal_ckc != nil, plugin.release_spc != nil]
        guard Set(whole).count == 1 else {
            throw Problem(reason: "the plug-in must provide all of open_spc, seal_ckc and release_spc, or none of them")
        }
        var functions: [Function] = []
        if plugin.derive_dask != nil { functions.append(.deriveDASk) }
        if plugin.key_payload != nil { functions.append(.keyPayload) }
        if plugin.open_spc != nil { functions.append(.wholeSPC) }
        let isSerial: Bool
        switch plugin.threading {
        case UInt32(KEYWAY_DASK_THREADING_SERIAL): isSerial = true
        case UInt32(KEYWAY_DASK_THREADING_CONCURRENT): isSerial = false
        default: throw Problem(reason: "the plug-in declares the unknown threading mode \(plugin.threading)")
        }
        try self.init(functions: functions, isSerial: isSerial, capabilities: try Self.capabilities(of: plugin))
    }

    private static func capabilities(of plugin: keyway_dask_plugin) throws(Problem) -> [Capability] {
        guard plugin.capability_count != 0 else { return [] }
        guard let list = plugin.capabilities,
            (1...Int(KEYWAY_DASK_MAXIMUM_CAPABILITIES)).contains(plugin.capability_count)
        else {
            throw Problem(
                reason: "the plug-in declares a list of capabilities that is missing or has more than "
                    + "\(KEYWAY_DASK_MAXIMUM_CAPABILITIES) items"
            )
        }
        var found: [Capability] = []
        for index in 0..<plugin.capability_count {
            guard let item = list[index], item.pointee.size >= MemoryLayout<keyway_dask_capability>.size,
                let text = item.pointee.name
            else { throw Problem(reason: "capability \(index + 1) of the plug-in is incomplete") }
            // The name ends within 65 bytes, or it is too long.
            let name = UnsafeRawBufferPointer(start: text, count: strnlen(text, 65))
            guard Capability.isValid(name: name) else {
                throw Problem(
                    reason:
                        "the name of capability \(index + 1) of the plug-in is not 1 to 64 lowercase letters, digits "
                        + "and hyphens"
                )
            }
            found.append(Capability(name: String(decoding: name, as: UTF8.self), version: item.pointee.version))
        }
        return found
    }
}
