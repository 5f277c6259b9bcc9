import DRMSignaling
import Testing

@testable import Packager

@Suite("Inputs of a job")
struct InputTests {
    @Test("consist of a path and options after commas")
    func options() throws {
        let input = try PackagingJob.Input(
            parsing: "dub.m4a,lang=GER,name=Deutsch,role=dub,group=stereo,policy=hd,tracks=audio+subtitles"
        )
        #expect(input.path == "dub.m4a")
        #expect(input.language == "de")
        #expect(input.name == "Deutsch")
        #expect(input.role == .dub)
        #expect(input.group == "stereo")
        #expect(input.policy == .trackClass(.hd))
        #expect(input.tracks == [.audio, .subtitles])
        #expect(!input.includes(.video))
        #expect(try PackagingJob.Input(parsing: "-").isStandardInput)
        #expect(try PackagingJob.Input(parsing: "a,policy=clear").policy == .clear)
    }

    @Test(
        "unescape commas and backslashes",
        arguments: [
            (#"one\,two.mp4"#, "one,two.mp4"), (#"a\\,lang=en"#, #"a\"#), (#"C:\films\x.mp4"#, #"C:\films\x.mp4"#),
            (#"a\"#, #"a\"#), (#"a=b.mp4"#, "a=b.mp4"),
        ]
    )
    func escapes(text: String, path: String) throws {
        #expect(try PackagingJob.Input(parsing: text).path == path)
    }

    @Test(
        "report errors",
        arguments: [
            ("", "no path"), (",lang=en", "no path"), ("a,b.mp4", "\\,"), ("a,lang=en,lang=de", "twice"),
            ("a,lang=", "empty"), ("a,lang=e", "BCP 47"), ("a,role=hero", "forced-subtitle"),
            ("a,policy=8K", "UHD"), ("a,tracks=sound", "subtitles"), ("a,name=\"x", "quotation"),
            ("a,name=x\ny", "control"),
        ]
    )
    func mistakes(text: String, fragment: String) {
        let error = #expect(throws: JobFailure.self) { try PackagingJob.Input(parsing: text) }
        #expect(error?.reason.contains(fragment) == true, "\(error?.reason ?? "")")
    }

    @Test(
        "have languages in the shortest form",
        arguments: [
            ("eng", "en"), ("deu", "de"), ("ger", "de"), ("fre", "fr"), ("EN", "en"), ("pt-br", "pt-BR"),
            ("zh-hant-tw", "zh-Hant-TW"), ("pt_BR", "pt-BR"), ("haw", "haw"), ("x-klingon", "x-klingon"),
            ("de-x-ab-cdef", "de-x-ab-cdef"), ("cmn", "cmn"),
        ]
    )
    func languages(text: String, tag: String) {
        #expect(TrackLanguage.tag(text) == tag)
    }

    @Test(
        "have no language if it is undetermined or invalid",
        arguments: ["und", "UND", "", "e", "1234", "en--us", "en us"]
    )
    func noLanguage(text: String) {
        #expect(TrackLanguage.tag(text) == nil)
    }

    @Test("have the names of languages in these languages")
    func names() {
        #expect(TrackLanguage.name(of: "de") == "Deutsch")
        #expect(TrackLanguage.name(of: "en") == "English")
    }
}
