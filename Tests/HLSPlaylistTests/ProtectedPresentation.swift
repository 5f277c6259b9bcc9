/// A realistic protected movie: cbcs for three DRM systems, separate keys for SD, HD, UHD and audio, session keys, HDCP
/// levels, I-frame variants and subtitles. It does not violate any rule.
struct ProtectedPresentation {
    var files: [(name: String, text: String)] = [
        ("main.m3u8", main), ("sd.m3u8", video("sd", 900_000)), ("hd.m3u8", video("hd", 4_000_000)),
        ("uhd.m3u8", video("uhd", 9_000_000)), ("audio.m3u8", video("audio", 96_000)),
        ("sd-i.m3u8", iFrames("sd", 60_000)), ("hd-i.m3u8", iFrames("hd", 200_000)), ("subs.m3u8", subtitles),
    ]

    /// Replaces text in a file. Does nothing if the file does not contain the text.
    mutating func replace(_ old: String, by new: String, in file: String) {
        for index in files.indices where files[index].name == file {
            files[index].text = files[index].text.replacing(old, with: new)
        }
    }

    /// Returns the number of the line that contains a text; 0 when there is none.
    func line(of text: String, in file: String) -> Int {
        let lines = files.first { $0.name == file }?.text.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines?.firstIndex { $0.contains(text) } ?? -1) + 1
    }

    static func fairPlay(_ key: String) -> String {
        "METHOD=SAMPLE-AES,URI=\"skd://film/\(key)\",KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
    }

    static func widevine(_ key: String) -> String {
        "METHOD=SAMPLE-AES,URI=\"data:text/plain;base64,w\(key)\","
            + "KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\",KEYFORMATVERSIONS=\"1\""
    }

    static func playReady(_ key: String) -> String {
        "METHOD=SAMPLE-AES,URI=\"data:text/plain;charset=UTF-16;base64,p\(key)\","
            + "KEYFORMAT=\"com.microsoft.playready\",KEYFORMATVERSIONS=\"1\""
    }

    private static func keys(_ key: String, _ tag: String) -> String {
        [fairPlay(key), widevine(key), playReady(key)].map { "#\(tag):\($0)" }.joined(separator: "\n")
    }

    private static let main = """
        #EXTM3U
        #EXT-X-INDEPENDENT-SEGMENTS
        \(["audio", "sd", "hd", "uhd"].map { keys($0, "EXT-X-SESSION-KEY") }.joined(separator: "\n"))
        #EXT-X-MEDIA:TYPE=AUDIO,URI="audio.m3u8",GROUP-ID="aac",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="subs.m3u8",GROUP-ID="subs",LANGUAGE="en",NAME="English",DEFAULT=NO,AUTOSELECT=YES
        #EXT-X-STREAM-INF:BANDWIDTH=1400000,CODECS="avc1.4D401F,mp4a.40.2",RESOLUTION=960x540,FRAME-RATE=25,HDCP-LEVEL=NONE,\
        AUDIO="aac",SUBTITLES="subs",CLOSED-CAPTIONS=NONE
        sd.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=5600000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=25,HDCP-LEVEL=TYPE-0,\
        ALLOWED-CPC="com.apple.streamingkeydelivery:AppleBaseline/AppleMain/Baseline/Main",AUDIO="aac",SUBTITLES="subs",\
        CLOSED-CAPTIONS=NONE
        hd.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=12500000,CODECS="hvc1.2.4.L150.B0,mp4a.40.2",RESOLUTION=3840x2160,FRAME-RATE=25,\
        HDCP-LEVEL=TYPE-1,ALLOWED-CPC="com.apple.streamingkeydelivery:AppleMain/Main,com.microsoft.playready:SL3000",\
        VIDEO-RANGE=PQ,AUDIO="aac",SUBTITLES="subs",CLOSED-CAPTIONS=NONE
        uhd.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.4D401F",RESOLUTION=960x540,HDCP-LEVEL=NONE,URI="sd-i.m3u8"
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=300000,CODECS="avc1.640028",RESOLUTION=1920x1080,HDCP-LEVEL=TYPE-0,URI="hd-i.m3u8"

        """

    private static func video(_ key: String, _ size: Int) -> String {
        """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-TARGETDURATION:6
        #EXT-X-PLAYLIST-TYPE:VOD
        \(keys(key, "EXT-X-KEY"))
        #EXT-X-MAP:URI="\(key).mp4",BYTERANGE="1200@0"
        #EXTINF:6.006,
        #EXT-X-BYTERANGE:\(size)@1200
        \(key).mp4
        #EXTINF:6.006,
        #EXT-X-BYTERANGE:\(size - 1000)
        \(key).mp4
        #EXTINF:4.004,
        #EXT-X-BYTERANGE:\(size / 2)
        \(key).mp4
        #EXT-X-ENDLIST

        """
    }

    private static func iFrames(_ key: String, _ size: Int) -> String {
        video(key, size).replacing("#EXT-X-VERSION:6", with: "#EXT-X-VERSION:5")
            .replacing("TARGETDURATION:6", with: "TARGETDURATION:7")
            .replacing("PLAYLIST-TYPE:VOD", with: "PLAYLIST-TYPE:VOD\n#EXT-X-I-FRAMES-ONLY")
    }

    private static let subtitles = """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:17
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:16.016,
        subs.vtt
        #EXT-X-ENDLIST

        """
}
