import HLSPlaylist
import Testing

@Suite("Codecs, layouts and language tags")
struct CodecTests {
    @Test(
        "family, profile and level",
        arguments: [
            ("avc1.640028", .h264, 100, 40), ("avc3.42E01E", .h264, 66, 30), ("avc1.66.30", .h264, 66, 30),
            ("avc1", .h264, nil, nil), ("avc1.64002", .h264, nil, nil), ("AVC1.4d401f", .h264, 77, 31),
            ("hvc1.2.4.L153.B0", .hevc, 2, 153), ("hev1.A1.6.H120", .hevc, 1, 120), ("hvc1.2", .hevc, 2, nil),
            ("hvc1.2.4.X153", .hevc, 2, nil), ("dvh1.08.07", .dolbyVision, 8, 7), ("dav1.10.09", .dolbyVision, 10, 9),
            ("av01.0.13M.10.0.111", .av1, 0, 13), ("vp09.02.41.10", .vp9, 2, 41), ("vp08.00.41.08", .vp8, nil, nil),
            ("mp4a.40.2", .aac, 2, nil), ("mp4a.40.34", .mp3, 34, nil), ("mp4a.6B", .mp3, nil, nil),
            ("ec-3", .eac3, nil, nil), ("Opus", .opus, nil, nil), ("stpp.ttml.im1t", .ttml, nil, nil),
            ("zzzz.1", .unknown, nil, nil), ("", .unknown, nil, nil), (" mp4a.40.2", .unknown, nil, nil),
            ("mp4a.40.99999999999999999999", .aac, nil, nil), ("avc1.é4é028", .h264, nil, nil),
        ] as [(String, Codec.Family, Int?, Int?)]
    )
    func parse(_ text: String, _ family: Codec.Family, _ profile: Int?, _ level: Int?) {
        let codec = Codec(text)
        #expect(codec.family == family)
        #expect(codec.profile == profile)
        #expect(codec.level == level)
        #expect(codec.description == text)
        #expect(codec.kind == family.kind)
    }

    @Test("the syntax of RFC 6381")
    func form() {
        for text in ["ec+3", "stpp.ttml.im1t", "avc1.640028", "iamf.001.001.Opus", "ac-3", "avc1.a_b-C"] {
            #expect(Codec(text).isWellFormed, "\(text)")
        }
        for text in ["", "mp3", "mp4a.", "mp4a..2", " ec-3", "ec-3 ", "mp4a.4é", "mp4aa.2"] {
            #expect(!Codec(text).isWellFormed, "\(text)")
        }
        #expect(SupplementalCodec("dvh1.08.07/db4h/abcd").brands == ["db4h", "abcd"])
        for text in ["dvh1.08.07", "dvh1.08.07/db4h"] { #expect(SupplementalCodec(text).isWellFormed) }
        for text in ["", "/db4h", "dvh1.08.07/", "dvh1.08.07/db4", "dvh1.08.07/dbé"] {
            #expect(!SupplementalCodec(text).isWellFormed, "\(text)")
        }
    }

    @Test("the codecs that a list of entries supports")
    func abilities() {
        let abilities = CodecSupport([.h264(level: 41), .hevc(level: 123), .aac])
        for text in ["avc1.640029", "avc1", "hvc1.2.4.L123.B0", "mp4a.40.5", "mp4a"] {
            #expect(abilities.supports(Codec(text)), "\(text)")
        }
        for text in [
            "avc1.64002A", "avc1.F40029", "hvc1.4.10.L90.B0", "hvc1.1.6.L150.90", "mp4a.40.42", "ec-3", "zzzz",
            "avc1.ZZZZZZ", "avc1.64002", "avc1.77.x", "hvc1.x", "hvc1.1.6.X93", "mp4a.zz", "mp4a.40.x", "mp4a.",
        ] {
            #expect(!abilities.supports(Codec(text)), "\(text)")
        }
        #expect(!CodecSupport([CodecSupport.Entry(.unknown)]).supports(Codec("zzzz")))
        #expect(CodecSupport.ultraHighDefinition.supports(Codec("dvh1.05.06")))
        #expect(!CodecSupport.ultraHighDefinition.supports(Codec("dvh1.07.06")))
    }

    @Test("language tags")
    func languages() {
        for tag in ["en", "de-CH-1901", "zh-Hant-TW", "x-klingon", "i-navajo", "es-419", "abcdefgh"] {
            #expect(LanguageTag.isWellFormed(tag), "\(tag)")
        }
        for tag in ["", "e", "x", "i", "-", "en-", "en--US", "en_US", "abcdefghi", "en-abcdefghi", "a-b", "é", "e1"] {
            #expect(!LanguageTag.isWellFormed(tag), "\(tag)")
        }
    }
}
