import Dispatch
import FPSCrypto
import FPSMessages
import KeyServerModule

// The providers of a plug-in in a process of its own. A reply of another kind than the request's is a failure.

/// A DASk provider.
struct SeparateDASk: DASkProvider {
    let plugin: SeparatePlugin

    var isForDevelopmentOnly: Bool { false }

    func dask(r2: R2) throws(KSMError) -> SecretBytes {
        guard case .dask(let dask) = try plugin.call(.deriveDASk(r2)).0 else { throw .unexpectedReply }
        return dask
    }
}

/// A key payload provider.
struct SeparateKeyPayload: KeyPayloadProvider {
    let plugin: SeparatePlugin

    func open(_ payload: KeyPayload, contentKey: LicensedKey?) throws(KSMError) -> OpenedKeyPayload {
        guard case .keyPayload(let opened) = try plugin.call(.keyPayload(payload, contentKey)).0 else {
            throw .unexpectedReply
        }
        return opened
    }
}

/// A provider that opens whole SPCs.
struct SeparateWholeSPC: WholeSPCProvider {
    let plugin: SeparatePlugin

    func open(spc: [UInt8]) throws(KSMError) -> any WholeSPCSession {
        guard spc.count <= PluginRequest.spcLimit else {
            throw KSMError(.sessionKey, .keyPayloadInvalid, "the SPC is too long for a plug-in")
        }
        let (reply, process) = try plugin.call(.openSPC(spc))
        guard case .openedSPC(let number, let opened) = reply else { throw .unexpectedReply }
        return SeparateSession(plugin: plugin, process: process, number: number, opened: opened)
    }
}

/// An SPC that a plug-in in another process has opened. Only that process can create its CKC.
private final class SeparateSession: WholeSPCSession {
    private let plugin: SeparatePlugin
    private let process: PluginProcess
    private let number: UInt64
    let hu: [UInt8]
    let certificateHash: [UInt8]
    let request: [UInt8]

    init(plugin: SeparatePlugin, process: PluginProcess, number: UInt64, opened: PluginSPC) {
        (self.plugin, self.process, self.number) = (plugin, process, number)
        (hu, certificateHash, request) = (opened.hu, opened.certificateHash, opened.request)
    }

    deinit {
        // The call may wait, and the last reference may go away on any thread, also one that must not wait.
        let (plugin, process, number) = (plugin, process, number)
        DispatchQueue.global().async { _ = try? plugin.call(.release(session: number), in: process) }
    }

    func seal(contentKey: LicensedKey, terms: [UInt8]) throws(KSMError) -> [UInt8] {
        let request = PluginRequest.createCKC(session: number, contentKey, terms: terms)
        guard case .ckc(let ckc) = try plugin.call(request, in: process).0 else { throw .unexpectedReply }
        return ckc
    }
}

extension KSMError {
    fileprivate static let unexpectedReply = Self(
        .sessionKey,
        .daskUnavailable,
        "the process of the plug-in sent the reply to another request"
    )
}
