import DASHManifest
import Testing

@Suite("DASH manifests")
struct MPDTests {
    /// The manifest of Shaka Packager 3.8.0 for a movie of five seconds, without its comment and with one DRM system.
    static let other = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!--Generated with another packager-->
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xsi:schemaLocation="urn:mpeg:dash:schema:mpd:2011 DASH-MPD.xsd" xmlns:cenc="urn:mpeg:cenc:2013" \
        xmlns:mspr="urn:microsoft:playready" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" minBufferTime="PT2S" \
        type="static" mediaPresentationDuration="PT5S">
          <Period id="0">
            <AdaptationSet id="0" contentType="video" width="320" height="180" frameRate="12800/512" \
        subsegmentAlignment="true" par="16:9">
              <ContentProtection value="cbcs" schemeIdUri="urn:mpeg:dash:mp4protection:2011" \
        cenc:default_KID="a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"/>
              <ContentProtection schemeIdUri="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed">
                <cenc:pssh>AAAAOHBzc2gAAAAA7e+LqXnWSs6jyCfc1R0h7QAAABgSEKChoqOkpaanqKmqq6ytrq9I88aJmwY=</cenc:pssh>
              </ContentProtection>
              <Representation id="0" bandwidth="657456" codecs="avc1.64000c" mimeType="video/mp4" sar="1:1">
                <BaseURL>v.mp4</BaseURL>
                <SegmentBase indexRange="1561-1604" timescale="12800">
                  <Initialization range="0-1560"/>
                </SegmentBase>
              </Representation>
            </AdaptationSet>
          </Period>
        </MPD>
        """

    private func error(_ text: String) -> ManifestError? {
        do throws(ManifestError) {
            _ = try MPD(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("A written manifest is parsed as the same manifest")
    func roundTrip() throws {
        let read = try MPD(sample.bytes)
        #expect(read == sample)
        #expect(read.bytes == sample.bytes)
    }

    @Test("URLs of DASH-IF, robustness and output protection are written and parsed, in the order of the schema")
    func licenseURLs() throws {
        var manifest = sample
        manifest.periods[0].adaptationSets[0].protections[1].licenseURL = "https://a/?b=1&c=2"
        manifest.periods[0].adaptationSets[0].protections[1].certificateURL = "https://a/certificate"
        manifest.periods[0].adaptationSets[0].protections[1].robustness = "HW_SECURE_ALL"
        let hdcp = Descriptor(scheme: "urn:mpeg:dash:output-protection:hdcp:2020", value: "2.2")
        manifest.periods[0].adaptationSets[0].outputProtections = [hdcp]
        let text = String(decoding: manifest.bytes, as: UTF8.self)
        #expect(text.contains("<dashif:Laurl>https://a/?b=1&amp;c=2</dashif:Laurl>"))
        let end = try #require(text.ranges(of: "</ContentProtection>").last?.upperBound)
        #expect(text[end...].drop(while: \.isWhitespace).hasPrefix("<OutputProtection "))
        #expect(try MPD(manifest.bytes) == manifest)
        #expect(!String(decoding: sample.bytes, as: UTF8.self).contains("dashif"))
    }

    @Test("Elements are written in the order of the schema")
    func order() throws {
        let text = String(decoding: sample.bytes, as: UTF8.self)
        let sought = [
            "<MPD", "<Period", "<AdaptationSet", "<ContentProtection", "<cenc:pssh>", "<SupplementalProperty", "<Role",
            "<Representation", "<SegmentTemplate", "<SegmentTimeline>", "<S t=\"0\" d=\"4000\" r=\"1\"/>",
            "<S d=\"2000\"/>",
            "<Label>English &amp; more</Label>", "<AudioChannelConfiguration", "<BaseURL>", "<SegmentBase",
            "<Initialization range=\"0-799\"/>",
        ]
        var rest = text[...]
        for word in sought {
            let range = try #require(rest.firstRange(of: word), "\(word) is not behind the others")
            rest = rest[range.upperBound...]
        }
        #expect(text.contains("indexRange=\"800-899\""))
    }

    @Test("Elements and attributes of low latency are written in the order of the schema, and parsed")
    func lowLatencyElements() throws {
        let text = String(decoding: lowLatencySample.bytes, as: UTF8.self)
        let sought = [
            "<ServiceDescription id=\"0\">", "<Latency referenceId=\"0\" target=\"2000\" max=\"4000\" min=\"1000\"/>",
            "<PlaybackRate max=\"1.04\" min=\"0.96\"/>", "<Period", "<ContentProtection",
            "<ProducerReferenceTime id=\"0\" type=\"encoder\" wallClockTime=\"2026-01-01T00:00:00Z\" "
                + "presentationTime=\"0\"/>",
            "<Role", "<Representation", "<Resync type=\"0\" dT=\"500\"/>", "<SegmentTemplate",
            "availabilityTimeOffset=\"3.5\" availabilityTimeComplete=\"false\"", "</Period>",
            "<UTCTiming schemeIdUri=\"urn:mpeg:dash:utc:http-xsdate:2014\" value=\"https://time.example.com/\"/>",
            "</MPD>",
        ]
        var rest = text[...]
        for word in sought {
            let range = try #require(rest.firstRange(of: word), "\(word) is not behind the others")
            rest = rest[range.upperBound...]
        }
        let infinite = Array(text.replacing("\"3.5\"", with: "\"INF\"").utf8)
        let set = try MPD(infinite).periods[0].adaptationSets[0]
        #expect(set.representations[0].template?.availabilityTimeOffset == .infinity)
        for (part, change) in [("\"3.5\"", "\"soon\""), ("\"1.04\"", "\"0.9\""), ("target=\"2000\"", "target=\"-1\"")] {
            #expect(error(text.replacing(part, with: change))?.code == .invalidValue, "\(change)")
        }
        let other = text.replacing("wallClockTime", with: "wallclocktime")
        #expect(error(other)?.code == .missingAttribute)
    }

    @Test("A manifest of another packager is parsed, and only its real problems are found")
    func others() throws {
        let manifest = try MPD(Array(Self.other.utf8))
        let set = try #require(manifest.periods.first?.adaptationSets.first)
        #expect(set.protections.map(\.defaultKeyID) == ["a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", nil])
        #expect(set.protections.last?.systemID == "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed")
        let representation = try #require(set.representations.first)
        #expect(representation.base?.indexRange == 1561..<1605)
        #expect(representation.base?.initializationRange == 0..<1561)
        // Width and height are attributes of the AdaptationSet, which this model does not read.
        #expect(MPDChecker().check(manifest).map(\.rule) == ["resolution-missing"])
    }

    @Test("Every truncated manifest is rejected")
    func truncation() {
        let text = Self.other
        for count in 0..<text.utf8.count - 1 {
            #expect(error(String(decoding: text.utf8.prefix(count), as: UTF8.self)) != nil, "\(count) bytes")
        }
    }

    @Test(
        "Invalid values are rejected with their line numbers",
        arguments: [
            (" minBufferTime=\"PT2S\"", "", ManifestError.Code.missingAttribute),
            ("PT5S", "5 s", .invalidValue), ("PT5S", "PT", .invalidValue), ("PT5S", "-PT5S", .invalidValue),
            ("1561-1604", "1604-1561", .invalidValue), ("1561-1604", "1561", .invalidValue),
            ("1561-1604", "0-18446744073709551615", .invalidValue),
            ("bandwidth=\"657456\"", "", .missingAttribute), ("657456", "many", .invalidValue),
            ("timescale=\"12800\"", "timescale=\"4294967296\"", .invalidValue),
            ("subsegmentAlignment=\"true\"", "subsegmentAlignment=\"yes\"", .invalidValue),
            ("urn:mpeg:dash:schema:mpd:2011\"", "urn:other\"", .noManifest),
            ("<Period id=\"0\">", "<Period id=\"0\"><?a?>", .noManifest),
            ("<!--", "<!DOCTYPE a><!--", .noManifest), ("</Period>", "</Periode>", .noManifest),
        ]
    )
    func values(_ part: String, _ change: String, _ code: ManifestError.Code) {
        let text = Self.other.replacing(part, with: change)
        #expect(text != Self.other)
        #expect(error(text)?.code == code)
    }

    @Test("Durations are parsed in all formats, and written in seconds")
    func durations() {
        let texts: [(String, Int64)] = [
            ("PT0S", 0), ("PT12.5S", 12_500_000), ("PT1H2M3.000001S", 3_723_000_001), ("P1DT1S", 86_401_000_000),
            ("PT0.1234567S", 123_456), ("PT90M", 5_400_000_000),
        ]
        for (text, microseconds) in texts {
            #expect(ManifestDuration(text)?.microseconds == microseconds, "\(text)")
        }
        for text in ["", "P", "PT", "P1DT", "P1Y", "P1M", "PT1S1M", "PT-1S", "PT1.S", "PT9999999999S", "pt1s", " PT1S"]
        {
            #expect(ManifestDuration(text) == nil, "\(text)")
        }
        #expect(ManifestDuration(seconds: 12.5).description == "PT12.5S")
        #expect(ManifestDuration(seconds: 3).description == "PT3S")
        #expect(ManifestDuration(seconds: 1e30) == .longest)
        #expect(ManifestDuration(seconds: .nan).microseconds == 0)
    }

    @Test("Dates are parsed in all time zones, and written in UTC")
    func dates() {
        let texts: [(String, String)] = [
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"), ("2026-02-28T23:59:59.25Z", "2026-02-28T23:59:59.25Z"),
            ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z"), ("2026-01-01T01:30:00+01:30", "2026-01-01T00:00:00Z"),
            ("2025-12-31T19:00:00.000001-05:00", "2026-01-01T00:00:00.000001Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"), ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
        ]
        for (text, wanted) in texts { #expect(ManifestDate(text)?.description == wanted, "\(text)") }
        for text in [
            "", "2026-01-01", "2026-01-01 00:00:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:01Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+15:00", "26-01-01T00:00:00Z",
        ] { #expect(ManifestDate(text) == nil, "\(text)") }
        #expect(ManifestDate(microseconds: .max).description.hasPrefix("9999-12-31T23:59:59.999999"))
        #expect(ManifestDate(microseconds: .min).microseconds < 0)
    }

    @Test("Segments are appended to and removed from timelines without changing numbers and times")
    func timelines() {
        var template = SegmentTemplate(
            timescale: 10,
            startNumber: 7,
            initialization: nil,
            media: nil,
            time: 100,
            durations: [40, 40, 41]
        )
        template.append(duration: 41, at: 221)
        template.append(duration: 40, at: 270)
        #expect(template.timeline.map(\.repeats) == [1, 1, 0])
        #expect(template.timeline.map(\.time) == [100, nil, 270])
        #expect(template.segmentCount == 5 && template.nextNumber == 12)
        #expect(template.timelineRange == 100..<310)
        let all = template.segments
        #expect(all.map(\.time) == [100, 140, 180, 221, 270])
        for count in 1...5 {
            template.removeFirst()
            #expect(template.segments == Array(all.dropFirst(count)))
        }
        template.removeFirst()
        #expect(template.timeline.isEmpty && template.startNumber == 12)
    }

    @Test("The duration of the last segment of a timeline can be changed, and the segment removed")
    func lastSegments() {
        var template = SegmentTemplate(
            timescale: 10,
            startNumber: 7,
            initialization: nil,
            media: nil,
            time: 100,
            durations: [40, 40, 40]
        )
        let isSame = template.changeLastDuration(to: 40)
        #expect(!isSame && template.timeline.count == 1)
        let isOther = template.changeLastDuration(to: 30)
        #expect(isOther && template.segments.map(\.duration) == [40, 40, 30] && template.timelineRange == 100..<210)
        template.changeLastDuration(to: 40)
        #expect(template.timeline.map(\.repeats) == [2])
        template.removeLast()
        #expect(template.nextNumber == 9 && template.timelineRange == 100..<180)
        for _ in 0..<3 { template.removeLast() }
        template.changeLastDuration(to: 1)
        #expect(template.timeline.isEmpty)
    }
}
