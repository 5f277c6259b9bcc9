import CKeywayDASk
public import FPSCrypto
import Foundation
import Locking

/// A DASk plug-in: a shared library that the operator builds around what Apple licenses to them, loaded with dlopen.
///
/// Its interface is `Sources/System/CKeywayDASk/include/keyway_dask.h`. The library runs in this process and is trusted as this
/// process is; what comes back from it is checked for size all the same.
public final class DASkPlugin: Sendable {
    /// Where it was loaded from.
    public let path: String
    /// The operator's secrets for it.
    let ask: SecretBytes?
    let provisioningData: SecretBytes?
    private let library: Library
    /// Held around every call to a plug-in that declares itself serial.
    private let oneAtATime = Lock(())
    private let isSerial: Bool

    /// What dlopen and the plug-in gave. Closed when the last reference goes.
    private final class Library: @unchecked Sendable {
        // Written in `init` alone; the plug-in declares by `threading` how its functions may be called.
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
    ///   - path: the shared library. A plain file name would be searched for in the system's folders, so a path is needed.
    ///   - configuration: the operator's text for the plug-in.
    ///   - ask: ASk, 16 bytes, for plug-ins that derive DASk from it.
    ///   - provisioningData: what replaces ASk since version 5 of Apple's SDK.
    /// - Throws: ``BundleError`` with `plugin`.
    public init(
        path: String,
        configuration: String = "",
        ask: SecretBytes? = nil,
        provisioningData: SecretBytes? = nil
    ) throws(BundleError) {
        func failure(_ reason: String) -> BundleError { BundleError(.plugin, path, reason) }
        guard path.contains("/") else { throw failure("a path with a slash is needed") }
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw failure(dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
        }
        guard let symbol = dlsym(handle, KEYWAY_DASK_OPEN_SYMBOL) else {
            dlclose(handle)
            throw failure("it does not export \(KEYWAY_DASK_OPEN_SYMBOL)")
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
            let hint = configuration.isEmpty ? "; it was given no configuration, see --plugin-configuration" : ""
            throw failure("it refuses to open: \(Self.name(of: status))" + hint)
        }
        library = Library(handle: handle, functions: functions)
        guard functions.abi_version == UInt32(KEYWAY_DASK_ABI_VERSION) else {
            throw failure("it has version \(functions.abi_version) of the interface, this is 1")
        }
        guard (functions.derive_dask == nil) != (functions.key_payload == nil) || functions.open_spc != nil else {
            throw failure("it must offer derive_dask or key_payload, and not both")
        }
        let whole = [functions.open_spc != nil, functions.seal_ckc != nil, functions.release_spc != nil]
        guard Set(whole).count == 1 else {
            throw failure("open_spc, seal_ckc and release_spc come together or not at all")
        }
        switch functions.threading {
        case UInt32(KEYWAY_DASK_THREADING_SERIAL): isSerial = true
        case UInt32(KEYWAY_DASK_THREADING_CONCURRENT): isSerial = false
        default: throw failure("its threading mode \(functions.threading) is not known")
        }
        self.path = path
        self.ask = ask
        self.provisioningData = provisioningData
    }

    /// The way to the session key that the plug-in offers.
    public var derivation: CertificateBundle.KeyDerivation {
        if library.functions.derive_dask != nil { return .dask(PluginDASk(plugin: self)) }
        return library.functions.key_payload != nil ? .keyPayload(PluginKeyPayload(plugin: self)) : .none
    }

    /// The way to SPCs of version 3, if the plug-in offers one.
    public var wholeSPC: (any WholeSPCProvider)? {
        library.functions.open_spc == nil ? nil : PluginWholeSPC(plugin: self)
    }

    /// Calls one of the plug-in's functions, one at a time if it wants that.
    ///
    /// - Throws: `key-payload-invalid` when the plug-in says that the message does not open, `dask-unavailable` for
    ///   everything else.
    func call(
        _ what: String,
        _ body: (keyway_dask_plugin) -> Int32
    ) throws(KSMError) {
        let status = isSerial ? oneAtATime.withLock { _ in body(library.functions) } : body(library.functions)
        switch status {
        case Int32(KEYWAY_DASK_OK): return
        case Int32(KEYWAY_DASK_INVALID):
            throw KSMError(.sessionKey, .keyPayloadInvalid, "the plug-in says that the message does not open")
        default:
            throw KSMError(.sessionKey, .daskUnavailable, "the plug-in's \(what) failed: \(Self.name(of: status))")
        }
    }

    /// Lets go of what `open_spc` gave.
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

/// Lends bytes to a plug-in for the length of a call.
func withBorrowed<Value>(_ bytes: [UInt8], _ body: (keyway_dask_bytes) -> Value) -> Value {
    bytes.withUnsafeBufferPointer { body(keyway_dask_bytes(bytes: $0.baseAddress, length: $0.count)) }
}

/// Lends a secret to a plug-in for the length of a call; nil becomes no bytes.
func withBorrowed<Value>(_ secret: SecretBytes?, _ body: (keyway_dask_bytes) -> Value) -> Value {
    guard let secret else { return body(keyway_dask_bytes(bytes: nil, length: 0)) }
    return secret.withUnsafeBytes { bytes in
        body(keyway_dask_bytes(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count))
    }
}

/// Overwrites a struct that a plug-in has put secrets into.
func wipe<Value>(_ value: inout Value) {
    withUnsafeMutableBytes(of: &value) { SecretBytes.wipe($0) }
}
