/// The rooms of the house and who may enter which, as the plan has it.
enum House {
    /// A target, its layer, and what it may import beyond the standard library.
    struct Room {
        let name: String
        let layer: Layer
        let imports: Set<String>
    }

    enum Layer: String, CaseIterable {
        case system = "System"
        case formats = "Formats"
        case cryptography = "Cryptography"
        case mdoc = "Mdoc"
        case transports = "Transports"
        case service = "Service"
        case commands = "Commands"

        var order: Int { Layer.allCases.firstIndex(of: self) ?? 0 }
    }

    private static let formats: Set = ["CBOR", "ISO7816", "NDEF"]
    private static let cryptography: Set = ["OpenSSLCrypto", "COSE"]
    private static let mdoc: Set = [
        "MdocModel", "MdocSession", "MdocTrust", "MdocVerification", "RequestPlanner", "WalletPresentation",
    ]

    static let rooms = [
        Room(name: "CBOR", layer: .formats, imports: []),
        Room(name: "ISO7816", layer: .formats, imports: []),
        Room(name: "NDEF", layer: .formats, imports: []),
        Room(name: "JSON", layer: .formats, imports: []),
        Room(name: "PortraitImage", layer: .formats, imports: []),
        Room(name: "OpenSSLCrypto", layer: .cryptography, imports: ["COpenSSL"]),
        Room(name: "COSE", layer: .cryptography, imports: ["CBOR", "OpenSSLCrypto"]),
        Room(name: "MdocModel", layer: .mdoc, imports: ["CBOR", "COSE"]),
        Room(
            name: "MdocSession", layer: .mdoc,
            imports: ["MdocModel", "CBOR", "COSE", "NDEF", "ISO7816", "OpenSSLCrypto"]),
        Room(
            name: "MdocTrust", layer: .mdoc, imports: ["MdocModel", "CBOR", "COSE", "OpenSSLCrypto", "CZlib"]),
        Room(
            name: "MdocVerification", layer: .mdoc,
            imports: ["MdocModel", "MdocTrust", "CBOR", "COSE", "OpenSSLCrypto"]),
        Room(name: "RequestPlanner", layer: .mdoc, imports: ["MdocModel", "CBOR", "COSE"]),
        Room(
            name: "WalletPresentation", layer: .mdoc,
            imports: ["MdocModel", "MdocTrust", "MdocVerification", "CBOR", "COSE", "OpenSSLCrypto"]),
        Room(name: "MdocWallet", layer: .mdoc, imports: formats.union(cryptography).union(mdoc)),
        Room(name: "Transport", layer: .transports, imports: ["NDEF", "SystemPackage"]),
        Room(name: "PCSCTransport", layer: .transports, imports: ["Transport", "ISO7816", "CPCSCLite"]),
        Room(
            name: "BlueZTransport", layer: .transports,
            imports: ["Transport", "NDEF", "CBlueZ", "CSystemdBus"]),
        Room(
            name: "TrustFetch", layer: .service,
            imports: [
                "MdocModel", "MdocTrust", "OpenSSLCrypto", "AsyncHTTPClient", "NIOCore", "NIOHTTP1",
                "NIOPosix", "NIOSSL",
            ]),
        Room(
            name: "ReaderService", layer: .service,
            imports: formats.union(cryptography).union(mdoc).union([
                "Transport", "Logging", "Metrics", "ServiceLifecycle",
            ])),
        Room(
            name: "ReaderIdentityStore", layer: .service,
            imports: ["JSON", "MdocModel", "MdocTrust", "COSE", "OpenSSLCrypto", "SystemPackage"]),
        Room(name: "PortraitDecoding", layer: .service, imports: ["PortraitImage"]),
        Room(
            name: "ReaderStore", layer: .service,
            imports: [
                "GRDB", "CPostgreSQL", "MdocModel", "MdocTrust", "MdocVerification", "RequestPlanner",
                "WalletPresentation", "CBOR", "COSE", "OpenSSLCrypto", "ReaderIdentityStore",
            ]),
        Room(
            name: "ReaderTokens", layer: .service,
            imports: ["JSON", "MdocModel", "OpenSSLCrypto", "ReaderIdentityStore", "ReaderStore"]),
        Room(
            name: "ReaderReports", layer: .service,
            imports: formats.union(cryptography).union(mdoc).union([
                "JSON", "ReaderService", "ReaderIdentityStore", "ReaderStore", "ReaderTokens",
            ])),
        Room(
            name: "ReaderAPI", layer: .service,
            imports: formats.union(cryptography).union(mdoc).union([
                "ReaderService", "ReaderIdentityStore", "ReaderReports", "ReaderStore", "ReaderTokens",
                "PortraitDecoding", "AsyncHTTPClient", "HTTPTypes", "Hummingbird", "HummingbirdCore",
                "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "ServiceLifecycle",
            ])),
        Room(
            name: "countersignd", layer: .commands,
            imports: formats.union(cryptography).union(mdoc).union([
                "Transport", "PCSCTransport", "BlueZTransport", "ReaderAPI", "ReaderIdentityStore",
                "ReaderReports", "ReaderService", "ReaderStore", "ReaderTokens", "PortraitDecoding",
                "CProcess",
                "ArgumentParser", "Logging",
                "ServiceLifecycle", "UnixSignals",
            ])),
        Room(
            name: "TapToPresent", layer: .service,
            imports: mdoc.union([
                "CBOR", "COSE", "OpenSSLCrypto", "Transport", "PCSCTransport", "BlueZTransport",
                "ReaderService", "ReaderIdentityStore", "ReaderReports", "ReaderStore", "ReaderTokens",
            ])),
        Room(
            name: "countersign-portrait", layer: .commands,
            imports: ["PortraitImage", "COpenJPEG", "CSeccomp", "CZlib"]),
        Room(name: "BenchFloor", layer: .commands, imports: ["COpenSSL"]),
        Room(
            name: "countersign", layer: .commands,
            imports: formats.union(cryptography).union(mdoc).union([
                "MdocWallet", "Transport", "PCSCTransport", "BlueZTransport", "ReaderService",
                "ReaderIdentityStore", "ReaderReports", "ReaderStore", "ReaderTokens", "TrustFetch",
                "ArgumentParser", "Logging", "SystemPackage", "BenchFloor", "COpenSSL", "CTimex",
            ])),
    ]

    /// Who alone may import a C library or an external package: paths below `Sources`.
    static let soleImporters: [String: [String]] = [
        "COpenSSL": ["Cryptography/OpenSSLCrypto/", "Commands/countersign/Bench/"],
        "BenchFloor": ["Commands/countersign/Bench/"],
        "CTimex": ["Commands/countersign/Doctor/"],
        "CZlib": ["Mdoc/MdocTrust/", "Commands/countersign-portrait/"],
        "COpenJPEG": ["Commands/countersign-portrait/"],
        "CSeccomp": ["Commands/countersign-portrait/"],
        "CPCSCLite": ["Transports/PCSCTransport/"],
        "CBlueZ": ["Transports/BlueZTransport/"],
        "CProcess": ["Commands/countersignd/"],
        "CSystemdBus": ["Transports/BlueZTransport/"],
        "CPostgreSQL": ["Service/ReaderStore/"],
        "SystemPackage": ["Transports/Transport/", "Service/ReaderIdentityStore/", "Commands/"],
        "AsyncHTTPClient": ["Service/TrustFetch/", "Service/ReaderAPI/"],
        "NIOCore": ["Service/TrustFetch/", "Service/ReaderAPI/"],
        "NIOHTTP1": ["Service/TrustFetch/", "Service/ReaderAPI/"],
        "NIOPosix": ["Service/TrustFetch/", "Service/ReaderAPI/"],
        "NIOSSL": ["Service/TrustFetch/"],
        "ArgumentParser": ["Commands/"],
        "GRDB": ["Service/ReaderStore/"],
        "Hummingbird": ["Service/ReaderAPI/"],
        "HummingbirdCore": ["Service/ReaderAPI/"],
        "HTTPTypes": ["Service/ReaderAPI/"],
        "ServiceLifecycle": ["Service/ReaderAPI/", "Commands/countersignd/"],
        "UnixSignals": ["Commands/countersignd/"],
        "Logging": ["Service/", "Commands/"],
    ]

    /// Modules of the toolchain that compute and hold, and touch nothing outside.
    static let pure: Set = ["Swift", "Synchronization"]
    /// Modules of the toolchain for those who do I/O.
    static let platform: Set = ["Foundation", "FoundationEssentials", "Dispatch", "Glibc"]

    /// What the protocol core must not do: wait, read a clock, print, draw at random, or look around.
    static let forbiddenInCore: [(name: String, pattern: String)] = [
        (
            "a clock",
            #"(Continuous|Suspending)Clock\(\)|(Clock|Instant|Date)\.now\b|\bDate\(\)|clock_gettime|[=:]\s*\.now\b"#
        ),
        ("concurrency", #"\basync\b|\bawait\b|\bTask\s*[.{(]|\bactor\s+\w"#),
        ("output", #"\bprint\(|\bdebugPrint\(|\bdump\(|\bfputs\("#),
        (
            "chance of the system",
            #"\.random\((?![^)]*using:)|\.(shuffled|randomElement)\(\)|SystemRandomNumberGenerator"#
        ),
        ("the environment", #"\bCommandLine\b|\bProcessInfo\b|\bgetenv\("#),
    ]

    /// What `Formats` and `Mdoc` leave to their callers; the software wallet draws where no seed is given.
    static let drawing = #"\brandomBytes\(|PrivateKey\.generate\("#
}
