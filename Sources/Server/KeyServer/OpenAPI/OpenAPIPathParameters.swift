extension OpenAPIOperation {
    /// Returns the description of a path parameter. A name has the same meaning in every path.
    static func pathParameter(_ name: String) -> Parameter {
        let (description, schema): (String, String) =
            switch name {
            case "asset":
                (
                    "The asset ID, percent-encoded, 2 to 200 bytes.",
                    #"{"type": "string", "minLength": 2, "maxLength": 200}"#
                )
            case "account":
                (
                    "The account, percent-encoded, 1 to 200 bytes.",
                    #"{"type": "string", "minLength": 1, "maxLength": 200}"#
                )
            case "subject":
                (
                    "`title:` and a title's name, or `asset:` and an asset ID, of 1 to 200 bytes, percent-encoded.",
                    #"{"type": "string", "minLength": 7, "maxLength": 206, "pattern": "^(title|asset):"}"#
                )
            case "kid":
                (
                    "The key ID: 32 hexadecimal digits, with or without the hyphens of a UUID.",
                    #"{"type": "string", "pattern": "^([0-9a-fA-F]{32}|[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})$", "#
                        + #""examples": ["000102030405060708090a0b0c0d0e0f", "00010203-0405-0607-0809-0a0b0c0d0e0f"]}"#
                )
            case "device", "stream": ("16 bytes in hexadecimal digits.", self.schema("Hex16"))
            case "client":
                (
                    "`device:` followed by 32 hexadecimal digits, or `session:` followed by 16.",
                    #"{"type": "string", "pattern": "^(device:[0-9a-fA-F]{32}|session:[0-9a-fA-F]{16})$"}"#
                )
            default: ("A name of letters, digits, dots, hyphens and underscores.", self.schema("Name"))
            }
        return Parameter(name: name, description: description, schema: schema, isRequired: true)
    }
}
