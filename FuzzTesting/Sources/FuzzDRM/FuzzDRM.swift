import ByteCoding
import DRMSignaling

/// pssh boxes, Widevine's header, PlayReady's object and header, CPIX: parsed data has the same meaning after writing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let boxes = try? ProtectionSystemSpecificHeader.all(in: input) {
        let written = boxes.flatMap(\.bytes)
        precondition((try? ProtectionSystemSpecificHeader.all(in: written)) == boxes)
        for box in boxes {
            checkWidevine(box.data)
            checkPlayReady(box.data)
        }
    }
    checkWidevine(input)
    checkPlayReady(input)
    if let text = String(validating: input, as: UTF8.self) { checkHeader(try? PlayReadyHeader(xml: text)) }
    checkDocument(try? CPIXDocument(xml: input))
    return 0
}

private func checkDocument(_ document: CPIXDocument?) {
    // Control characters in attributes are replaced, which can make them longer than the limit.
    guard let xml = document?.xml, !xml.contains(0xEF) else { return }
    guard let again = try? CPIXDocument(xml: xml) else { preconditionFailure("the written document cannot be parsed") }
    precondition(again.xml == xml)
}

private func checkWidevine(_ data: [UInt8]) {
    guard let header = try? WidevineHeader(data) else { return }
    precondition((try? WidevineHeader(header.bytes)) == header)
    precondition(header.bytes.count <= data.count)
}

private func checkPlayReady(_ data: [UInt8]) {
    guard let object = try? PlayReadyObject(data) else { return }
    precondition(object.bytes == data)
    checkHeader(try? object.header())
}

private func checkHeader(_ header: PlayReadyHeader?) {
    guard let header else { return }
    guard let again = try? PlayReadyHeader(xml: header.xml) else {
        preconditionFailure("the written text cannot be parsed")
    }
    precondition(again.keys == header.keys)
}
