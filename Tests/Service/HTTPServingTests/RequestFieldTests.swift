import Testing

@testable import HTTPServing

@Suite("Fields and targets of requests")
struct RequestFieldTests {
    @Test("A token follows the scheme Bearer, in capital or small letters, and no other scheme")
    func schemes() {
        for scheme in ["Bearer", "bearer", "BEARER", "bEARER"] {
            #expect("\(scheme) a.B-c".bearerToken == "a.B-c")
        }
        for other in ["", "Bearer", "Basic a", "Bearera", "Bearers a", " Bearer a", "a"] {
            #expect(other.bearerToken == nil, "\(other)")
        }
    }

    @Test("A target is read if its bytes, once decoded, are UTF-8 without NUL")
    func targets() {
        for target in ["/", "/v1/lanes/caf%C3%A9", "/v1/lanes?after=3"] {
            #expect(TargetText.isReadable(target), "\(target)")
        }
        for target in ["/%00", "/%FF", "/%C3", "/%2", "/%zz"] {
            #expect(!TargetText.isReadable(target), "\(target)")
        }
    }

    @Test("Of a target in absolute form the host is read, and of no other form")
    func authorities() {
        #expect(AbsoluteTarget.authority(of: "http://till.example:8080/v1?x=//y") == "till.example:8080")
        #expect(AbsoluteTarget.authority(of: "http://till.example") == "till.example")
        for target in ["/v1/lanes", "/x?y=http://till.example/", "*"] {
            #expect(AbsoluteTarget.authority(of: target) == nil, "\(target)")
        }
    }
}
