import Testing

@testable import keyway

@Suite("Asset IDs of keyway device play")
struct DevicePlayAssetTests {
    @Test(
        "are those of keyway play, and bytes in hexadecimal digits",
        arguments: [
            ("skd://name", "name"), ("skd://movie/hd?session=1", "movie/hd"), ("SKD://my%20film", "my film"),
            ("skd://0x6e616d65", "name"), ("skd://0xfilm", "0xfilm"), ("https://keys.test/1", "https://keys.test/1"),
            ("skd://a", nil), ("skd://", nil), ("skd://0x61", nil), ("skd://%zz", nil),
        ] as [(String, String?)]
    )
    func assetID(uri: String, text: String?) {
        #expect(DevicePlayCommand.assetID(of: uri) == text.map { Array($0.utf8) })
    }
}
