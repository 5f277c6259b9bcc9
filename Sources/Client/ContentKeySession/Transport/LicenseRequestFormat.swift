import TextCoding

/// The format of a license request and its response, which differs between vendors.
///
/// | Format | Content-Type | Request | Response |
/// |---|---|---|---|
/// | ``raw(_:)`` | `application/octet-stream` | the SPC | the CKC |
/// | ``base64(_:)`` | `text/plain` | the SPC in base64 | the CKC in base64 |
/// | ``form(_:)`` | `application/x-www-form-urlencoded` | fields, the SPC in base64 | the CKC in base64 |
/// | ``json(_:)`` | `application/json` | fields, the SPC in base64 | a field, the CKC in base64 |
/// | ``init(contentType:encode:decode:)`` | any | any | any |
public struct LicenseRequestFormat: Sendable {
    /// The contents of a license request.
    public struct Contents: Hashable, Sendable {
        /// The SPC.
        public let spc: [UInt8]
        /// The asset ID, which is also in the SPC.
        public let assetID: String
        /// True if the key will be persistent.
        public let isPersistable: Bool
        /// True if the key is loaded before it is needed.
        public let isPreload: Bool

        /// Creates the contents of a request.
        public init(spc: [UInt8], assetID: String, isPersistable: Bool = false, isPreload: Bool = false) {
            self.spc = spc
            self.assetID = assetID
            self.isPersistable = isPersistable
            self.isPreload = isPreload
        }
    }

    /// An encoded license request.
    public struct EncodedRequest: Hashable, Sendable {
        /// The items to add to the query of the address.
        public var query: [QueryItem]
        /// The body.
        public var body: [UInt8]

        /// Creates an encoded request.
        public init(query: [QueryItem] = [], body: [UInt8]) {
            self.query = query
            self.body = body
        }
    }

    /// A name and its value.
    public struct QueryItem: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        /// Creates a pair.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The names of the fields; nil omits a field. The defaults are Keyway's names.
    public struct FieldNames: Hashable, Sendable {
        /// The field for the SPC in base64.
        public var spc = "spc"
        /// The field for the asset ID.
        public var assetID: String? = "assetId"
        /// The field that marks a persistable key.
        public var persist: String? = "persist"
        /// The field that marks a preloaded key.
        public var preload: String? = "preload"
        /// The field for the CKC in base64 in a JSON response.
        public var ckc = "ckc"

        /// Creates Keyway's names.
        public init() {}
    }

    /// The Content-Type of the request.
    public let contentType: String
    /// Encodes a license request.
    let encode: @Sendable (Contents) -> EncodedRequest
    /// Extracts the CKC from a response, if any.
    let decode: @Sendable ([UInt8]) -> [UInt8]?

    /// Creates a vendor's format.
    public init(
        contentType: String,
        encode: @escaping @Sendable (Contents) -> EncodedRequest,
        decode: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.contentType = contentType
        self.encode = encode
        self.decode = decode
    }

    /// Returns the format with the bare SPC and CKC.
    ///
    /// - Parameter names: The names of the fields, which are added to the query of the address.
    public static func raw(_ names: FieldNames = FieldNames()) -> LicenseRequestFormat {
        LicenseRequestFormat(contentType: "application/octet-stream") { contents in
            EncodedRequest(query: names.pairs(contents), body: contents.spc)
        } decode: {
            $0.isEmpty ? nil : $0
        }
    }

    /// Returns the format with the SPC and the CKC in base64.
    ///
    /// - Parameter names: The names of the fields, which are added to the query of the address.
    public static func base64(_ names: FieldNames = FieldNames()) -> LicenseRequestFormat {
        LicenseRequestFormat(contentType: "text/plain") { contents in
            EncodedRequest(query: names.pairs(contents), body: Array(Base64.encode(contents.spc).utf8))
        } decode: {
            ckc($0)
        }
    }

    /// Returns the format with a form as the request and base64 as the response.
    public static func form(_ names: FieldNames = FieldNames()) -> LicenseRequestFormat {
        LicenseRequestFormat(contentType: "application/x-www-form-urlencoded") { contents in
            let spc = QueryItem(names.spc, Base64.encode(contents.spc))
            return EncodedRequest(body: Array(([spc] + names.pairs(contents)).formEncoded.utf8))
        } decode: {
            ckc($0)
        }
    }

    /// Returns the format with a JSON object as the request and as the response.
    public static func json(_ names: FieldNames = FieldNames()) -> LicenseRequestFormat {
        LicenseRequestFormat(contentType: "application/json") { contents in
            var fields = [JSONObject.Member(key: names.spc, value: .string(Base64.encode(contents.spc)))]
            if let name = names.assetID { fields.append(.init(key: name, value: .string(contents.assetID))) }
            if let name = names.persist, contents.isPersistable { fields.append(.init(key: name, value: .bool(true))) }
            if let name = names.preload, contents.isPreload { fields.append(.init(key: name, value: .bool(true))) }
            return EncodedRequest(body: JSONValue.object(JSONObject(fields)).encoded())
        } decode: { body in
            JSONValue(answer: body)?[names.ckc]?.text.flatMap { ckc(Array($0.utf8)) }
        }
    }

    private static func ckc(_ text: [UInt8]) -> [UInt8]? {
        guard let bytes = Base64.decode(text, .lenient), !bytes.isEmpty else { return nil }
        return bytes
    }
}

extension LicenseRequestFormat.FieldNames {
    fileprivate func pairs(_ contents: LicenseRequestFormat.Contents) -> [LicenseRequestFormat.QueryItem] {
        var pairs: [LicenseRequestFormat.QueryItem] = []
        if let assetID { pairs.append(.init(assetID, contents.assetID)) }
        if let persist, contents.isPersistable { pairs.append(.init(persist, "true")) }
        if let preload, contents.isPreload { pairs.append(.init(preload, "true")) }
        return pairs
    }
}
