import ContentKeySession
import Testing

@Suite("The response to a resource request")
struct ResourceResponseTests {
    private static let url = "keptkeyhttps://film.example/k?token=secret"
    private static let bytes: [UInt8] = Array(0..<16)
    private static let types: [ResourceContentType] = [.persistentContentKey, .contentKey]

    private func answer(_ request: ResourceRequest) throws(ResourceError) -> ResourceResponse {
        try ResourceResponse(Self.bytes, as: Self.types, for: request)
    }

    @Test("contains what was requested, and nothing else")
    func parts() throws {
        let all = try answer(ResourceRequest(Self.url, contentInformation: .init()))
        #expect(all.contentInformation?.contentType == .persistentContentKey)
        #expect(all.contentInformation?.contentLength == 16)
        #expect(all.contentInformation?.isByteRangeAccessSupported == true)
        #expect(all.data?.bytes == Self.bytes)
        let information = try answer(ResourceRequest(Self.url, contentInformation: .init(), data: nil))
        #expect(information.contentInformation != nil && information.data == nil)
        let data = try answer(ResourceRequest(Self.url))
        #expect(data.contentInformation == nil && data.data?.bytes == Self.bytes)
        let nothing = try answer(ResourceRequest(Self.url, data: nil))
        #expect(nothing.contentInformation == nil && nothing.data == nil)
    }

    @Test("has a type that the player accepts")
    func types() throws {
        let online = ResourceRequest(Self.url, contentInformation: .init(allowedContentTypes: [.contentKey]))
        #expect(try answer(online).contentInformation?.contentType == .contentKey)
        #expect(!online.allowsPersistentKey)
        let both = ResourceRequest(
            Self.url,
            contentInformation: .init(allowedContentTypes: [.contentKey, .persistentContentKey])
        )
        #expect(try answer(both).contentInformation?.contentType == .persistentContentKey)
        #expect(both.allowsPersistentKey)
        let other = ResourceRequest(Self.url, contentInformation: .init(allowedContentTypes: [.playlist]))
        #expect(throws: ResourceError(.typeNotAllowed, Self.url)) { try answer(other) }
        // Without a list, any type is accepted; without content information, the type could not be specified.
        for unlimited in [ResourceRequest.ContentInformation(), .init(allowedContentTypes: [])] {
            let request = ResourceRequest(Self.url, contentInformation: unlimited)
            #expect(try answer(request).contentInformation?.contentType == .persistentContentKey)
            #expect(request.allowsPersistentKey)
        }
        #expect(!ResourceRequest(Self.url).allowsPersistentKey)
    }

    @Test(
        "contains the available bytes of the range",
        arguments: [
            (0, nil, Array(0..<16)), (4, nil, Array(4..<16)), (0, 2, [0, 1]), (14, 5, [14, 15]), (16, 1, []),
            (3, 0, []),
            (1, UInt64.max, Array(1..<16)),
        ] as [(UInt64, UInt64?, [UInt8])]
    )
    func ranges(offset: UInt64, length: UInt64?, bytes: [UInt8]) throws {
        let request = ResourceRequest(
            Self.url,
            contentInformation: .init(),
            data: .init(offset: offset, length: length)
        )
        let answer = try answer(request)
        #expect(answer.data?.bytes == bytes)
        #expect(answer.contentInformation?.contentLength == 16)
    }

    @Test("is an error after the end", arguments: [17, UInt64.max])
    func behind(offset: UInt64) {
        let request = ResourceRequest(Self.url, data: .init(offset: offset, length: 1))
        #expect(throws: ResourceError(.wrongRange, Self.url)) { try answer(request) }
    }

    @Test("does not print its bytes, nor does its error")
    func secrets() throws {
        let answer = try ResourceResponse(
            Array("secret of 16 byt".utf8),
            as: Self.types,
            for: ResourceRequest(Self.url, contentInformation: .init())
        )
        var dumped = ""
        dump(answer, to: &dumped)
        let error = ResourceError(.status, Self.url, status: 403)
        let printed = "\(answer) \(answer.data as Any) \(error) \(dumped)"
        #expect(!printed.contains("secret") && !printed.contains("115, 101"))
        #expect("\(answer)" == "com.apple.streamingkeydelivery.persistentcontentkey, 16 bytes in total: 16 bytes")
        #expect("\(error)" == "keptkeyhttps://film.example/k: status (403)")
    }
}
