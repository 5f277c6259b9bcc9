import ByteCoding
import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import Testing
import VectorFiles

/// Tests that compile the example plug-in with the system's C compiler, load it and use it.
@Suite("DASk plug-in")
struct PluginTests {
    private static let folder = VectorFile.root.deletingLastPathComponent()

    /// The example plug-in, compiled once for all tests of this suite.
    private static let library: Result<String, any Error> = Result {
        let output = FileManager.default.temporaryDirectory
            .appending(path: "example_dask-\(ProcessInfo.processInfo.processIdentifier).so").path
        try compile(folder.appending(path: "Examples/dask-plugin/example_dask.c").path, to: output)
        return output
    }

    private static func compile(_ source: String, to output: String) throws {
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
            "-I", folder.appending(path: "Sources/System/CKeywayDASk/include").path, "-o", output, source, "-lcrypto",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "the plug-in does not compile")
    }

    private func plugin(_ configuration: String) throws -> DASkPlugin {
        try DASkPlugin(
            path: try Self.library.get(),
            configuration: configuration,
            ask: TestKeys.ask,
            provisioningData: TestKeys.ask
        )
    }

    private func module(_ plugin: DASkPlugin) throws -> KSM {
        let bundle = try CertificateBundle(
            name: "plug-in",
            kind: .production,
            certificate: X509Certificate(try TestKeys.file("test-rsa-2048.der")),
            privateKey: RSAPrivateKey(try TestKeys.file("test-rsa-2048.pem")),
            derivation: plugin.derivation,
            wholeSPC: plugin.wholeSPC
        )
        return try KSM(bundles: [bundle])
    }

    @Test("It opens SPCs and serves production bundles", arguments: ["derive", "derive serial", "key-payload"])
    func opens(configuration: String) throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let plugged = try module(try plugin(configuration))
        let opened = try plugged.open(vector.message)
        #expect(opened.hu == vector.bytes("hu"))
        let license = try plugged.license(
            for: opened,
            content: Content(key: TestKeys.contentKey)!,
            policy: .default,
            wantsPersistable: false,
            at: TestKeys.creationDate
        )
        // Without the plug-in, the same session must yield the same key from the CKC.
        let secrets = try #require(try TestKeys.module().open(vector.message).sessionSecrets)
        #expect(try CKCReader(secrets).contentKey(in: license.ckc) == TestKeys.contentKey.key)
    }

    @Test("Invalid SPCs get the same error", arguments: ["derive", "key-payload"])
    func refuses(configuration: String) throws {
        let vector = try VectorFile(path: "spc/v2-integrity-altered.txt")
        let plugged = try module(try plugin(configuration))
        let error = #expect(throws: KSMError.self) { try plugged.open(vector.message) }
        #expect(error?.isUnreadable == true)
    }

    @Test("The plug-in opens whole SPCs of version 3")
    func wholeSPC() throws {
        let plugged = try module(try plugin("spc-3"))
        var random = SeededRandom(seed: 3)
        let key = SecretBytes(count: 16, randomFrom: &random)
        let hash = try X509Certificate(try TestKeys.file("test-rsa-2048.der")).sha1
        let asset = try #require(AssetID(Array("movie".utf8)))
        let state = MediaPlaybackState(
            creationDate: UInt32(TestKeys.creationDate),
            state: .readyToStart,
            sessionID: 1
        )
        let blocks = asset.block(using: &random).encoded + state.block(using: &random).encoded
        let spc = [0, 0, 0, 3] + hash + [UInt8](repeating: 7, count: 20) + key.reveal() + blocks

        let opened = try plugged.open(spc)
        #expect(opened.version == .version3)
        #expect(opened.request.assetID == asset)
        #expect(opened.hu == [UInt8](repeating: 7, count: 20))
        let license = try plugged.license(
            for: opened,
            content: Content(key: TestKeys.contentKey)!,
            policy: LicensePolicy(lease: Seconds(rawValue: 60)),
            wantsPersistable: false,
            at: TestKeys.creationDate
        )
        #expect(try AES128.decryptBlock(license.ckc[4..<20], key: key) == TestKeys.contentKey.key.reveal())
        let terms = try TLLVSequence(parsing: Array(license.ckc[36...]))
        #expect(try terms.optional(ContentKeyDuration.self) == ContentKeyDuration(lease: 60, keyType: .lease))

        #expect(throws: KSMError(.container, .spcVersion3, "")) { try TestKeys.module().open(spc) }
        #expect(throws: KSMError(.sessionKey, .keyPayloadInvalid, "")) { try plugged.open(Array(spc.prefix(59))) }
        // Without a DASk provider, errors for versions 1 and 2 are caused by the server, not by the client.
        let ordinary = try VectorFile(path: "spc/v2-iphone.txt").message
        let error = #expect(throws: KSMError.self) { try plugged.open(ordinary) }
        #expect(error?.isServerFailure == true)
    }

    @Test("Calls from many threads are safe in both threading modes", arguments: ["derive", "derive serial"])
    func concurrency(configuration: String) async throws {
        let vector = try VectorFile(path: "spc/v2-iphone.txt")
        let plugged = try module(try plugin(configuration))
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<64 { group.addTask { try plugged.open(vector.message).hu } }
            for try await hu in group { #expect(hu == vector.bytes("hu")) }
        }
    }

    /// Compiles a plug-in whose functions have these bodies, and loads it.
    private func generated(_ functions: String, _ declarations: String) throws -> DASkPlugin {
        let source = FileManager.default.temporaryDirectory.appending(path: "generated-\(UUID()).c")
        let library = source.deletingPathExtension().appendingPathExtension("so").path
        defer {
            try? FileManager.default.removeItem(at: source)
            try? FileManager.default.removeItem(atPath: library)
        }
        let text = """
            #include "keyway_dask.h"
            #include <string.h>
            \(functions)
            __attribute__((visibility("default")))
            int32_t keyway_dask_open(const keyway_dask_open_in *in, keyway_dask_plugin *plugin) {
                (void)in;
                plugin->abi_version = KEYWAY_DASK_ABI_VERSION;
                plugin->threading = KEYWAY_DASK_THREADING_CONCURRENT;
                \(declarations)
                return KEYWAY_DASK_OK;
            }
            """
        try Data(text.utf8).write(to: source)
        try Self.compile(source.path, to: library)
        return try DASkPlugin(path: library)
    }

    /// A plug-in with the `open_spc` of this body, for an SPC whose bytes from 4 on select what it does.
    private func whole(_ body: String, capabilities: [(String, Int)]) throws -> DASkPlugin {
        let items = capabilities.enumerated().map { index, item in
            "static const keyway_dask_capability c\(index) = {sizeof c\(index), \"\(item.0)\", \(item.1)};"
        }
        let list = capabilities.indices.map { "&c\($0)" }.joined(separator: ", ")
        return try generated(
            """
            \(items.joined(separator: "\n"))
            static const keyway_dask_capability *const list[] = {\(list.isEmpty ? "0" : list)};
            static int32_t open_spc(void *s, const keyway_dask_open_spc_in *in, keyway_dask_open_spc_out *out) {
                (void)s; (void)in; (void)out;
                \(body)
                return KEYWAY_DASK_OK;
            }
            static int32_t seal_ckc(void *s, const keyway_dask_seal_ckc_in *in, keyway_dask_seal_ckc_out *out) {
                (void)s; (void)in; (void)out;
                return KEYWAY_DASK_FAILED;
            }
            static void release_spc(void *s, void *context) { (void)s; (void)context; }
            """,
            """
            plugin->open_spc = open_spc;
            plugin->seal_ckc = seal_ckc;
            plugin->release_spc = release_spc;
            plugin->capabilities = list;
            plugin->capability_count = \(capabilities.count);
            """
        )
    }

    @Test("An output length that exceeds the buffer is an error")
    func impossibleLengths() throws {
        let body =
            "out->request.length = in->spc.bytes[4] ? SIZE_MAX : in->spc.length + 1;"
            + "out->hu.length = out->certificate_hash.length = 20;"
        let plugged = try module(try whole(body, capabilities: [("spc", 3)]))
        for marker in [0, 1] as [UInt8] {
            let spc = [0, 0, 0, 3, marker] + [UInt8](repeating: 0, count: 60)
            let error = #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try plugged.open(spc) }
            #expect(error?.reason.contains("exceeds its buffer") == true)
        }
    }

    @Test("An output of another size than Keyway supports is an error that contains the size")
    func unsupportedSizes() throws {
        let dask = try generated(
            """
            static int32_t derive(void *s, const keyway_dask_derive_in *in, keyway_dask_derive_out *out) {
                (void)s; (void)in;
                out->dask.length = 32;
                return KEYWAY_DASK_OK;
            }
            """,
            "plugin->derive_dask = derive;"
        )
        let vector = try VectorFile(path: "spc/v2-iphone.txt").message
        let error = #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try module(dask).open(vector) }
        #expect(error?.reason == "the plug-in returned DASk with 32 bytes, which is not supported")
        // Memory that the plug-in has not written is not used.
        let payload = try generated(
            """
            static int32_t payload(void *s, const keyway_dask_key_payload_in *in, keyway_dask_key_payload_out *out) {
                (void)s; (void)in; (void)out;
                return KEYWAY_DASK_OK;
            }
            """,
            "plugin->key_payload = payload;"
        )
        #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try module(payload).open(vector) }
    }

    @Test("Capabilities are listed, and unknown ones are ignored")
    func capabilities() throws {
        let plugin = try whole("", capabilities: [("x-new", 7), ("spc", 3), ("spc", 4)])
        #expect(plugin.summary.functions == [.wholeSPC])
        #expect(plugin.summary.isSerial == false)
        #expect(plugin.summary.capabilities.map(\.description) == ["x-new 7", "spc 3", "spc 4"])
        #expect(plugin.summary.capabilities.map(\.isKnown) == [false, true, false])
        #expect(plugin.wholeSPC != nil)
    }

    @Test("A function that no capability declares is not called")
    func undeclared() throws {
        let error = #expect(throws: BundleError.self) { try whole("", capabilities: [("spc", 4)]) }
        #expect(error?.reason.contains("does not declare the capability spc 3") == true)
    }

    @Test(
        "Invalid lists of capabilities are refused",
        arguments: [
            ("", "plugin->capability_count = 1;"),
            ("", "plugin->capability_count = (size_t)-1;"),
            ("static const keyway_dask_capability *list[1];", "plugin->capability_count = 1;"),
            ("ITEM(sizeof item, 0)", "plugin->capability_count = 1;"),
            ("ITEM(8, \"a\")", "plugin->capability_count = 1;"),
            ("ITEM(sizeof item, \"\")", "plugin->capability_count = 1;"),
            ("ITEM(sizeof item, \"Upper\")", "plugin->capability_count = 1;"),
            ("ITEM(sizeof item, \"line\\n\")", "plugin->capability_count = 1;"),
            ("ITEM(sizeof item, \"\(String(repeating: "a", count: 65))\")", "plugin->capability_count = 1;"),
            ("ITEM(sizeof item, \"a\")", "plugin->capability_count = 65;"),
        ]
    )
    func invalidCapabilities(list: String, count: String) throws {
        let functions = """
            #define ITEM(size, name) \\
                static const keyway_dask_capability item = {size, name, 1}; \\
                static const keyway_dask_capability *list[65] = {&item};
            \(list)
            static int32_t derive(void *s, const keyway_dask_derive_in *in, keyway_dask_derive_out *out) {
                (void)s; (void)in; (void)out;
                return KEYWAY_DASK_FAILED;
            }
            """
        let declarations =
            "plugin->derive_dask = derive;" + (list.isEmpty ? "" : "plugin->capabilities = list;") + count
        let error = #expect(throws: BundleError.self) { try generated(functions, declarations) }
        #expect(error?.reason.contains("capabilit") == true)
    }

    @Test("A SHA-256 certificate hash selects the bundle if the plug-in declares it")
    func sha256Hash() throws {
        let certificate = try X509Certificate(try TestKeys.file("test-rsa-2048.der"))
        var random = SeededRandom(seed: 4)
        let asset = try #require(AssetID(Array("movie".utf8))).block(using: &random).encoded
        let spc = [0, 0, 0, 3] + SHA256.hash(certificate.der) + asset
        let body = """
            memcpy(out->certificate_hash.bytes, in->spc.bytes + 4, 32);
            out->certificate_hash.length = 32;
            out->hu.length = 20;
            out->request.length = in->spc.length - 36;
            memcpy(out->request.bytes, in->spc.bytes + 36, out->request.length);
            """
        let declared = try module(try whole(body, capabilities: [("spc", 3), ("certificate-hash-sha256", 1)]))
        #expect(try declared.open(spc).request.assetID.bytes == Array("movie".utf8))
        let other = [0, 0, 0, 3] + SHA256.hash([1]) + asset
        #expect(throws: KSMError(.container, .spcVersion3, "")) { try declared.open(other) }
        let undeclared = try module(try whole(body, capabilities: [("spc", 3)]))
        #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try undeclared.open(spc) }
    }

    @Test("A plug-in that fails does not prevent that another bundle opens the SPC")
    func otherBundle() throws {
        let good = try X509Certificate(try TestKeys.file("test-rsa-2048.der"))
        var random = SeededRandom(seed: 6)
        let blocks = try #require(AssetID(Array("movie".utf8))).block(using: &random).encoded
        let spc = [0, 0, 0, 3] + good.sha1 + [UInt8](repeating: 7, count: 36) + blocks
        let failing = try whole("return KEYWAY_DASK_FAILED;", capabilities: [("spc", 3)])
        // The failing bundle comes first.
        let bundles = try [("a", "test-rsa-1024", failing), ("b", "test-rsa-2048", try plugin("spc-3"))].map {
            try CertificateBundle(
                name: $0.0,
                kind: .production,
                certificate: X509Certificate(try TestKeys.file("\($0.1).der")),
                privateKey: RSAPrivateKey(try TestKeys.file("\($0.1).pem")),
                derivation: .none,
                wholeSPC: $0.2.wholeSPC
            )
        }
        let module = try KSM(bundles: bundles)
        #expect(try module.open(spc).bundle.name == "b")
        // An SPC that no plug-in opens may be one for the plug-in that failed.
        #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try module.open(Array(spc.prefix(59))) }
    }

    @Test("The header is C99 and C++, and its structs have the documented sizes", arguments: ["c99", "c++98", "c++17"])
    func header(standard: String) throws {
        let include = Self.folder.appending(path: "Sources/System/CKeywayDASk/include")
        let text = try String(contentsOf: include.appending(path: "keyway_dask.h"), encoding: .utf8)
        let sizes = text.matches(of: /(keyway_dask_[a-z_]+) (\d+)\b/).map { (String($0.1), String($0.2)) }
        #expect(sizes.count == 13)
        // An array of negative size does not compile.
        let checks = sizes.map { "typedef char size_of_\($0)[sizeof(\($0)) == \($1) ? 1 : -1];" }
        let source = FileManager.default.temporaryDirectory.appending(path: "header-\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: source) }
        let code = "#include \"keyway_dask.h\"\n" + checks.joined(separator: "\n") + "\nint main(void) { return 0; }\n"
        try Data(code.utf8).write(to: source)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-x", standard.hasPrefix("c++") ? "c++" : "c", "-std=\(standard)", "-pedantic-errors", "-Wall",
            "-Wextra", "-Werror", "-Wno-unused-local-typedefs", "-I", include.path, "-fsyntax-only", source.path,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        #expect(compiler.terminationStatus == 0)
    }

    @Test("A file that is not a plug-in is refused with its path")
    func notAPlugin() throws {
        #expect(throws: BundleError.self) { try plugin("nothing that it offers") }
        #expect(throws: BundleError.self) { try DASkPlugin(path: "/nowhere/plugin.so") }
        #expect(throws: BundleError.self) { try DASkPlugin(path: "libcrypto.so.3") }
        let source = FileManager.default.temporaryDirectory.appending(path: "empty-\(UUID()).c")
        try Data("int nothing;".utf8).write(to: source)
        defer { try? FileManager.default.removeItem(at: source) }
        let library = source.deletingPathExtension().appendingPathExtension("so").path
        defer { try? FileManager.default.removeItem(atPath: library) }
        try Self.compile(source.path, to: library)
        let error = #expect(throws: BundleError.self) { try DASkPlugin(path: library) }
        #expect(error?.reason.contains("keyway_dask_open") == true)
    }
}
