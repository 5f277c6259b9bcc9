import CKeywayDASk
public import FPSCrypto
import Foundation
import Locking

/// A DASk plug-in: a shared library that the operator builds around the software licensed from Apple, loaded with
/// dlopen.
///
/// `Sources/System/CKeywayDASk/include/keyway_dask.h` declares the interface. The library runs in this process and is
/// trusted as much as this process; the sizes of its outputs are checked anyway.
public final class DASkPlugin: Sendable {
    /// The path of the shared library.
    public let path: String
    /// The functions, threading mode and capabilities that the plug-in declares.
    public let summary: PluginSummary
    // The operator's secrets for the plug-in.
    let ask: SecretBytes?
    let provisioningData: SecretBytes?
    private let library: Library
    /// A lock that serializes the calls to a plug-in that declares the serial threading mode.
    private let serialCallLock = Lock(())

    /// The library handle from dlopen and the plug-in's functions. The library is closed when the last reference goes
    /// away.
    private final class Library: @unchecked Sendable {
        // Both are set only in `init`; the plug-in's `threading` declares how its functions may be called.
        let handle: UnsafeMutableRawPointer
        let functions: keyway_dask_plugin

        init(handle: UnsafeMutableRawPointer, functions: keyway_dask_plugin) {
            self.handle = handle
            self.functions = functions
        }

        deinit {
            functions.destroy?(functions.state)
            dlclose(handle)
        }
    }

    /// Loads and initializes a plug-in.
    ///
    /// - Parameters:
    ///   - path: the path of the shared library. The path must contain a slash, because dlopen searches for a plain
    ///     file name in the system's library folders.
    ///   - configuration: the operator's configuration text for the plug-in.
    ///   - ask: ASk, 16 bytes, for plug-ins that derive DASk from it.
    ///   - provisioningData: the provisioning data, which replaces ASk since version 5 of Apple's SDK.
    /// - Throws: ``BundleError`` with `plugin`.
    public init(
        path: String,
        configuration: String = "",
        ask: SecretBytes? = nil,
        provisioningData: SecretBytes? = nil
    ) throws(BundleError) {
        func failure(_ reason: String) -> BundleError { BundleError(.plugin, path, reason) }
        guard path.contains("/") else { throw failure("the path must contain a slash, for example ./plugin.so") }
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw failure(dlerror().map { String(cString: $0) } ?? "the library cannot be loaded")
        }
        guard let symbol = dlsym(handle, KEYWAY_DASK_OPEN_SYMBOL) else {
            dlclose(handle)
            throw failure("the library does not export \(KEYWAY_DASK_OPEN_SYMBOL)")
        }
        let open = unsafeBitCast(symbol, to: keyway_dask_open_function.self)
        var functions = keyway_dask_plugin()
        functions.size = MemoryLayout<keyway_dask_plugin>.size
        let status = configuration.withCString { text in
            var input = keyway_dask_open_in(
                size: MemoryLayout<keyway_dask_open_in>.size,
                abi_version: UInt32(KEYWAY_DASK_ABI_VERSION),
                configuration: text
            )
            return open(&input, &functions)
        }
        guard status == Int32(KEYWAY_DASK_OK) else {
            dlclose(handle)
            let hint = configuration.isEmpty ? "; no configuration was passed to it, see --plugin-configuration" : ""
            throw failure("the plug-in failed to initialize: \(Self.name(of: status))" + hint)
        }
        library = Library(handle: handle, functions: functions)
        guard functions.abi_version == UInt32(KEYWAY_DASK_ABI_VERSION) else {
            throw failure(
                "the plug-in implements version \(functions.abi_version) of the interface; version 1 is required"
            )
        }
        do throws(PluginSummary.Problem) {
            summary = try PluginSummary(functions)
        } catch {
            throw failure(error.reason)
        }
        self.path = path
        self.ask = ask
        self.provisioningData = provisioningData
    }

    /// The method that yields the session key, as the plug-in provides it.
    public var derivation: CertificateBundle.KeyDerivation {
        if library.functions.derive_dask != nil { return .dask(PluginDASk(plugin: self)) }
        return library.functions.key_payload != nil ? .keyPayload(PluginKeyPayload(plugin: self)) : .none
    }

    /// The provider for SPCs of version 3; nil if the plug-in does not provide one, or does not declare the version.
    public var wholeSPC: (any WholeSPCProvider)? { summary.opensVersion3 ? PluginWholeSPC(plugin: self) : nil }

    /// Calls one of the plug-in's functions. Calls to a plug-in in serial threading mode do not overlap.
    ///
    /// - Throws: `key-payload-invalid` if the plug-in reports that the message is invalid, and `dask-unavailable` for
    ///   any other failure.
    func call(
        _ what: String,
        _ body: (keyway_dask_plugin) -> Int32
    ) throws(KSMError) {
        let status =
            summary.isSerial ? serialCallLock.withLock { _ in body(library.functions) } : body(library.functions)
        switch status {
        case Int32(KEYWAY_DASK_OK): return
        case Int32(KEYWAY_DASK_INVALID):
            throw KSMError(.sessionKey, .keyPayloadInvalid, "the plug-in reports that the message cannot be decrypted")
        default:
            throw KSMError(.sessionKey, .daskUnavailable, "the plug-in's \(what) failed: \(Self.name(of: status))")
        }
    }

    /// Releases a context that `open_spc` returned.
    func release(_ context: UnsafeMutableRawPointer?) {
        try? call("release_spc") { plugin in
            plugin.release_spc?(plugin.state, context)
            return Int32(KEYWAY_DASK_OK)
        }
    }

    private static func name(of status: Int32) -> String {
        switch status {
        case Int32(KEYWAY_DASK_UNSUPPORTED): "unsupported"
        case Int32(KEYWAY_DASK_INVALID): "invalid"
        case Int32(KEYWAY_DASK_BUFFER_TOO_SMALL): "buffer too small"
        case Int32(KEYWAY_DASK_FAILED): "failed"
        default: "status \(status)"
        }
    }
}
