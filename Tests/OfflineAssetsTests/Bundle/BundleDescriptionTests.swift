import ContentKeySession
import FPSCrypto
import Testing

@testable import OfflineAssets

@Suite("bundle.json")
struct BundleDescriptionTests {
    static let description = BundleDescription(
        summary: BundleSummary(
            title: "Film \"7\"\n",
            originalURL: "https://films.test/main.m3u8?token=1",
            state: .unverified,
            created: 1,
            changed: 2,
            duration: 7.25,
            byteCount: 1234,
            keys: ["skd://a", "skd://b"]
        ),
        selection: "the best variant; default renditions",
        playlists: [
            BundlePlaylist(
                file: "main.m3u8",
                url: "https://films.test/main.m3u8",
                kind: .variant,
                label: "640x360 ä",
                sha256: SHA256.hash([1])
            )
        ],
        resources: [
            BundleResource(
                file: "media/variant-1/000001.ts",
                url: "https://films.test/1.ts",
                range: nil,
                content: .init(length: 5, sha256: SHA256.hash([2]))
            ),
            BundleResource(
                file: "media/variant-1/000002.ts",
                url: "https://films.test/2.ts",
                range: 10..<20,
                content: .init(length: 10, sha256: SHA256.hash([3]))
            ),
        ]
    )

    private func read(_ text: String) throws -> BundleDescription {
        try BundleDescription(parsing: Array(text.utf8), place: "bundle.json")
    }

    private var text: String { String(decoding: Self.description.bytes, as: UTF8.self) }

    @Test func saysWhatWasWritten() throws {
        #expect(try read(text) == Self.description)
        var begun = Self.description
        begun.summary.state = .downloading
        begun.resources[0].content = nil
        #expect(try BundleDescription(parsing: begun.bytes, place: "") == begun)
    }

    @Test func theFirstLineIsTheSummary() throws {
        let line = Self.description.bytes.prefix { $0 != 0x0A }
        #expect(try BundleSummary(firstLine: Array(line), place: "") == Self.description.summary)
    }

    @Test func isNotReadWhereItIsCutOff() {
        let bytes = Self.description.bytes
        for length in 0..<bytes.count - 1 {
            let error = #expect(throws: AssetBundleError.self, "cut at \(length)") {
                try BundleDescription(parsing: Array(bytes.prefix(length)), place: "")
            }
            #expect(error?.code == .malformed)
        }
    }

    @Test(arguments: [
        ("\"keyway-bundle\":1", "\"keyway-bundle\":\"1\""), ("\"selection\":", "\"selektion\":"),
        ("{\"keyway-bundle\":1,", "{\"keyway-bundle\":1,\"more\":1,"), ("\"unverified\"", "\"perfect\""),
        ("\"created\":1", "\"created\":-1"), ("\"bytes\":1234", "\"bytes\":12.5"), ("\"bytes\":1234,", ""),
        ("\"created\":1,", "\"created\":1,\"created\":1,"), ("media/variant-1/000001.ts", "media/../000001.ts"),
        ("media/variant-1/000001.ts", "/etc/passwd"), ("media/variant-1/000001.ts", "media/variant-1/000002.ts"),
        ("main.m3u8\",\"url", "../m.m3u8\",\"url"), ("main.m3u8\",\"url", "other.m3u8\",\"url"),
        ("\"from\":10", "\"from\":20"),
        ("\"length\":5,", ""), ("\"kind\":\"variant\"", "\"kind\":\"film\""),
        ("\"keys\":[\"skd://a\"", "\"keys\":[1"),
    ])
    func isReadStrictly(part: String, other: String) throws {
        let changed = text.replacing(part, with: other, maxReplacements: 1)
        try #require(changed != text)
        let error = #expect(throws: AssetBundleError.self) { try read(changed) }
        #expect(error?.code == .malformed)
    }

    @Test func anotherVersionIsNotRead() {
        let error = #expect(throws: AssetBundleError.self) {
            try read(text.replacing("\"keyway-bundle\":1", with: "\"keyway-bundle\":2"))
        }
        #expect(error?.code == .unknownVersion)
    }

    @Test func filesOfItsOwnHaveHarmlessNames() {
        for name in ["media/a/1.ts", "media/i-frames-1/000001", "media/a/a.b.c"] {
            #expect(BundleResource.isValidPath(name))
        }
        for name in [
            "media/a", "a/b/c", "media//1", "media/a/", "media/../1", "media/./1", "media/a/.1", "media/a/1/2",
            "media/A/1",
            "media/a/1 2", "", "media/a/\u{0}", "media/a/ä",
        ] { #expect(!BundleResource.isValidPath(name)) }
    }
}
