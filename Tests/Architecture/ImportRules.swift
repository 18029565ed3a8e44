/// What the manifest cannot say: who alone imports a library, and what the core does not do.
enum ImportRules {
    /// Who alone may import a C library or an external package: paths below `Sources`.
    static let soleImporters: [String: [String]] = [
        "COpenSSL": ["Cryptography/OpenSSLCrypto/", "Laboratory/TransactionBench/"],
        "BenchFloor": ["Laboratory/TransactionBench/"],
        "CTimex": ["Service/Doctor/"],
        "CZlib": ["Mdoc/MdocTrust/", "Commands/countersign-portrait/"],
        "CQREncode": ["Commands/countersign/"],
        "COpenJPEG": ["Commands/countersign-portrait/"],
        "CSeccomp": ["Service/DecoderConfinement/"],
        "CZXing": ["Commands/countersign-qrcode/"],
        "CPCSCLite": ["Transports/PCSCTransport/"],
        "CBlueZ": ["Transports/BlueZTransport/"],
        "CProcess": ["Commands/countersignd/", "Service/ChildPrograms/"],
        "CAccessoryDevices": ["Service/AccessoryDevices/"],
        "CSystemdBus": ["Transports/BlueZTransport/"],
        "CCurl": ["Service/HTTPClient/"],
        "CMosquitto": ["Service/MQTTClient/"],
        "CPostgreSQL": ["Service/ReaderStore/"],
        "SystemPackage": [
            "Transports/Transport/", "Service/CommandLineInterface/", "Service/ReaderIdentityStore/",
            "Commands/",
        ],
        "NIOCore": ["Service/HTTPServing/", "Service/ReaderAPI/", "Fleet/FleetHub/"],
        "NIOHTTP1": ["Service/HTTPServing/", "Service/ReaderAPI/"],
        "NIOPosix": ["Service/HTTPServing/"],
        "NIOSSL": ["Service/HTTPServing/", "Fleet/FleetHub/"],
        "NIOTLS": ["Service/HTTPServing/"],
        "ArgumentParser": ["Service/CommandLineInterface/", "Commands/"],
        "GRDB": ["Service/ReaderStore/"],
        "Hummingbird": ["Service/HTTPServing/", "Service/ReaderAPI/", "Fleet/FleetHub/"],
        "HummingbirdCore": ["Service/HTTPServing/", "Service/ReaderAPI/", "Fleet/FleetHub/"],
        "HTTPTypes": ["Service/HTTPServing/", "Service/ReaderAPI/", "Fleet/FleetHub/"],
        "ServiceLifecycle": [
            "Service/HTTPServing/", "Service/PresentationService/", "Service/ReaderAPI/", "Fleet/FleetHub/",
            "Commands/countersignd/", "Commands/countersign-hub/",
        ],
        "UnixSignals": ["Commands/countersignd/", "Commands/countersign-hub/"],
        "Logging": ["Service/", "Fleet/", "Commands/"],
    ]

    /// Programs and libraries that serve no HTTP, and all of other packages that may be linked into them. SwiftNIO with its BoringSSL
    /// would double their size and be a second TLS library to keep patched.
    static let withoutServer: Set = [
        "countersign", "countersign-accessories", "countersign-lab", "countersign-portrait",
        "countersign-qrcode", "TapToPresent", "ProximityReader",
    ]
    static let foreignWithoutServer: Set = ["ArgumentParser", "GRDB", "SystemPackage"]

    /// The one module that forwards another: files from iOS import it by Apple's name, and so stay as they are.
    static let forwarding = ["ProximityReader": "TapToPresent"]

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
