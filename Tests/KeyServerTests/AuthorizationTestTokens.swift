/// TEST KEYS, created for this file and public. Never use them for anything else.
///
/// Tokens that other implementations created with them: PyJWT 2.15, joserfc 1.6 and the openssl command, so that an
/// error in one library is not hidden by the same error in the other. All contain the claims of `claims`, until the
/// year 2100.
enum TestTokens {
    /// The claims of all tokens.
    static let claims =
        #"{"iss":"https://issuer.example","aud":"keyway","sub":"viewer-1","exp":4102444800,"nbf":160000000"#
        + #"0,"iat":1600000000,"jti":"token-1","assets":["movie"],"title":"a-title","policy":"premium","devi"#
        + #"ce":"000102030405060708090a0b0c0d0e0f","once":true,"notAfter":4102440000,"persist":false,"rental"#
        + #"Start":1600000001}"#

    static let confusedHS256 =
        "eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLTEifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZ"
        + "XhhbXBsZSIsICJhdWQiOiAia2V5d2F5IiwgInN1YiI6ICJ2aWV3ZXItMSIsICJleHAiOiA0MTAyNDQ0ODAwLCAibmJmIjogM"
        + "TYwMDAwMDAwMCwgImlhdCI6IDE2MDAwMDAwMDAsICJqdGkiOiAidG9rZW4tMSIsICJhc3NldHMiOiBbIm1vdmllIl0sICJ0a"
        + "XRsZSI6ICJhLXRpdGxlIiwgInBvbGljeSI6ICJwcmVtaXVtIiwgImRldmljZSI6ICIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhM"
        + "GIwYzBkMGUwZiIsICJvbmNlIjogdHJ1ZSwgIm5vdEFmdGVyIjogNDEwMjQ0MDAwMCwgInBlcnNpc3QiOiBmYWxzZSwgInJlb"
        + "nRhbFN0YXJ0IjogMTYwMDAwMDAwMX0.rYmdRpPnnK2w7ul7xchQ8jUKsmu9_DfTFtqQi8M3UB0"

    static let joserfcES256 =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiIsImtpZCI6ImVjLTEifQ.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlI"
        + "iwiYXVkIjoia2V5d2F5Iiwic3ViIjoidmlld2VyLTEiLCJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6MTYwMDAwMDAwMCwiaWF0I"
        + "joxNjAwMDAwMDAwLCJqdGkiOiJ0b2tlbi0xIiwiYXNzZXRzIjpbIm1vdmllIl0sInRpdGxlIjoiYS10aXRsZSIsInBvbGlje"
        + "SI6InByZW1pdW0iLCJkZXZpY2UiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhMGIwYzBkMGUwZiIsIm9uY2UiOnRydWUsIm5vd"
        + "EFmdGVyIjo0MTAyNDQwMDAwLCJwZXJzaXN0IjpmYWxzZSwicmVudGFsU3RhcnQiOjE2MDAwMDAwMDF9.NVgCLaj_CTS_Bix-"
        + "gCdawvZM9ga_-sBrtQMRvqh5Vo0k6Ip6-jKMEUgN0hGhjnxMsg_EZlqKfwYZJDqvNDBq4g"

    static let joserfcRS256 =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxl"
        + "IiwiYXVkIjoia2V5d2F5Iiwic3ViIjoidmlld2VyLTEiLCJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6MTYwMDAwMDAwMCwiaWF0"
        + "IjoxNjAwMDAwMDAwLCJqdGkiOiJ0b2tlbi0xIiwiYXNzZXRzIjpbIm1vdmllIl0sInRpdGxlIjoiYS10aXRsZSIsInBvbGlj"
        + "eSI6InByZW1pdW0iLCJkZXZpY2UiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhMGIwYzBkMGUwZiIsIm9uY2UiOnRydWUsIm5v"
        + "dEFmdGVyIjo0MTAyNDQwMDAwLCJwZXJzaXN0IjpmYWxzZSwicmVudGFsU3RhcnQiOjE2MDAwMDAwMDF9.HaTvIpS_6CfeYIm"
        + "EdFYJckcp-V1IpDAm6xN2v0mbkY5tiy9cnrL2w_yDKENZbT1m0tb_vHJ0-D74ns7iB1w0KZGpF-2tVpYRORUZWAEXzWk2CQK"
        + "NCi9yuY99Ukc1LsUWl0PlrGhLo7mvi05DxstHwLbT6GWPhE7Y16Uv_1V8uejBmDqtBVUvoozEDmsZTOIe_tIA5wO_U3LUtGj"
        + "G21_6hSaji_JrporrXUl_-NNqY2XWv5Eo9iEx3h8k5mBodxHGNrP-6lgMG2CMCajkzYtPgtmgUYQUrssAfY0-0Vic5_TVJMr"
        + "a2JKPWFUhZGNAytF4j0JHPbA7NdEAXJFZm3_J7Q"

    static let opensslRS256 =
        "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhLTEifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZ"
        + "XhhbXBsZSIsICJhdWQiOiAia2V5d2F5IiwgInN1YiI6ICJ2aWV3ZXItMSIsICJleHAiOiA0MTAyNDQ0ODAwLCAibmJmIjogM"
        + "TYwMDAwMDAwMCwgImlhdCI6IDE2MDAwMDAwMDAsICJqdGkiOiAidG9rZW4tMSIsICJhc3NldHMiOiBbIm1vdmllIl0sICJ0a"
        + "XRsZSI6ICJhLXRpdGxlIiwgInBvbGljeSI6ICJwcmVtaXVtIiwgImRldmljZSI6ICIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhM"
        + "GIwYzBkMGUwZiIsICJvbmNlIjogdHJ1ZSwgIm5vdEFmdGVyIjogNDEwMjQ0MDAwMCwgInBlcnNpc3QiOiBmYWxzZSwgInJlb"
        + "nRhbFN0YXJ0IjogMTYwMDAwMDAwMX0.WSoq_WGl3o73J0Lu7QZvf-qMjjjlbQIBagpHO9jVXDnsdIwuirQF8ZBp087wvXvfY"
        + "yVOugHzi4xwIsYVFiQMKfNZwHxWjAHNetbQetnZwPekhn0NgKp-f979j1LQf6mAcE30bJ_VhoZlsF-Jn9EbMvcXgpBlkLqZo"
        + "CCajgo1ntOu_7rvYrUcUY9aH29bdhyxJGl2biGn3umilKh3Jl6GV2-h-VygwKpc14DGKRAZcCFlZmpiMUDpp_wXwZ3wNGzMw"
        + "UTmqRk6hQBOjNtgxsV9rGsvvkvZfYd63L6eHcijtyLCBVH3n4Cavp1pWJ7MjYXovMUINe_hV_ojztuIChVf4A"

    static let pyjwtES256 =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6ImVjLTEiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlI"
        + "iwiYXVkIjoia2V5d2F5Iiwic3ViIjoidmlld2VyLTEiLCJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6MTYwMDAwMDAwMCwiaWF0I"
        + "joxNjAwMDAwMDAwLCJqdGkiOiJ0b2tlbi0xIiwiYXNzZXRzIjpbIm1vdmllIl0sInRpdGxlIjoiYS10aXRsZSIsInBvbGlje"
        + "SI6InByZW1pdW0iLCJkZXZpY2UiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhMGIwYzBkMGUwZiIsIm9uY2UiOnRydWUsIm5vd"
        + "EFmdGVyIjo0MTAyNDQwMDAwLCJwZXJzaXN0IjpmYWxzZSwicmVudGFsU3RhcnQiOjE2MDAwMDAwMDF9.SL1jyGi-lmFNtvH2"
        + "lnEV8u21nHwSoKRflqfzmXKfSLKUwz_AQhXyIeHszRJFm3J4dOItuVL3xeb3cWIIUivDjA"

    static let pyjwtES256WithoutKeyID =
        "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwiYXVkIjoia2V5d2F"
        + "5Iiwic3ViIjoidmlld2VyLTEiLCJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6MTYwMDAwMDAwMCwiaWF0IjoxNjAwMDAwMDAwLCJ"
        + "qdGkiOiJ0b2tlbi0xIiwiYXNzZXRzIjpbIm1vdmllIl0sInRpdGxlIjoiYS10aXRsZSIsInBvbGljeSI6InByZW1pdW0iLCJ"
        + "kZXZpY2UiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhMGIwYzBkMGUwZiIsIm9uY2UiOnRydWUsIm5vdEFmdGVyIjo0MTAyNDQ"
        + "wMDAwLCJwZXJzaXN0IjpmYWxzZSwicmVudGFsU3RhcnQiOjE2MDAwMDAwMDF9.HIUSpmAyNMOe4-BY66wfh2_5SYFv8s9Let"
        + "JMSiFOg0lKQmbi_vyBG50U-CjoXO5vAVxrJU4hSeNpmr6CK4b2ZQ"

    static let pyjwtHS256 =
        "eyJhbGciOiJIUzI1NiIsImtpZCI6ImhzLTEiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlI"
        + "iwiYXVkIjoia2V5d2F5Iiwic3ViIjoidmlld2VyLTEiLCJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6MTYwMDAwMDAwMCwiaWF0I"
        + "joxNjAwMDAwMDAwLCJqdGkiOiJ0b2tlbi0xIiwiYXNzZXRzIjpbIm1vdmllIl0sInRpdGxlIjoiYS10aXRsZSIsInBvbGlje"
        + "SI6InByZW1pdW0iLCJkZXZpY2UiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhMGIwYzBkMGUwZiIsIm9uY2UiOnRydWUsIm5vd"
        + "EFmdGVyIjo0MTAyNDQwMDAwLCJwZXJzaXN0IjpmYWxzZSwicmVudGFsU3RhcnQiOjE2MDAwMDAwMDF9.Mdrg9mxBFAX013u1"
        + "zl-JUfTylLEjywwiYfklwi9shIE"

    static let pyjwtRS256 =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxl"
        + "IiwiYXVkIjoia2V5d2F5Iiwic3ViIjoidmlld2VyLTEiLCJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6MTYwMDAwMDAwMCwiaWF0"
        + "IjoxNjAwMDAwMDAwLCJqdGkiOiJ0b2tlbi0xIiwiYXNzZXRzIjpbIm1vdmllIl0sInRpdGxlIjoiYS10aXRsZSIsInBvbGlj"
        + "eSI6InByZW1pdW0iLCJkZXZpY2UiOiIwMDAxMDIwMzA0MDUwNjA3MDgwOTBhMGIwYzBkMGUwZiIsIm9uY2UiOnRydWUsIm5v"
        + "dEFmdGVyIjo0MTAyNDQwMDAwLCJwZXJzaXN0IjpmYWxzZSwicmVudGFsU3RhcnQiOjE2MDAwMDAwMDF9.IRhm6dSKY_j5N7L"
        + "ajPGbszphL-WU8AP4r1H9sa9p-__tb5gwkj_7dnFp6Rav73rZrlfKwcbW5k20WXI0a8KqbYaPuZeKhFgBEAIoFhgPm-rKGpA"
        + "K82MkUjmxwFdEJK_7SPTTsWCPRX7WYif1D1JPriHnPNsLXT-GvlNAq7TpSVpsYg5rQbCyReDBfAy3NKya-K0x3pq91z2pRnd"
        + "_39fS6ftPDt122TCM0rXWzuAU88Qgi7eVqVG_Czxt5Y4Vb2oV-bf5CNQcO0CVKLNW3miksJZEIxvrUuW2dxQMVg5bNpYTYQl"
        + "LdgwpcHN5SjfDwsrJbKzoQuZpdU9CjR9gUfvcWA"

    /// The private key of the openssl token, in PKCS#8 format.
    static let rsaPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC2O+H7AZoqNMBs
        HgNU5b0YXtIZz9hIcbEBcK70TmWItMBesLnwFH7wcEqnRbBYQKr4fgvElcThXXmY
        hPmPrUdZBovEz3XDAUtqbmh356mS/4VwNA7gYg9hZShiWd5y4KNOtPFmSTgl9H0L
        rZDjzmQthH8XdcLmtTH2BptgcX6l7KwtbmACoW35rq6ew0zha4SGtNwLoQLduRo7
        3dyI4ZxKtKoPAcxY7n2APlQPb8G0mB+IAxnV1NMbYNJHJjjhnzMPUTBJhkgdd+kM
        fpUFHu5GA+Cjx/fWb0PZVhhXvvgo9P70eyiKgdOJTRDoetJwe2qzNg/ns0RRTuO+
        SrHhppMtAgMBAAECggEADfBHIOiWtt85j5t9FD+NRuGrztMdvy7JA+vvSdr8O6hd
        pXB9jF449mGUaDZ1nk519VNIyaTN/hHlBNQ49XMix62vP6LBpmSBNPcUcQVsbES0
        m2gz8hg2BnRTEjC/CcjiXNkMtM7pZ0fLz7qbID2PXobppKz6dySJWYDYXhhYQE8Y
        OW0J3ZnUNfEDBaw9ur4++671c+EQRaJYirs5gMl4wFt7dtI/bUyjbA+kJJLtIS22
        z4J6Il/RH+v3bF3ysArpkHb6oFdjcpUy+74UHKmPZ79GRYe9vLayMREP/MCi7EsG
        DG/hpmEpE4LVJ3GXVykg/Pth0jkIToGm79BJdtVxGQKBgQD/yg6gKQGbhCUeif5l
        /lhBuRbX2w4dPJUa5F1gFvafHN6TqGf4218ULluzaV02WVfT3eRnDhf1Yqmm+b+7
        tCkAy6jioP/ChIzQ3c9AzmouJZeyGIII5X44Cc9YheqbhqwMfwPGAir0mGq1+Q/6
        uk45S+Bzmyj9fPAXjpd1AdfCiQKBgQC2YlBMdq3wk5SfDEPuIIArH4k/4sSoIaBK
        0ajyamLspCPmw0GT4XMH5OLpKCTEEGdTgUzsAvFg7uITXzRpiq85GeSWKTh1sMk0
        z1jjVlJ9IgjtP6Ab4ofSW0QMppr9H9EyUtg4tLP/tMrhVjVR24+pIY3fuzP64weI
        962OCyHyhQKBgQDarwb+CtDjAoExsMycqm0OE43iEdfpSwg3K5JhOoCy2922472w
        Vuzcth2UL7qPYqbh7cz+BmCZXDarGM7BTW/YzEWhLAA9b1FsqJYuU8sXlPAyRR23
        OW1Fv61Tg3pmaSbisByrxuKupzhkR4FP3MRP2/0TGU5cGdqyaSg30tGB8QKBgATq
        261kGcZ9xCkRpJc8Cxiejg3J6HF8Dp1Vz89RbP9iYZFsPE1na7mPw0p0CaG7q32F
        4/QNFEL/zdql23zo/1Zzy0T9MYeCz7n7yTK/9hNnooP7Di8SSYUzbr9EkrM2c2Z+
        81N8E8pWLo4qy988I0B1JiUdIAaormBUBTrqM+0dAoGBAIuuRRwizTgHxfjMzBSJ
        hC+GrSy6da/+4GjkHIEiYblfJxONL9LSfVwUZZZhyN1S159JHV9emArQFcQa5dgw
        B/6tfddNMS8R1fSn5VuLNoUavSY0MiGk+kaZLReGP3J1Pm58DSILzw4+2X0d40dc
        uxOnVah5pusKGme1jeviM5VJ
        -----END PRIVATE KEY-----
        """

    static let rsaKey =
        #"{"kty":"RSA","kid":"rsa-1","use":"sig","alg":"RS256","n":"tjvh-wGaKjTAbB4DVOW9GF7SGc_YSHGxAXCu9E"#
        + #"5liLTAXrC58BR-8HBKp0WwWECq-H4LxJXE4V15mIT5j61HWQaLxM91wwFLam5od-epkv-FcDQO4GIPYWUoYlnecuCjTrTxZk"#
        + #"k4JfR9C62Q485kLYR_F3XC5rUx9gabYHF-peysLW5gAqFt-a6unsNM4WuEhrTcC6EC3bkaO93ciOGcSrSqDwHMWO59gD5UD2"#
        + #"_BtJgfiAMZ1dTTG2DSRyY44Z8zD1EwSYZIHXfpDH6VBR7uRgPgo8f31m9D2VYYV774KPT-9HsoioHTiU0Q6HrScHtqszYP57"#
        + #"NEUU7jvkqx4aaTLQ","e":"AQAB"}"#

    static let p256Key =
        #"{"kty":"EC","kid":"ec-1","use":"sig","alg":"ES256","crv":"P-256","x":"bPDBd69AwoLuyCALcSEzK-Alhh"#
        + #"sgk6CLD3cEvdH02Bc","y":"IStwL_WYlxRGY5zyMwrFoBtk3oRg2E9LNoLECZgEA9k"}"#

    static let secretKey =
        #"{"kty":"oct","kid":"hs-1","alg":"HS256","k":"YSB0ZXN0IHNlY3JldCwgbmV2ZXIgdG8gYmUgdXNlZCE"}"#

    static let weakRSAKey =
        #"{"kty":"RSA","kid":"weak","use":"sig","alg":"RS256","n":"6WZAyIJ4sEr9XCWrlZ3z9CPZChn-p2GllYImkZg"#
        + #"cnkTrY3qdC5TyYM69HJY150kqoS6QKPIyR5MnG6juKqdxJpbysX009rwFzcyghGh0J2NBGEHflEvrotSOVVmH-FGbiWpKYPa"#
        + #"jvOaCI9d4O3VPTl_JTVzWtCYg-1EptsThbFs","e":"AQAB"}"#

    static let p384Key =
        #"{"kty":"EC","kid":"p384","use":"sig","alg":"ES384","crv":"P-384","x":"a6PiG_ICh5GowIurnBfHoqTMun"#
        + #"W1oaw6ejmqg3y9YGUeitJNWDAXeoHMPwLKDNte","y":"23PmxxDhwn00jCLufLitXxRAiC8nsjXfk8VKPUpfmpKnTo-mmrz"#
        + #"b4fZdqJslQ-A2"}"#

    /// All public keys, as a set.
    static let keySet = "{\"keys\":[\(rsaKey),\(p256Key),\(secretKey)]}"
}
